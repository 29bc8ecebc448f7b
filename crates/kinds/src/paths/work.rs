//! What a comparison of paths does: every cell in its turn.

use drivelab_block::{ByteCount, Nanos};
use drivelab_documents::Notice;
use drivelab_view::format;

use super::plan::{Cell, REQUEST};
use super::{PathCell, PathRun, Paths, PathsFindings, PathsPlan, PathsSettings};
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
        for notice in collect(plan, findings) {
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

/// A run of a cell that is shorter has fewer than 50 of the kernel's ticks on each processor.
const SHORT: Nanos = Nanos::from_millis(500);

/// Which lengths of files are not those that were asked for.
pub fn rounded_lengths(settings: &PathsSettings, plan: &PathsPlan) -> Option<String> {
    let both = settings.file_bytes.iter().zip(&plan.sizes);
    let rounded: Vec<String> = both
        .filter(|(asked, written)| **asked != written.get())
        .map(|(asked, written)| format!("{} to {} bytes", ByteCount::new(*asked), written.get()))
        .collect();
    (!rounded.is_empty())
        .then(|| format!("The lengths of files are rounded up to whole blocks: {}.", rounded.join(", ")))
}

/// What is only known when the runs are there.
pub(super) fn collect(plan: &PathsPlan, findings: &PathsFindings) -> Vec<Notice> {
    let (mut found, measured) = (Vec::new(), findings.cell_runs());
    if measured < findings.cell_runs_asked {
        let text = format!("{measured} of {} runs of cells were measured.", findings.cell_runs_asked);
        found.push(Notice::warning(text));
    }
    let runs = findings.cells.iter().flat_map(|cell| &cell.runs);
    let watched = runs.filter(|run| run.processors.is_some());
    let short: Vec<u64> = watched.map(|run| run.elapsed_ns).filter(|time| *time < SHORT.get()).collect();
    if let Some(least) = short.iter().min() {
        found.push(Notice::note(format!(
            "{} of {measured} runs of cells took less than {SHORT} (the shortest {}): the kernel counts the time of its \
             processors in ticks of 10 ms, so such shares are coarse; --cell-bytes makes runs longer.",
            short.len(),
            format::nanos(*least as f64)
        )));
    }
    let is_cut = |request: u64, file: u64| request < REQUEST.get().min(file);
    let cut = findings.cells.iter().filter(|cell| is_cut(cell.request_bytes, cell.file_bytes));
    if let Some(cell) = cut.min_by_key(|cell| cell.request_bytes) {
        found.push(Notice::note(format!(
            "{} wrote in requests of {} bytes, the longest that surely are one command here, with as many bytes in flight.",
            cell.path.word(),
            cell.request_bytes
        )));
    }
    found.extend(busy_before(findings).map(Notice::warning));
    if plan.runs == 1 {
        found.push(Notice::note("One run has no interval: add --runs."));
    }
    found
}

/// The share of the time of all processors from which on a machine is not idle.
const BUSY_SHARE: f64 = 0.1;

/// That other programs ran in the windows in which the machine was to be idle.
fn busy_before(findings: &PathsFindings) -> Option<String> {
    let before = |cell: &PathCell| Some(cell.processors?.before);
    let busy: Vec<f64> = findings
        .cells
        .iter()
        .filter_map(before)
        .map(|shares| shares.busy() + shares.steal)
        .filter(|share| *share >= BUSY_SHARE)
        .collect();
    let most = busy.iter().copied().reduce(f64::max)?;
    Some(format!(
        "The machine was busy before {} of {} cells, up to {} of its processors' time: rates, and what the processors did while \
         it was written, are those of a machine that other programs use, too.",
        busy.len(),
        findings.cells.len(),
        format::percent(most)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::{ProcessorShares, ProcessorUse};

    #[test]
    fn a_machine_that_was_busy_before_a_cell_is_named() {
        let idle = ProcessorShares { user: 0.02, system: 0.01, iowait: 0.0, idle: 0.97, steal: 0.0 };
        let busy = ProcessorShares { user: 0.9, system: 0.07, iowait: 0.0, idle: 0.03, steal: 0.0 };
        let cell = |before| PathCell {
            processors: Some(ProcessorUse { before, during: busy, after: idle }),
            ..PathCell::begin((crate::paths::DataPath::Raw, 1, 1), PathRun::default())
        };
        let of = |cells| busy_before(&PathsFindings { cells, ..PathsFindings::default() });
        assert_eq!(of(vec![cell(idle)]), None);
        let said = of(vec![cell(idle), cell(busy)]).expect("one was busy");
        assert!(said.starts_with("The machine was busy before 1 of 2 cells, up to 97 %"), "{said}");
    }
}
