//! The division of a series into the segments with the least squares about their means.

/// Sums by which the cost of any segment is known at once.
pub(super) struct Costs {
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl Costs {
    pub fn from_values(values: &[f64]) -> Costs {
        // About their mean, so that squares of large numbers leave no small difference.
        let mean = values.iter().sum::<f64>() / values.len().max(1) as f64;
        let sums_of = |of: &dyn Fn(f64) -> f64| {
            let mut sum = 0.0;
            let running = values.iter().map(|value| {
                sum += of(value - mean);
                sum
            });
            [0.0].into_iter().chain(running).collect()
        };
        Costs { sums: sums_of(&|value| value), squares: sums_of(&|value| value * value) }
    }

    fn len(&self) -> usize {
        self.sums.len() - 1
    }

    /// The sum of squares of a segment about its mean.
    pub fn of_segment(&self, from: usize, to: usize) -> f64 {
        let (sum, squares) = (self.sums[to] - self.sums[from], self.squares[to] - self.squares[from]);
        (squares - sum * sum / (to - from).max(1) as f64).max(0.0)
    }
}

/// The boundaries of the segments whose costs, with a penalty for each boundary, are the least (optimal partitioning: B. Jackson
/// and others, "An algorithm for optimal partitioning of data on an interval", 2005; its time grows with the square of the
/// length). `shortest` is the least length of a segment that begins at a step.
pub(super) fn partition(costs: &Costs, penalty: f64, shortest: impl Fn(usize) -> usize) -> Vec<usize> {
    let end = costs.len();
    // The least cost up to a step, and where the last segment before it begins.
    let mut best = vec![(f64::INFINITY, 0); end + 1];
    best[0] = (-penalty, 0);
    for to in 1..=end {
        let froms = (0..to).filter(|from| to - from >= shortest(*from));
        let ways = froms.map(|from| (best[from].0 + costs.of_segment(from, to) + penalty, from));
        if let Some(least) = ways.min_by(|one, other| one.0.total_cmp(&other.0)) {
            best[to] = least;
        }
    }
    let mut boundaries = Vec::new();
    let mut at = best[end].1;
    while at > 0 {
        boundaries.push(at);
        at = best[at].1;
    }
    boundaries.reverse();
    boundaries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draws::fixture::Draws;

    /// The least cost of all divisions, by trying each.
    fn least(costs: &Costs, penalty: f64, shortest: usize, from: usize) -> f64 {
        let end = costs.len();
        let whole = if end - from >= shortest { costs.of_segment(from, end) } else { f64::INFINITY };
        let divided = (from + shortest..end)
            .map(|at| costs.of_segment(from, at) + penalty + least(costs, penalty, shortest, at));
        divided.fold(whole, f64::min)
    }

    #[test]
    fn no_division_is_better() {
        for seed in 0..200 {
            let mut draws = Draws(seed);
            let values: Vec<f64> =
                (0..13).map(|_| draws.normal() + 3.0 * (draws.share() * 2.0).floor()).collect();
            let costs = Costs::from_values(&values);
            for shortest in [1, 2, 3] {
                let boundaries = partition(&costs, 1.0, |_| shortest);
                let edges: Vec<usize> = [0].into_iter().chain(boundaries.clone()).chain([13]).collect();
                let cost: f64 = edges.windows(2).map(|pair| costs.of_segment(pair[0], pair[1])).sum();
                let cost = cost + boundaries.len() as f64;
                let expected = least(&costs, 1.0, shortest, 0);
                assert!(
                    (cost - expected).abs() < 1e-9,
                    "{cost} {expected} of {seed}, {shortest}: {boundaries:?}"
                );
            }
        }
    }
}
