//! How cells are named, and what their rates are in.

use drivelab_analysis::MatrixCell;

/// The unit of a cell's rate, and what a rate is divided by.
pub(super) fn unit_of(cell: &MatrixCell) -> (&'static str, f64) {
    match () {
        () if cell.work.is_metadata() => ("files/s", 1.0),
        () if cell.work.is_random() => ("IOPS", 1.0),
        () => ("MB/s", 1e6),
    }
}

/// What a cell is, in words; what it does not have is left out.
pub fn name_of(cell: &MatrixCell) -> String {
    name_over_threads(cell, &[cell.threads])
}

/// The name of cells that differ from this one in their numbers of threads alone.
pub fn name_over_threads(cell: &MatrixCell, threads: &[u16]) -> String {
    let threads = match threads {
        [] | [0] => None,
        [1] => Some("1 thread".to_owned()),
        several => {
            Some(format!("{} threads", several.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")))
        }
    };
    let words = [
        Some(cell.work.word().to_owned()),
        cell.caching.map(|caching| caching.word().to_owned()),
        cell.scheduler.clone(),
        threads,
        cell.fs.map(|fs| fs.word().to_owned()),
    ];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
