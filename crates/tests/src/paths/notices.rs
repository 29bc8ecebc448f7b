//! What a reader has to know of a comparison of paths.

use drivelab_block::{ByteCount, Nanos};
use drivelab_record::Severity;
use drivelab_view::format;

use super::plan::REQUEST;
use super::{PathsFindings, PathsPlan, PathsSettings};

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
pub(super) fn of(plan: &PathsPlan, findings: &PathsFindings) -> Vec<(Severity, String)> {
    let (mut found, measured) = (Vec::new(), findings.cell_runs());
    if measured < findings.cell_runs_asked {
        let text = format!("{measured} of {} runs of cells were measured.", findings.cell_runs_asked);
        found.push((Severity::Warning, text));
    }
    let runs = findings.cells.iter().flat_map(|cell| &cell.runs);
    let watched = runs.filter(|run| run.processors.is_some());
    let short: Vec<u64> = watched.map(|run| run.elapsed_ns).filter(|time| *time < SHORT.get()).collect();
    if let Some(least) = short.iter().min() {
        let text = format!(
            "{} of {measured} runs of cells took less than {SHORT} (the shortest {}): the kernel counts the time of its \
             processors in ticks of 10 ms, so such shares are coarse; --cell-bytes makes runs longer.",
            short.len(),
            format::nanos(*least as f64)
        );
        found.push((Severity::Note, text));
    }
    let is_cut = |request: u64, file: u64| request < REQUEST.get().min(file);
    let cut = findings.cells.iter().filter(|cell| is_cut(cell.request_bytes, cell.file_bytes));
    if let Some(cell) = cut.min_by_key(|cell| cell.request_bytes) {
        let text = format!(
            "{} wrote in requests of {} bytes, the longest that surely are one command here, with as many bytes in flight.",
            cell.path.word(),
            cell.request_bytes
        );
        found.push((Severity::Note, text));
    }
    if plan.runs == 1 {
        found.push((Severity::Note, "One run has no interval: add --runs.".to_owned()));
    }
    found
}
