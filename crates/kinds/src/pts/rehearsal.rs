//! What tests will ask of a drive, found by going through them without one.

use std::convert::Infallible;

use drivelab_block::{ByteCount, Nanos};
use drivelab_documents::Notice;
use drivelab_stats::PtsSample;

use super::asked::{MeasuredLoad, PtsRequest};
use super::plan::PtsPlan;
use super::running::run_test;
use super::settings::PtsTest;
use super::{Pts, PtsFindings};
use crate::CellDrive;

/// What tests will ask of a drive. What their cells write depends on the drive, and is not in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rehearsed {
    /// Bytes that are written before cells.
    pub preconditioned: ByteCount,
    /// How long cells and idle times last where each test is steady as early as it can be.
    pub fewest: Nanos,
    /// The same where none ever is.
    pub most: Nanos,
}

/// Goes through tests; saturation, which lasts as long as its writes do, is left out.
pub fn rehearse(plan: &PtsPlan, tests: &[PtsTest]) -> Rehearsed {
    let run = |is_steady| {
        let mut rehearsal = PtsRehearsal { is_steady, loads: 0, lasts: Nanos::ZERO, preconditioned: 0 };
        for test in tests.iter().filter(|test| **test != PtsTest::Saturation) {
            let (_, Ok(())) = run_test(plan, *test, &mut rehearsal, |_, _| {});
        }
        rehearsal
    };
    let (steady, unsteady) = (run(true), run(false));
    Rehearsed {
        preconditioned: ByteCount::new(steady.preconditioned),
        fewest: steady.lasts,
        most: unsteady.lasts,
    }
}

/// A drive that is always as fast, or never.
struct PtsRehearsal {
    is_steady: bool,
    loads: u64,
    lasts: Nanos,
    preconditioned: u64,
}

impl CellDrive<Pts> for PtsRehearsal {
    type Error = Infallible;

    fn check_target(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn measure(&mut self, asked: &PtsRequest) -> Result<Option<MeasuredLoad>, Infallible> {
        let load = match asked {
            PtsRequest::Purge { .. } => return Ok(Some(MeasuredLoad::default())),
            PtsRequest::Rest(time) => {
                self.lasts = self.lasts + *time;
                return Ok(Some(MeasuredLoad::default()));
            }
            PtsRequest::Load(load) => load,
        };
        self.loads += 1;
        self.lasts = self.lasts + load.stop.duration.unwrap_or(Nanos::ZERO);
        self.preconditioned += load.stop.bytes.map_or(0, ByteCount::get);
        // No five rounds of growth by a half lie within a fifth of their mean.
        let figure = if self.is_steady { 1.0 } else { 1.5_f64.powi((self.loads % 1000) as i32) };
        let sample = PtsSample {
            iops: figure,
            mb_s: figure,
            mean_ns: figure,
            p50_ns: 1,
            p99_ns: 1,
            p99_9_ns: 1,
            p99_99_ns: 1,
            max_ns: 1,
        };
        Ok(Some(MeasuredLoad { sample, ..MeasuredLoad::default() }))
    }

    fn is_interrupted(&self) -> bool {
        false
    }

    fn notice(&mut self, _notice: Notice) {}

    fn say(&mut self, _text: &str) {}

    fn keep(&mut self, _findings: &PtsFindings) -> Result<(), Infallible> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteRange, Geometry};
    use drivelab_workload::Seed;

    use super::*;
    use crate::PurgeOption;

    #[test]
    fn rounds_last_from_five_to_twenty_five_and_the_range_is_written_twice_before() {
        let plan = PtsPlan {
            geometry: Geometry {
                capacity: ByteCount::new(1 << 30),
                logical_block: 512,
                physical_block: 4096,
            },
            range: ByteRange::new(ByteCount::new(0), ByteCount::new(1 << 30)),
            purge: PurgeOption::Discard,
            one_pass: None,
            round: Nanos::from_secs(60),
            queue_depth: 32,
            seed: Seed::new(1),
        };
        let iops = rehearse(&plan, &[PtsTest::Iops, PtsTest::Saturation]);
        assert_eq!(iops.preconditioned, ByteCount::new(2 << 30));
        assert_eq!(iops.fewest, Nanos::from_secs(60 * 56 * 5));
        assert_eq!(iops.most, Nanos::from_secs(60 * 56 * 25));
        let idle = rehearse(&plan, &[PtsTest::IdleRecovery]);
        assert_eq!(idle.fewest, idle.most, "it waits for nothing");
    }
}
