//! What a quick test finds.

use drivelab_block::{Completion, Sector};
use drivelab_stats::{CurvePoint, Moments, median};
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
    /// Takes the rates of a curve.
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

    /// Takes the times of the random reads.
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
