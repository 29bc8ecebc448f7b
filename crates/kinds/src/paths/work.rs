//! What a comparison of paths does: every cell in its turn.

use super::notices;
use super::plan::Cell;
use super::{PathRun, Paths, PathsFindings, PathsPlan};
use crate::{CellDrive, CellTest};

/// A run of a cell that was written to its end.
#[derive(Clone, Copy, Debug)]
pub struct WrittenCell {
    /// Bytes of the longest write.
    pub request_bytes: u64,
    /// What it took.
    pub run: PathRun,
}

impl CellTest for Paths {
    type Cell = Cell;
    type Measured = WrittenCell;

    /// Runs all cells, and keeps what there is after each block of runs. What was found before something broke stays in
    /// `findings`.
    fn run<D: CellDrive<Paths>>(
        plan: &PathsPlan,
        drive: &mut D,
        findings: &mut PathsFindings,
    ) -> Result<(), D::Error> {
        let cells = plan.cells();
        let ended = cells.chunk_by(|one, next| one.run == next.run).try_for_each(|block| {
            if drive.is_interrupted() {
                return Ok(());
            }
            drive.check_target()?;
            run_block(block, drive, findings)?;
            drive.keep(findings)
        });
        if ended.is_err() && findings.cells.is_empty() {
            return ended;
        }
        for notice in notices::collect(plan, findings) {
            drive.notice(notice);
        }
        ended.and(drive.keep(findings))
    }
}

fn run_block<D: CellDrive<Paths>>(
    cells: &[Cell],
    drive: &mut D,
    findings: &mut PathsFindings,
) -> Result<(), D::Error> {
    for cell in cells {
        if drive.is_interrupted() {
            break;
        }
        if let Some(WrittenCell { request_bytes, run }) = drive.measure(cell)? {
            let run = PathRun { run: cell.run, place: findings.cell_runs(), ..run };
            findings.take(cell, request_bytes, run);
        }
    }
    Ok(())
}
