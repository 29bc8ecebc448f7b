//! Cells in panels: one for each kind of work, way of caching and scheduler, with a line for each file system.

use super::document::{MatrixCellDocument, MatrixDocument};

/// The cells of one panel.
pub(super) struct Panel<'a> {
    /// What they have in common.
    pub name: String,
    /// What their rates are in.
    pub unit: &'static str,
    /// Numbers of threads, ascending.
    pub threads: Vec<u16>,
    /// What tells them apart besides threads; one empty name on a simulated drive.
    pub lines: Vec<&'static str>,
    cells: Vec<&'a MatrixCellDocument>,
}

impl Panel<'_> {
    /// The cell of a line at a number of threads.
    pub fn cell(&self, line: &str, threads: u16) -> Option<&MatrixCellDocument> {
        self.cells.iter().find(|cell| cell.threads == threads && cell.fs.unwrap_or("") == line).copied()
    }
}

/// The panels of a matrix, in the order of its cells.
pub(super) fn panels(document: &MatrixDocument) -> Vec<Panel<'_>> {
    let mut found: Vec<Panel<'_>> = Vec::new();
    for cell in &document.cells {
        let name = panel_of(cell);
        let index = found.iter().position(|panel| panel.name == name).unwrap_or_else(|| {
            let (threads, lines, cells) = (Vec::new(), Vec::new(), Vec::new());
            found.push(Panel { name, unit: cell.unit, threads, lines, cells });
            found.len() - 1
        });
        let panel = &mut found[index];
        let line = cell.fs.unwrap_or("");
        if !panel.lines.contains(&line) {
            panel.lines.push(line);
        }
        if !panel.threads.contains(&cell.threads) {
            panel.threads.push(cell.threads);
        }
        panel.cells.push(cell);
    }
    for panel in &mut found {
        panel.threads.sort_unstable();
        // In the order in which file systems are known, whichever cell came first.
        let place = |line: &&str| drivelab_block::FileSystem::ALL.iter().position(|fs| fs.word() == *line);
        panel.lines.sort_by_key(place);
    }
    found
}

/// The panel that a cell belongs to: its work, way of caching and scheduler.
fn panel_of(cell: &MatrixCellDocument) -> String {
    let words = [Some(cell.work), cell.caching, cell.scheduler.as_deref()];
    words.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
