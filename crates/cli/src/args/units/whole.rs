//! Whole numbers within bounds, and lists of processors.

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

/// More than any machine has: a list of processors that is longer was not meant.
const PROCESSORS_MAX: usize = 1 << 20;

/// Processors by their numbers, in the order in which they were named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpus(pub Vec<usize>);

/// Reads `0,2` and `0-3,6`, as taskset does; nothing is no processor.
pub fn cpus(text: &str) -> Result<Cpus, String> {
    let mut cpus = Vec::new();
    for part in text.split(',').filter(|_| !text.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        match (first.trim().parse::<usize>(), last.trim().parse::<usize>()) {
            (Ok(first), Ok(last)) if first <= last && last < PROCESSORS_MAX => cpus.extend(first..=last),
            _ => return Err("a list of processors is like 0,2 or 0-3".to_owned()),
        }
    }
    Ok(Cpus(cpus))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_listed_one_by_one_or_as_spans() {
        assert_eq!(cpus("0-2,5"), Ok(Cpus(vec![0, 1, 2, 5])));
        assert_eq!(cpus(""), Ok(Cpus(Vec::new())));
        for wrong in ["1-", "3-1", "0,", "a", "0-99999999999"] {
            assert!(cpus(wrong).is_err(), "{wrong}");
        }
    }

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
