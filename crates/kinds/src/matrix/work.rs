//! What a matrix does: every cell that is not there yet, in its turn.

use drivelab_documents::Notice;

use super::{CellOutcome, Matrix, MatrixFindings, MatrixProgress, MatrixSteps, PlannedCell};
use crate::{CellDrive, CellTest};

impl CellTest for Matrix {
    type Cell = PlannedCell;
    type Measured = CellOutcome;

    /// Measures all cells that are left, and keeps what there is after each.
    fn run<D: CellDrive<Matrix>>(
        matrix: &MatrixSteps,
        drive: &mut D,
        findings: &mut MatrixFindings,
    ) -> Result<(), D::Error> {
        let steps = matrix.steps();
        let mut progress = matrix.earlier.clone();
        let left: Vec<&PlannedCell> = steps.iter().filter(|step| !progress.has(step)).collect();
        let ended = left.into_iter().try_for_each(|step| {
            if drive.is_interrupted() {
                return Ok(());
            }
            let Some(outcome) = drive.measure(step)? else { return Ok(()) };
            let has_failed = outcome.is_err();
            progress.add(step, outcome);
            *findings = progress.findings(steps.len(), &matrix.input);
            drive.keep(findings)?;
            // Where one cell after the other fails, nothing is left that works.
            if has_failed { drive.check_target() } else { Ok(()) }
        });
        for notice in last_notices(matrix, &progress) {
            drive.notice(notice);
        }
        if drive.is_interrupted() {
            let text = format!(
                "{} of {} measurements were made.{}",
                progress.count(),
                steps.len(),
                matrix.input.goes_on_by.as_ref().map_or_else(String::new, |command| format!(
                    " `{command}` goes on, with the target confirmed again."
                ))
            );
            drive.say(&text);
            drive.notice(Notice::warning(text));
        }
        ended
    }
}

/// What has to be known after the last cell.
fn last_notices(matrix: &MatrixSteps, progress: &MatrixProgress) -> Vec<Notice> {
    let split: Vec<String> = progress.split_runs().iter().map(|run| (run + 1).to_string()).collect();
    // A simulated drive is made anew for each cell.
    let is_split = !split.is_empty() && matrix.settings.file_system_bytes.is_some();
    let split = is_split.then(|| {
        Notice::warning(format!(
            "Run {} was cut off and taken up again: what changed on the drive or the machine in between is within it, and is \
             not kept out of the comparisons.",
            split.join(", ")
        ))
    });
    let failed = progress.failed.iter();
    let failed = failed.map(|one| Notice::failure(format!("Measurements failed: {}.", one.why)));
    split.into_iter().chain(failed).collect()
}
