//! Interleaved rounds and the medians of their ratios.

use std::fmt::Write as _;

/// The median of some figures; 0 of none.
pub fn median(figures: &[f64]) -> f64 {
    let mut sorted = figures.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        count if count % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// A contestant's figure in every round.
pub struct Lane {
    /// Who.
    pub name: String,
    /// What it reached, round by round.
    pub figures: Vec<f64>,
    /// The ratio that drivelab is to reach against it, where one was set.
    pub goal: Option<f64>,
}

impl Lane {
    /// One without a figure yet.
    pub fn new(name: &str, goal: Option<f64>) -> Lane {
        Lane { name: name.to_owned(), figures: Vec::new(), goal }
    }
}

/// A table of medians, and of `ours` / each other, round by round.
pub fn table(ours: &Lane, others: &[Lane], unit: &str) -> String {
    let mut text = format!("  {:<44} {:>12}  {:>22}\n", "", unit, "drivelab / it (range)");
    let _ = writeln!(text, "  {:<44} {:>12.0}", ours.name, median(&ours.figures));
    for lane in others {
        let pairs = ours.figures.iter().zip(&lane.figures).filter(|(_, theirs)| **theirs > 0.0);
        let ratios: Vec<f64> = pairs.map(|(mine, theirs)| mine / theirs).collect();
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ratios.iter().copied().fold(0.0, f64::max);
        let goal = lane.goal.map(|goal| format!("  goal {goal}")).unwrap_or_default();
        let _ = writeln!(
            text,
            "  {:<44} {:>12.0}  {:>6.3} ({least:.3} to {most:.3}){goal}",
            lane.name,
            median(&lane.figures),
            median(&ratios)
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle() {
        assert_eq!(median(&[3.0, 1.0, 2.0]).to_bits(), 2.0f64.to_bits());
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]).to_bits(), 2.5f64.to_bits());
    }
}
