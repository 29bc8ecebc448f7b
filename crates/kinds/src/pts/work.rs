//! What tests in rounds do: one after the other.

use super::findings::{PtsFindings, PtsTestFindings};
use super::plan::PtsSeries;
use super::running::run_test;
use super::{MeasuredLoad, Pts, PtsRequest};
use crate::{CellDrive, CellTest};

impl CellTest for Pts {
    type Cell = PtsRequest;
    type Measured = MeasuredLoad;

    /// Runs the tests, and has what is known kept after each round.
    fn run<D: CellDrive<Pts>>(
        series: &PtsSeries,
        drive: &mut D,
        findings: &mut PtsFindings,
    ) -> Result<(), D::Error> {
        for test in &series.tests {
            let before = findings.tests.len();
            let mut take = |drive: &mut D, running: &PtsTestFindings| {
                findings.tests.truncate(before);
                findings.tests.push(running.clone());
                // What is not kept now is kept after the next round, and where it is not, the end of the run reports it.
                let _ = drive.keep(findings);
            };
            let (result, ended) = run_test(&series.plan, *test, drive, &mut take);
            take(drive, &result);
            ended?;
            if !result.whole {
                break;
            }
        }
        Ok(())
    }
}
