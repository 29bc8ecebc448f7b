//! What a quick test finds.

use drivelab_block::{Completion, Sector};
use drivelab_stats::{CLIFF_FALL, CurvePoint, Moments, median};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a quick test found. Rates are in decimal megabytes a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QuickFindings {
    /// Bytes of a logical block: what an LBA counts, and what a random read reads.
    pub logical_block_bytes: u32,
    /// The mean of the rates of reading of all places; none before the first place.
    pub read_mb_s: Option<f64>,
    /// The mean of the rates of writing; none where it was not asked for.
    pub write_mb_s: Option<f64>,
    /// How much was written for that, in bytes; absent where nothing was, and in results of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_bytes: Option<u64>,
    /// The time of random reads of one block, one at a time.
    pub access_time_ns: Option<AccessTime>,
    /// The random reads that succeeded, in the order in which they were made.
    #[serde(default)]
    pub accesses: Vec<RandomRead>,
    /// How many places a whole curve has.
    pub places_asked: u64,
    /// The places that were measured, in the order of their addresses.
    pub curve: Vec<Place>,
}

/// The time of a random read, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AccessTime {
    /// How many reads there were.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation; 0 of a single read.
    pub stddev: f64,
    /// The longest.
    pub max: u64,
}

/// A random read of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RandomRead {
    /// The block.
    pub lba: u64,
    /// How long it took, in nanoseconds.
    pub time_ns: u64,
}

/// A place on the drive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// Its first logical block.
    pub lba: u64,
    /// The rate of reading.
    pub read_mb_s: Option<f64>,
    /// The rate of writing.
    pub write_mb_s: Option<f64>,
}

/// A rate of a place.
pub(super) type RateOf = fn(&mut Place) -> &mut Option<f64>;

impl QuickFindings {
    pub(super) fn take_curve(&mut self, points: &[CurvePoint], rate_of: RateOf) {
        for point in points {
            let lba = lba_of(point.start, self.logical_block_bytes);
            let place = match self.curve.binary_search_by_key(&lba, |place| place.lba) {
                Ok(place) => place,
                Err(place) => {
                    self.curve.insert(place, Place { lba, read_mb_s: None, write_mb_s: None });
                    place
                }
            };
            *rate_of(&mut self.curve[place]) = Some(point.rate() / 1e6);
        }
    }

    pub(super) fn take_access(&mut self, times: &Moments) {
        self.access_time_ns = times.mean().zip(times.max()).map(|(mean, max)| AccessTime {
            count: times.count(),
            mean,
            stddev: times.stddev().unwrap_or(0.0),
            max,
        });
    }

    /// Takes the random reads one by one.
    pub(super) fn take_accesses(&mut self, answers: &[Completion]) {
        let succeeded = answers.iter().filter(|answer| answer.status.is_ok());
        let access = |answer: &Completion| RandomRead {
            lba: lba_of(answer.extent.start, self.logical_block_bytes),
            time_ns: answer.service().get(),
        };
        self.accesses = succeeded.map(access).collect();
    }

    /// The median of the times of the random reads, in nanoseconds; none where none is known one by one.
    pub fn median_access_ns(&self) -> Option<f64> {
        let times: Vec<f64> = self.accesses.iter().map(|access| access.time_ns as f64).collect();
        median(&times)
    }

    /// The rates of reading of all places that have one.
    pub fn reads(&self) -> impl Iterator<Item = f64> {
        self.curve.iter().filter_map(|place| place.read_mb_s)
    }

    /// The rates of writing of all places that have one.
    pub fn writes(&self) -> impl Iterator<Item = f64> {
        self.curve.iter().filter_map(|place| place.write_mb_s)
    }
}

fn lba_of(start: Sector, logical_block_bytes: u32) -> u64 {
    start.byte_offset() / u64::from(logical_block_bytes.max(1))
}

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
