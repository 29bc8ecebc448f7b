//! Processors, as people type them.

/// More than any machine has: a list that is longer was not meant.
const MOST: usize = 1 << 20;

/// Processors by their numbers, in the order in which they were named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cpus(pub Vec<usize>);

impl Cpus {
    /// Reads `0,2` and `0-3,6`, as taskset does; nothing is no processor.
    pub fn parse(text: &str) -> Result<Cpus, String> {
        let mut cpus = Vec::new();
        for part in text.split(',').filter(|_| !text.is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (first.trim().parse::<usize>(), last.trim().parse::<usize>()) {
                (Ok(first), Ok(last)) if first <= last && last < MOST => cpus.extend(first..=last),
                _ => return Err("a list of processors is like 0,2 or 0-3".to_owned()),
            }
        }
        Ok(Cpus(cpus))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_listed_one_by_one_or_as_spans() {
        assert_eq!(Cpus::parse("0-2,5"), Ok(Cpus(vec![0, 1, 2, 5])));
        assert_eq!(Cpus::parse(""), Ok(Cpus(Vec::new())));
        for wrong in ["1-", "3-1", "0,", "a", "0-99999999999"] {
            assert!(Cpus::parse(wrong).is_err(), "{wrong}");
        }
    }
}
