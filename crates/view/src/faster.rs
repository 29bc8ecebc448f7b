//! How many times one thing is as fast as others, in a sentence.

use crate::format::digits;

/// Up to this ratio two rates are called alike.
const ALIKE: f64 = 1.01;

/// How many times the fastest of several is as fast as each other one in `what`, by their rates and names, the fastest first;
/// nothing of a single one. Rates that are zero or not finite are left out.
pub fn times_as_fast<'a>(what: &str, rates: impl IntoIterator<Item = (f64, &'a str)>) -> Option<String> {
    let mut known: Vec<(f64, &str)> =
        rates.into_iter().filter(|(rate, _)| *rate > 0.0 && rate.is_finite()).collect();
    known.sort_by(|one, other| other.0.total_cmp(&one.0));
    let ((fastest, first), others) = known.split_first()?;
    let times = |(rate, label): &(f64, &str)| match fastest / rate {
        times if times < ALIKE => format!("as fast as {label} (within 1 %)"),
        times => format!("{} times as fast as {label}", digits(times)),
    };
    let slower: Vec<String> = others.iter().map(times).collect();
    (!slower.is_empty())
        .then(|| format!("In {what}, {first} is {}, measured once each.", slower.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_is_named_first_and_alone_it_is_compared_with_nothing() {
        let sentence =
            times_as_fast("writing", [(10.0, "one"), (0.0, "idle"), (70.0, "two"), (69.9, "three")]);
        let expected = "In writing, two is as fast as three (within 1 %) and 7.00 times as fast as one, measured once each.";
        assert_eq!(sentence.as_deref(), Some(expected));
        assert_eq!(times_as_fast("writing", [(10.0, "one"), (0.0, "idle")]), None);
    }
}
