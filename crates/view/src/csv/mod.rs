//! The values of a view as CSV files (RFC 4180, with line feeds).

mod chart;
mod field;
mod sheet;
mod tables;

use crate::{Block, View};

/// Every block of values of a view as (name of the file without its ending, text): one file for each [`crate::Figures`],
/// [`crate::Table`] and [`crate::Chart`], those of folds included. Blocks without values have none.
///
/// The files are for spreadsheets. A row is a thing, a column is a property of it: figures have a row for each subject, and so
/// have tables for each of their rows. The series of a chart are columns next to each other where their places are the same,
/// which is what a spreadsheet draws; where they are not, each value has a row with its series in a column, which is what a
/// spreadsheet filters. Heat maps have a row for each cell that counts something.
///
/// Numbers are in the base unit of their quantity, which the head of the column names (`p99_ns`, `mean_bytes_per_s`), in the
/// fewest digits that read back as the same number; a missing one is an empty field. The ends of intervals (`_low`, `_high`),
/// bounds (`_bound`: "at least", "at most") and the I/Os beyond a percentile where they are few (`_ios_beyond`) have columns of
/// their own where any value of the column has them, and so have words among numbers (`_note`). Texts that a spreadsheet would
/// take for formulas begin with `'`.
pub fn csv(view: &View) -> Vec<(String, String)> {
    let mut files: Vec<(String, String)> = Vec::new();
    for block in view.blocks() {
        match block {
            Block::Figures(figures) if !figures.rows.is_empty() => {
                add(&mut files, &figures.id, tables::figures(figures, &view.subjects));
            }
            Block::Table(table) if !table.rows.is_empty() => {
                add(&mut files, &table.id, tables::table(table, &view.subjects));
            }
            Block::Catalogue(catalogue) if !catalogue.rows.is_empty() => {
                add(&mut files, &catalogue.id, tables::table(&catalogue.table(), &view.subjects));
            }
            Block::Chart(chart) => {
                if let Some(text) = chart::series(chart, &view.subjects) {
                    add(&mut files, &chart.id, text);
                }
                if let Some((ending, text)) = chart::heat(chart, &view.subjects) {
                    add(&mut files, &format!("{}{ending}", chart.id), text);
                }
            }
            _ => {}
        }
    }
    files
}

/// Adds a file under a name that no other one has.
fn add(files: &mut Vec<(String, String)>, stem: &str, text: String) {
    let name = free_name(stem, '-', |name| files.iter().any(|(other, _)| other == name));
    files.push((name, text));
}

/// The name, with a number behind it where it is taken.
fn free_name(stem: &str, mark: char, is_taken: impl Fn(&str) -> bool) -> String {
    let numbered = (2..).map(|number| format!("{stem}{mark}{number}"));
    let mut names = [stem.to_owned()].into_iter().chain(numbered);
    names.find(|name| !is_taken(name)).unwrap_or_default()
}
