//! The document `drivelab.quick/1`.

use drivelab_analysis::{CurvePoint, mean_rate};
use serde::Serialize;

use crate::Condition;
use crate::energy::EnergyDocument;

use super::QuickReport;

/// The name and version of the document.
pub const QUICK_SCHEMA: &str = "drivelab.quick/1";

/// What a quick look comes to. `mb_s` are decimal megabytes a second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QuickDocument {
    /// [`QUICK_SCHEMA`].
    pub schema: &'static str,
    /// What was looked at.
    pub target: String,
    /// The seed of the random reads.
    pub seed: u64,
    /// Bytes of the target.
    pub size_bytes: u64,
    /// Bytes of a logical block.
    pub logical_block_bytes: u32,
    /// The mean of the rates of all places.
    pub read_mb_s: Option<f64>,
    /// The same of writing.
    pub write_mb_s: Option<f64>,
    /// Random single-block reads, one at a time.
    pub access_time_ns: Option<AccessDocument>,
    /// Places of a whole curve.
    pub places_asked: u64,
    /// The places that were measured, in the order of their addresses.
    pub curve: Vec<PlaceDocument>,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know.
    pub notices: Vec<String>,
    /// What it took by a meter; absent where none was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
}

/// The time of an access.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct AccessDocument {
    /// How many reads.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// Their sample standard deviation.
    pub stddev: f64,
    /// The longest.
    pub max: u64,
}

/// A place.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlaceDocument {
    /// Its first logical block.
    pub lba: u64,
    /// The rate of reading.
    pub read_mb_s: Option<f64>,
    /// The rate of writing.
    pub write_mb_s: Option<f64>,
}

impl QuickDocument {
    /// The document of a quick look.
    pub fn of(report: &QuickReport) -> QuickDocument {
        let megabytes = |points: &[CurvePoint]| mean_rate(points).map(|rate| rate / 1e6);
        let access = &report.access;
        QuickDocument {
            schema: QUICK_SCHEMA,
            target: report.target.clone(),
            seed: report.seed,
            size_bytes: report.size_bytes,
            logical_block_bytes: report.logical_block,
            read_mb_s: megabytes(&report.read),
            write_mb_s: report.write.as_deref().and_then(megabytes),
            access_time_ns: access.mean().zip(access.max()).map(|(mean, max)| AccessDocument {
                count: access.count(),
                mean,
                stddev: access.stddev().unwrap_or(0.0),
                max,
            }),
            places_asked: report.places_asked,
            curve: curve(report),
            conditions: report.conditions.clone(),
            notices: report.notices.clone(),
            energy: report.energy.clone(),
        }
    }
}

fn curve(report: &QuickReport) -> Vec<PlaceDocument> {
    let writes = report.write.as_deref().unwrap_or_default();
    let mut starts: Vec<_> = report.read.iter().chain(writes).map(|point| point.start).collect();
    starts.sort_unstable();
    starts.dedup();
    let rate_at = |points: &[CurvePoint], start| {
        points.iter().find(|point| point.start == start).map(|point| point.rate() / 1e6)
    };
    let place = |start: drivelab_block::Sector| PlaceDocument {
        lba: start.byte_offset() / u64::from(report.logical_block.max(1)),
        read_mb_s: rate_at(&report.read, start),
        write_mb_s: rate_at(writes, start),
    };
    starts.into_iter().map(place).collect()
}
