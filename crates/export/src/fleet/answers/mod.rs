//! The answers, made of the sums. Each file is one of the queries in `sql/`; rounding is theirs.

mod amplification;
mod peers;
mod percentiles;
mod reviews;
mod slower;
mod slowest;

use std::cmp::Ordering;
use std::sync::Arc;

pub use amplification::write_amplification;
pub use peers::outside_peers;
pub use percentiles::{hours_of_day, percentiles_by_model};
pub use reviews::reviews;
pub use slower::slower_drives;
pub use slowest::slowest_drives;

/// The order of two names that may be absent, which come last.
fn absent_last(one: Option<&String>, other: Option<&String>) -> Ordering {
    one.is_none().cmp(&other.is_none()).then_with(|| one.cmp(&other))
}

/// A share in millionths, rounded to thousandths of them.
fn in_ppm(share: f64) -> f64 {
    (share * 1e9 + 0.5).floor() / 1e3
}

/// A ratio, rounded to thousandths.
fn in_thousandths(ratio: f64) -> f64 {
    (ratio * 1e3 + 0.5).floor() / 1e3
}

/// A name that is absent where it is empty.
fn named(name: &str) -> Option<String> {
    (!name.is_empty()).then(|| name.to_owned())
}

fn text(name: Option<&Arc<str>>) -> String {
    name.map(ToString::to_string).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absent_names_come_last_as_in_the_queries() {
        let names = [Some("b".to_owned()), None, Some("a".to_owned())];
        let mut sorted: Vec<_> = names.iter().map(Option::as_ref).collect();
        sorted.sort_by(|one, other| absent_last(*one, *other));
        assert_eq!(sorted, [names[2].as_ref(), names[0].as_ref(), None]);
    }
}
