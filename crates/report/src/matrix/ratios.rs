//! Ratios and their intervals in text.

use super::document::EndsDocument;

/// The least digits behind the point of a ratio, and the most.
const DIGITS: (usize, usize) = (3, 9);

/// A ratio, in as many digits as its interval is told in.
pub(super) fn ratio_text(ratio: f64, interval: Option<EndsDocument>) -> String {
    format!("{ratio:.*}", interval.map_or(DIGITS.0, digits))
}

/// The interval of a ratio.
pub(super) fn interval_text(ends: EndsDocument) -> String {
    let digits = digits(ends);
    format!("{:.digits$} to {:.digits$}", ends.low, ends.high)
}

/// As many digits as it takes to see that an interval leaves out 1, where it does.
fn digits(ends: EndsDocument) -> usize {
    let nearest = if ends.low > 1.0 { ends.low } else { ends.high };
    let leaves_out = ends.low > 1.0 || ends.high < 1.0;
    let is_seen = |digits: &usize| format!("{nearest:.*}", *digits) != format!("{:.*}", *digits, 1.0);
    let needed = (DIGITS.0..=DIGITS.1).find(is_seen).unwrap_or(DIGITS.1);
    if leaves_out { needed } else { DIGITS.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_that_leaves_out_1_is_seen_to() {
        let text = |low, high| interval_text(EndsDocument { low, high });
        assert_eq!(text(0.95, 1.04), "0.950 to 1.040");
        assert_eq!(text(0.999_99, 1.000_1), "1.000 to 1.000");
        assert_eq!(text(1.000_07, 1.000_21), "1.0001 to 1.0002");
        assert_eq!(text(0.91, 0.999_997), "0.910000 to 0.999997");
    }
}
