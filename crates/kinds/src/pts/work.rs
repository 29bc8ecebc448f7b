//! What tests in rounds do: one after the other.

use super::findings::{PtsFindings, PtsTestFindings};
use super::plan::PtsSeries;
use super::running::{PtsTestResult, run_test};
use crate::Bench;

/// Runs the tests, and shows what is known to `known` after each round.
pub(super) fn run<B: Bench>(
    series: &PtsSeries,
    bench: &mut B,
    findings: &mut PtsFindings,
    mut known: impl FnMut(&B, &PtsFindings),
) -> Result<(), B::Error> {
    for test in &series.tests {
        let before = findings.tests.len();
        let mut take = |bench: &B, running: &PtsTestResult| {
            findings.tests.truncate(before);
            findings.tests.push(PtsTestFindings::from_result(running));
            known(bench, findings);
        };
        let (result, ended) = run_test(&series.plan, *test, bench, &mut take);
        take(bench, &result);
        ended?;
        if !result.is_whole {
            break;
        }
    }
    Ok(())
}
