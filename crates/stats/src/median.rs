//! The median.

/// The median of these values in any order, the middle between the two middle ones of an even number; none of no values.
pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let low = sorted.get(sorted.len().checked_sub(1)? / 2)?;
    Some(f64::midpoint(*low, sorted[sorted.len() / 2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_of_an_even_number_lies_in_the_middle() {
        let cases: [(&[f64], Option<f64>); 5] = [
            (&[3.0, 1.0, 10.0], Some(3.0)),
            (&[3.0, 1.0, 10.0, 5.0], Some(4.0)),
            (&[7.0, 2.0], Some(4.5)),
            (&[7.0], Some(7.0)),
            (&[], None),
        ];
        for (values, expected) in cases {
            assert_eq!(median(values), expected, "{values:?}");
        }
    }
}
