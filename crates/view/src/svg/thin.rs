//! Fewer values that look like all of them.

use crate::chart::Data;

/// The places of at most so many values: in each of equally long parts the least and the greatest one. A part without any value
/// keeps its first place, so that the gap remains.
pub(super) fn thinned(values: &Data, most: Option<usize>) -> Vec<usize> {
    let count = values.len();
    let Some(most) = most.filter(|most| *most < count) else { return (0..count).collect() };
    let parts = (most / 2).max(1);
    let mut kept = Vec::with_capacity(parts * 2);
    for part in 0..parts {
        let (from, until) = (part * count / parts, (part + 1) * count / parts);
        let known = || (from..until).filter(|index| values.get(*index).is_finite());
        let order = |one: &usize, other: &usize| values.get(*one).total_cmp(&values.get(*other));
        match (known().min_by(order), known().max_by(order)) {
            (Some(least), Some(greatest)) if least != greatest => {
                kept.extend([least.min(greatest), least.max(greatest)]);
            }
            (Some(only), _) => kept.push(only),
            _ => kept.push(from),
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_gaps_are_kept() {
        let mut values: Vec<f64> = (0..1_000).map(f64::from).collect();
        values[333] = 5_000.0;
        values[777] = -5_000.0;
        values[400..600].fill(f64::NAN);
        let data: Data = values.into_iter().collect();
        let kept = thinned(&data, Some(40));
        assert!(kept.len() <= 40);
        assert!(kept.contains(&333) && kept.contains(&777));
        assert!(kept.is_sorted());
        assert!(kept.iter().any(|index| data.get(*index).is_nan()));
        assert_eq!(thinned(&data, None).len(), 1_000);
    }
}
