//! A row for each run of a command that was run several times.

use drivelab_record::EstimateDocument;
use drivelab_view::{Block, Columns, Quantity, Row, Section};

use super::{Energy, EnergyRun};
use crate::Comparison;
use crate::estimate::estimate;

/// The runs of the results that have several; nothing where none has.
pub(super) fn section(compared: &Comparison<'_, Energy>) -> Option<Section> {
    let found = |quantity, of: Option<EstimateDocument>| of.map(|of| estimate(quantity, of));
    let (watts, joules, per_gb) = (Quantity::Watts, Quantity::Joules, Quantity::JoulesPerGigabyte);
    let columns = Columns::<EnergyRun>::new()
        .with("Time", Quantity::Seconds, |run| run.duration_s)
        .with("Mean power", watts, |run| found(watts, run.watts))
        .with("Energy", joules, |run| found(joules, run.joules))
        .with("Energy above idle", joules, |run| found(joules, run.joules_above_idle))
        .with("Energy per gigabyte", per_gb, |run| found(per_gb, run.joules_per_gb));
    let mut table = columns.table("runs", "What each run took", "Run");
    for one in compared.iter() {
        let rows = (1..).zip(&one.findings.runs);
        table.rows.extend(rows.map(|(number, run)| Row {
            subject: None,
            ..one.grouped_row(head(number, run), columns.cells(run))
        }));
    }
    if table.rows.is_empty() {
        return None;
    }
    table.leave_out_empty_columns();
    let note = "Behind ± stands twice the standard uncertainty of the run.";
    table.notes.push(note.to_owned());
    Some(Section::summary(Some("Runs"), vec![Block::Table(table)]))
}

fn head(number: usize, run: &EnergyRun) -> String {
    match run.exit_code {
        Some(0) if run.joules.is_none() => format!("{number} (energy not known, in no mean)"),
        Some(0) => number.to_string(),
        Some(code) => format!("{number} (exit code {code}, in no mean)"),
        None => format!("{number} (ended by a signal, in no mean)"),
    }
}
