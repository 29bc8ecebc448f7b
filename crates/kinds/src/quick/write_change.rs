//! Whether the rate of writing changed while a quick test wrote, as that of a drive with a cache does.

use drivelab_stats::{CLIFF_FALL, median};

use super::{Place, QuickFindings};

/// Places at either end whose median is a level: enough that one slow place is none.
const ENDS: usize = 5;
/// The least number of places in which a change is looked for.
const PLACES_MIN: usize = 4 * ENDS;

/// The rates of writing at the beginning and at the end, in MB/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct WriteChange {
    /// The median of the first five places.
    pub(super) first_mb_s: f64,
    /// The median of the last five.
    pub(super) last_mb_s: f64,
}

impl WriteChange {
    /// The change from the first places to the last, which are written in this order.
    ///
    /// It is one where writes lose or gain what a cliff does, and as much against reads of the same places: a disk is slower
    /// towards its end in both.
    pub(super) fn from_found(found: &QuickFindings) -> Option<WriteChange> {
        let both = |place: &Place| Some((place.write_mb_s?, place.read_mb_s?));
        let (writes, reads): (Vec<f64>, Vec<f64>) = found.curve.iter().filter_map(both).unzip();
        if writes.len() < PLACES_MIN {
            return None;
        }
        let (first_mb_s, last_mb_s) = ends(&writes);
        let (first_read, last_read) = ends(&reads);
        let is_less = |one: f64, other: f64| other > 0.0 && one <= (1.0 - CLIFF_FALL) * other;
        let (first, last) = (first_mb_s * last_read, last_mb_s * first_read);
        let has_fallen = is_less(last_mb_s, first_mb_s) && is_less(last, first);
        let has_risen = is_less(first_mb_s, last_mb_s) && is_less(first, last);
        (has_fallen || has_risen).then_some(WriteChange { first_mb_s, last_mb_s })
    }
}

/// The medians of the first and the last places, of which there are ten at least.
fn ends(rates: &[f64]) -> (f64, f64) {
    let level = |rates| median(rates).unwrap_or(0.0);
    (level(&rates[..ENDS]), level(&rates[rates.len() - ENDS..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A curve of a hundred places; rates of writing and of reading by the number of the place.
    fn curve(writes: impl Fn(u64) -> f64, reads: impl Fn(u64) -> f64) -> QuickFindings {
        let place = |lba| Place { lba, read_mb_s: Some(reads(lba)), write_mb_s: Some(writes(lba)) };
        QuickFindings { curve: (0..100).map(place).collect(), ..QuickFindings::default() }
    }

    #[test]
    fn a_cache_that_fills_is_a_change_and_the_zones_of_a_disk_are_none() {
        let cached = |lba: u64| if lba < 28 { 7_000.0 } else { 1_600.0 };
        let zones = |lba: u64| 200.0 - lba as f64;
        let found = WriteChange::from_found(&curve(cached, |_| 7_000.0));
        assert_eq!(found, Some(WriteChange { first_mb_s: 7_000.0, last_mb_s: 1_600.0 }));
        assert_eq!(WriteChange::from_found(&curve(zones, zones)), None);
        assert!(WriteChange::from_found(&curve(|lba| 0.5 * cached(lba), zones)).is_some());
        assert!(
            WriteChange::from_found(&curve(|lba| cached(99 - lba), |_| 7_000.0)).is_some(),
            "a cache that is emptied"
        );
        assert_eq!(
            WriteChange::from_found(&curve(|lba| if lba == 99 { 1.0 } else { 500.0 }, |_| 500.0)),
            None
        );
    }

    #[test]
    fn a_change_of_reads_alone_is_none() {
        assert_eq!(WriteChange::from_found(&curve(|_| 100.0, |lba| 100.0 + lba as f64)), None);
    }

    #[test]
    fn a_change_by_a_quarter_is_one_and_by_less_none() {
        let falls_to = |rate: f64| curve(move |lba| if lba < 50 { 400.0 } else { rate }, |_| 500.0);
        assert!(
            WriteChange::from_found(&falls_to(300.0)).is_some()
                && WriteChange::from_found(&falls_to(300.1)).is_none()
        );
        let few = QuickFindings { curve: falls_to(100.0).curve.split_off(81), ..QuickFindings::default() };
        assert_eq!(WriteChange::from_found(&few), None);
    }
}
