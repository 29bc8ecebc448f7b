//! A plan in words, and what stands against one.

use drivelab_block::{ByteCount, Nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a drive, or the machine, did that leaves a test without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DriveError(pub String);

/// A plan in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// What would be done, in sentences without their final stop.
    pub sentences: Vec<String>,
    /// How many bytes would be written; none where that depends on the drive.
    pub written: Option<ByteCount>,
    /// What the time that it would take consists of, where that is known.
    pub time: Option<PlannedTime>,
}

/// What the time of a test consists of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlannedTime {
    /// How long the parts last that end by the clock, at most.
    pub timed: Nanos,
    /// How many bytes the other parts move, as fast as the drive goes.
    pub unpaced: ByteCount,
    /// How long the parts took when they were recorded whose requests wait for each other's answers: a drive that answers faster
    /// than the recorded one takes less, and a slower one more.
    pub recorded: Nanos,
    /// How long the parts last that write for a time what is read back after them: reading back takes about as long again, and
    /// longer on a drive that reads more slowly than it writes.
    pub read_back: Nanos,
}

impl std::ops::Add for PlannedTime {
    type Output = PlannedTime;

    fn add(self, other: PlannedTime) -> PlannedTime {
        PlannedTime {
            timed: self.timed + other.timed,
            unpaced: self.unpaced + other.unpaced,
            recorded: self.recorded + other.recorded,
            read_back: self.read_back + other.read_back,
        }
    }
}

impl PlannedTime {
    /// The rate by which the time of what is moved as fast as the drive goes is estimated, in bytes a second.
    pub const ASSUMED_RATE: f64 = 5e8;

    /// Parts that end by the clock alone.
    pub fn timed(timed: Nanos) -> PlannedTime {
        PlannedTime { timed, ..PlannedTime::default() }
    }

    /// How long all of it takes at most on a drive that moves this many bytes a second; about that long where parts of it take as
    /// long as they did when they were recorded, or what was written for a time is read back.
    pub fn at(self, bytes_per_s: f64) -> Nanos {
        self.timed
            + self.recorded
            + self.read_back
            + Nanos::from_secs_f64(self.unpaced.get() as f64 / bytes_per_s)
    }

    /// Whether its end is known from the clock and from what was moved until now, on any drive.
    pub fn is_bounded(self) -> bool {
        self.recorded == Nanos::ZERO
    }

    /// How long it takes at most on any drive; none where that depends on the drive.
    pub fn at_most(self) -> Option<Nanos> {
        (self.unpaced.get() == 0 && self.read_back == Nanos::ZERO && self.is_bounded()).then_some(self.timed)
    }
}

/// The document of a plan: what `--dry-run --json` prints.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlanDocument {
    /// The name and version of the document.
    pub schema: String,
    /// The target as it was typed.
    pub target: String,
    /// What would be done, in sentences without their final stop.
    pub sentences: Vec<String>,
    /// How many bytes would be written; null where that depends on the drive.
    pub written_bytes: Option<u64>,
    /// How long it would take at most, in seconds; null where that is not known, or depends on the drive.
    pub at_most_s: Option<f64>,
    /// How long the parts of it last at most that end by the clock, in seconds; null where that is not known.
    pub timed_s: Option<f64>,
    /// How many bytes the other parts move, as fast as the drive goes; null where that is not known.
    pub unpaced_bytes: Option<u64>,
    /// How long the parts took when they were recorded whose requests wait for each other's answers, in seconds: a slower drive
    /// takes longer; null where that is not known.
    pub recorded_s: Option<f64>,
    /// How long the parts last that write for a time what is read back after them, in seconds, which takes about as long again;
    /// null where that is not known.
    pub read_back_s: Option<f64>,
}

impl PlanDocument {
    /// The name and version of the document.
    pub const SCHEMA: &'static str = "drivelab.plan/2";

    /// The document of a plan for a target.
    pub fn from_outline(target: &str, outline: &Outline) -> PlanDocument {
        PlanDocument {
            schema: PlanDocument::SCHEMA.to_owned(),
            target: target.to_owned(),
            sentences: outline.sentences.clone(),
            written_bytes: outline.written.map(ByteCount::get),
            at_most_s: outline.time.and_then(PlannedTime::at_most).map(Nanos::as_secs_f64),
            timed_s: outline.time.map(|time| time.timed.as_secs_f64()),
            unpaced_bytes: outline.time.map(|time| time.unpaced.get()),
            recorded_s: outline.time.map(|time| time.recorded.as_secs_f64()),
            read_back_s: outline.time.map(|time| time.read_back.as_secs_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_back_takes_a_time_that_no_clock_bounds() {
        let writes = PlannedTime::timed(Nanos::from_secs(30));
        assert_eq!(writes.at_most(), Some(Nanos::from_secs(30)));
        let verified = PlannedTime { read_back: Nanos::from_secs(30), ..writes };
        assert_eq!((verified.at_most(), verified.at(1e9)), (None, Nanos::from_secs(60)));
    }
}
