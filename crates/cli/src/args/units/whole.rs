//! Whole numbers within bounds.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Reads a whole number of this range; no unit stands behind it.
pub fn whole<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + PartialOrd + Display + Clone,
{
    move |text| {
        let number = text.trim().parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| {
            format!("give a whole number from {} to {}, without a unit", range.start(), range.end())
        })
    }
}

/// Reads a whole number above zero; no unit stands behind it.
pub fn whole_above_zero(text: &str) -> Result<u32, String> {
    let number = text.trim().parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "give a whole number above zero, without a unit, such as 8".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_the_bounds_are_taken_and_others_are_answered_with_these() {
        let runs = whole::<u16>(1..=100);
        assert_eq!((runs("1"), runs(" 100 ")), (Ok(1), Ok(100)));
        for wrong in ["0", "101", "-1", "1.5", "8s", ""] {
            assert_eq!(
                runs(wrong),
                Err("give a whole number from 1 to 100, without a unit".to_owned()),
                "{wrong}"
            );
        }
        assert_eq!(whole_above_zero("4294967295"), Ok(u32::MAX));
        assert!(whole_above_zero("0").is_err());
    }
}
