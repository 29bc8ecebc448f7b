//! What a comparison of paths does: every cell in its turn.

use drivelab_record::Severity;

use super::notices;
use super::plan::Cell;
use super::{PathRun, PathsFindings, PathsPlan};

/// What cells are written on, on a real machine or on a simulated drive.
pub trait PathsBench {
    /// Why a comparison cannot go on.
    type Error;

    /// Checks again, before a block of runs, that the target is the one that was cleared for writing.
    ///
    /// # Errors
    /// Where it is not.
    fn check_target(&mut self) -> Result<(), Self::Error>;

    /// Writes a cell, which is the one of this number in the order of all; none where the user ended it before it was whole.
    ///
    /// # Errors
    /// Where it cannot be written.
    fn write(&mut self, cell: &Cell, number: u64) -> Result<Option<WrittenCell>, Self::Error>;

    /// Whether the user, or the drive's temperature, wants the comparison to end.
    fn is_interrupted(&self) -> bool;

    /// Notes something that the reader of the result has to know.
    fn notice(&mut self, severity: Severity, text: String);

    /// Keeps what was found so far.
    ///
    /// # Errors
    /// Where it cannot be kept.
    fn found(&mut self, findings: &PathsFindings) -> Result<(), Self::Error>;
}

/// A run of a cell that was written to its end.
#[derive(Clone, Copy, Debug)]
pub struct WrittenCell {
    /// Bytes of the longest write.
    pub request_bytes: u64,
    /// What it took.
    pub run: PathRun,
}

/// Runs all cells, and keeps what there is after each block of runs. What was found before something broke stays in `findings`.
///
/// # Errors
/// Those of the bench.
pub fn run<B: PathsBench>(
    plan: &PathsPlan,
    bench: &mut B,
    findings: &mut PathsFindings,
) -> Result<(), B::Error> {
    let cells = plan.cells();
    let ended = cells.chunk_by(|one, next| one.run == next.run).enumerate().try_for_each(|(block, cells)| {
        if bench.is_interrupted() {
            return Ok(());
        }
        bench.check_target()?;
        run_block(block as u64 * cells.len() as u64, cells, bench, findings)?;
        bench.found(findings)
    });
    if ended.is_err() && findings.cells.is_empty() {
        return ended;
    }
    for (severity, text) in notices::collect(plan, findings) {
        bench.notice(severity, text);
    }
    ended.and(bench.found(findings))
}

fn run_block<B: PathsBench>(
    first: u64,
    cells: &[Cell],
    bench: &mut B,
    findings: &mut PathsFindings,
) -> Result<(), B::Error> {
    for (cell, number) in cells.iter().zip(first..) {
        if bench.is_interrupted() {
            break;
        }
        if let Some(WrittenCell { request_bytes, run }) = bench.write(cell, number)? {
            let run = PathRun { run: cell.run, place: findings.cell_runs(), ..run };
            findings.take(cell, request_bytes, run);
        }
    }
    Ok(())
}
