//! The data behind every picture, as CSV with a head line (RFC 4180, line feeds).

use std::fmt::Write as _;

use drivelab_analysis::{Distribution, HeatMap};

use crate::names::file_stem;
use crate::numbers::rows;
use crate::run::{Comparison, RunReport};

/// Every table of a comparison as (file name, CSV): per run the seconds of the whole run, those of its steady
/// part and the cells of the heat map; for all runs the exceedance curves in full and the table of numbers.
pub fn csv(comparison: &Comparison) -> Vec<(String, String)> {
    let mut tables = Vec::new();
    for (index, run) in comparison.runs.iter().enumerate() {
        let stem = file_stem(run, index);
        tables.push((format!("{stem}-whole.csv"), seconds(run, 0)));
        tables.push((format!("{stem}-steady.csv"), seconds(run, run.figures.steady_part.from_s)));
        tables.push((format!("{stem}-heat.csv"), heat(run)));
    }
    tables.push(("exceedance.csv".to_owned(), exceedance(comparison)));
    tables.push(("numbers.csv".to_owned(), numbers(comparison)));
    tables
}

fn seconds(run: &RunReport, from_s: usize) -> String {
    let mut text =
        "t_s,reads,writes,discards_and_flushes,failed,read_bytes,written_bytes,service_max_ns\n".to_owned();
    let bins = run.seconds();
    for (second, bin) in bins.iter().enumerate().skip(from_s) {
        let _ = writeln!(
            text,
            "{second},{},{},{},{},{},{},{}",
            bin.reads, bin.writes, bin.others, bin.failed, bin.read_bytes, bin.written_bytes, bin.service_max
        );
    }
    text
}

fn heat(run: &RunReport) -> String {
    let mut text = "from_s,to_s,service_from_ns,service_below_ns,ios\n".to_owned();
    let heat = run.measured.heat();
    let column_s = heat.column_nanos() as f64 / 1e9;
    for (index, column) in heat.columns().enumerate() {
        let (from, to) = (index as f64 * column_s, (index + 1) as f64 * column_s);
        for (row, count) in column.iter().enumerate().filter(|(_, count)| **count > 0) {
            let (low, high) = (HeatMap::row_floor_nanos(row), HeatMap::row_floor_nanos(row + 1));
            let _ = writeln!(text, "{from},{to},{low},{high},{count}");
        }
    }
    text
}

fn exceedance(comparison: &Comparison) -> String {
    let mut text = "run,latency,at_least_ns,ios,share\n".to_owned();
    for run in &comparison.runs {
        curve(&mut text, &run.label, "service", &run.measured.service());
        if let Some(response) = run.measured.response() {
            curve(&mut text, &run.label, "response", &response);
        }
    }
    text
}

fn curve(text: &mut String, label: &str, kind: &str, distribution: &Distribution) {
    let count = distribution.moments().count() as f64;
    let label = field(label);
    for point in distribution.exceedance() {
        let share = point.at_least as f64 / count;
        let _ = writeln!(text, "{label},{kind},{},{},{share:e}", point.nanos, point.at_least);
    }
}

fn numbers(comparison: &Comparison) -> String {
    let mut text = "group,figure,unit".to_owned();
    for run in &comparison.runs {
        let _ = write!(text, ",{}", field(&run.label));
    }
    text.push('\n');
    for row in rows(comparison) {
        let _ = write!(text, "{},{},{}", field(&row.group), field(&row.name), row.unit);
        for cell in &row.cells {
            let _ =
                write!(text, ",{}", cell.value.map_or_else(|| field(&cell.text), |value| value.to_string()));
        }
        text.push('\n');
    }
    text
}

/// A field, quoted where it has to be. A leading sign that a spreadsheet would take for a formula is quoted
/// with an apostrophe, since names come from drives.
pub(crate) fn field(text: &str) -> String {
    let clean: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let clean = match clean.chars().next() {
        Some('=' | '+' | '@' | '-') if clean.len() > 1 => format!("'{clean}"),
        _ => clean,
    };
    if clean.contains([',', '"']) { format!("\"{}\"", clean.replace('"', "\"\"")) } else { clean }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_have_to_be() {
        assert_eq!(field("Granite G400, 25 %"), "\"Granite G400, 25 %\"");
        assert_eq!(field("a\"b"), "\"a\"\"b\"");
        assert_eq!(field("=1+1\n"), "'=1+1 ");
        assert_eq!(field("-"), "-");
    }
}
