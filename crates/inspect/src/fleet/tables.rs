//! The tables of a fleet.

use drivelab_fleet::FleetFindings;
use drivelab_view::{Better, Cell, Column, Quantity, Table, Value};

/// How many results are on the page, the newest ones; the document has all of them.
const RESULTS_SHOWN: usize = 1_000;

fn words(head: &str) -> Column {
    Column::new(head, Quantity::Number)
}

fn optional(text: Option<&String>) -> Cell {
    text.map_or(Cell::Nothing, Cell::text)
}

fn micros(value: Option<f64>) -> Cell {
    Cell::number(Quantity::Nanoseconds, value.map(|micros| micros * 1e3))
}

fn share(ppm: f64) -> Cell {
    Value::new(Quantity::Share, ppm / 1e6).into()
}

fn counted(number: u64) -> Cell {
    Cell::count(Quantity::Count, Some(number))
}

/// Drives unlike the others of their model.
pub fn outside_peers(found: &FleetFindings) -> Table {
    let columns = vec![
        words("Drive"),
        words("Model"),
        words("Operation"),
        Column::new("Mean", Quantity::Nanoseconds),
        Column::new("Median of the model", Quantity::Nanoseconds),
        Column::new("Robust standard deviations", Quantity::Number),
        Column::new("Drives of the model", Quantity::Count),
        Column::new("I/Os", Quantity::Count),
    ];
    let mut table = Table::new("outside-peers", "Mean service times", "Host", columns);
    for row in &found.outside_peers {
        let cells = vec![
            Cell::text(&row.drive),
            Cell::text(&row.drive_model),
            Cell::text(row.operation.name()),
            micros(Some(row.mean_us)),
            micros(Some(row.median_us)),
            Cell::number(Quantity::Number, row.deviations),
            counted(row.peers),
            counted(row.ios),
        ];
        table.row(&row.host, cells);
    }
    table.notes.push(
        "Drives whose mean differs from the median of their model by more than 3.5 robust standard deviations (1.4826 median \
         absolute deviations) and more than one part in ten; models with at least five drives."
            .to_owned(),
    );
    table
}

/// Drives that got slower.
pub fn slower(found: &FleetFindings) -> Table {
    let columns = vec![
        words("Drive"),
        words("Model"),
        Column::new("p99 before", Quantity::Nanoseconds),
        Column::new("p99 in the last 7 days", Quantity::Nanoseconds),
        Column::new("Ratio", Quantity::Factor),
        Column::new("Reads before", Quantity::Count),
        Column::new("Reads in the last 7 days", Quantity::Count),
    ];
    let mut table = Table::new("slower-drives", "Service times of reads", "Host", columns);
    for row in &found.slower_drives {
        let cells = vec![
            Cell::text(&row.drive),
            optional(row.drive_model.as_ref()),
            micros(Some(row.p99_before_us)),
            micros(Some(row.p99_last_7_days_us)),
            Cell::number(Quantity::Factor, Some(row.ratio)),
            counted(row.reads_before),
            counted(row.reads_last_7_days),
        ];
        table.row(&row.host, cells);
    }
    table.notes.push(
        "Drives whose p99 of reads is larger by more than one part in ten in the last 7 days of their own data; at least 10,000 \
         reads in each of the two times."
            .to_owned(),
    );
    table
}

/// How long I/Os take on each model.
pub fn percentiles(found: &FleetFindings) -> Table {
    let time = |head| Column::new(head, Quantity::Nanoseconds).judged(Better::Low);
    let columns = vec![
        words("Firmware"),
        words("Operation"),
        time("p50"),
        time("p99"),
        time("p99.9"),
        Column::new("Drives", Quantity::Count),
        Column::new("Hosts", Quantity::Count),
        Column::new("I/Os", Quantity::Count),
        Column::new("Failed", Quantity::Count),
        Column::new("Moved", Quantity::Bytes),
    ];
    let mut table = Table::new("percentiles-by-model", "Service times of measured I/Os", "Model", columns);
    for row in &found.percentiles_by_model {
        let cells = vec![
            optional(row.firmware.as_ref()),
            Cell::text(row.operation.name()),
            micros(row.p50_us),
            micros(row.p99_us),
            micros(row.p999_us),
            counted(row.drives),
            counted(row.hosts),
            counted(row.ios),
            counted(row.failed_ios),
            Cell::count(Quantity::Bytes, Some(row.bytes)),
        ];
        table.row(row.drive_model.as_deref().unwrap_or("not known"), cells);
    }
    table.notes.push("Percentiles are the least values of buckets that are at most 0.8 % wide.".to_owned());
    table
}

/// What drives wrote to their flash.
pub fn amplification(found: &FleetFindings) -> Table {
    let columns = vec![
        words("Firmware"),
        Column::new("Write amplification", Quantity::Factor),
        Column::new("Least of a run", Quantity::Factor),
        Column::new("Most of a run", Quantity::Factor),
        Column::new("Written by hosts", Quantity::Bytes),
        Column::new("Written to the flash", Quantity::Bytes),
        Column::new("Runs", Quantity::Count),
        Column::new("Hosts", Quantity::Count),
    ];
    let mut table = Table::new("write-amplification", "Counters of drives over whole runs", "Model", columns);
    for row in &found.write_amplification {
        let factor = |value| Cell::number(Quantity::Factor, Some(value));
        let cells = vec![
            optional(row.firmware.as_ref()),
            factor(row.write_amplification),
            factor(row.least),
            factor(row.most),
            Cell::count(Quantity::Bytes, Some(row.host_bytes_written)),
            Cell::count(Quantity::Bytes, Some(row.flash_bytes_written)),
            counted(row.runs),
            counted(row.hosts),
        ];
        table.row(row.drive_model.as_deref().unwrap_or("not known"), cells);
    }
    table
}

/// The drives with the largest shares of slow I/Os.
pub fn slowest(found: &FleetFindings) -> Table {
    let columns = vec![
        words("Drive"),
        words("Model"),
        Column::new("Slow I/Os", Quantity::Share),
        Column::new("Standard error", Quantity::Share),
        Column::new("At least", Quantity::Share),
        Column::new("Intervals", Quantity::Count),
        Column::new("I/Os", Quantity::Count),
    ];
    let caption = "I/Os that take longer than the p99.9 of all drives of the model";
    let mut table = Table::new("slowest-drives", caption, "Host", columns);
    for row in &found.slowest_drives {
        let cells = vec![
            Cell::text(&row.drive),
            optional(row.drive_model.as_ref()),
            share(row.slow_ppm),
            row.standard_error_ppm.map_or(Cell::Nothing, share),
            row.lower_bound_ppm.map_or(Cell::Nothing, share),
            counted(row.intervals),
            counted(row.ios),
        ];
        table.row(&row.host, cells);
    }
    table.notes.push(
        "Over all drives of a model the share is 0.1 % or somewhat less. The standard error takes intervals of five minutes as \
         units; the true share is above the bound in 95 of 100 cases: of many drives that are alike, some have a bound slightly \
         above 0.1 % by chance. Both take 30 intervals."
            .to_owned(),
    );
    table
}

/// I/Os by the hour of the day.
pub fn hours(found: &FleetFindings) -> Table {
    let columns = vec![
        words("Operation"),
        Column::new("I/Os", Quantity::Count).with_bars(),
        Column::new("Slow I/Os", Quantity::Share).with_bars(),
        Column::new("p99", Quantity::Nanoseconds),
    ];
    let mut table = Table::new("hours-of-day", "Measured I/Os by the hour in UTC", "Hour", columns);
    for row in &found.hours_of_day {
        let cells = vec![
            Cell::text(row.operation.name()),
            counted(row.ios),
            share(row.slow_ppm),
            micros(Some(row.p99_us)),
        ];
        table.row(format!("{:02}:00", row.hour_utc), cells);
    }
    table
}

/// Every result.
pub fn reviews(found: &FleetFindings) -> Table {
    let columns = vec![
        words("Host"),
        words("Drive"),
        words("Model"),
        words("Kind"),
        words("Label"),
        Column::new("Rate", Quantity::Iops),
        Column::new("Throughput", Quantity::BytesPerSecond),
        Column::new("p99 of reads", Quantity::Nanoseconds),
        Column::new("p99 of writes", Quantity::Nanoseconds),
        Column::new("Write amplification", Quantity::Factor),
    ];
    let mut table = Table::new("results", "Results in the order in which they began", "Began", columns);
    let older = found.reviews.len().saturating_sub(RESULTS_SHOWN);
    for row in found.reviews.iter().skip(older) {
        let cells = vec![
            Cell::text(&row.host),
            optional(row.drive.as_ref()),
            optional(row.drive_model.as_ref()),
            Cell::text(&row.kind),
            optional(row.label.as_ref()),
            Cell::number(Quantity::Iops, row.iops),
            Cell::number(Quantity::BytesPerSecond, row.mb_s.map(|rate| rate * 1e6)),
            micros(row.read_p99_us),
            micros(row.write_p99_us),
            Cell::number(Quantity::Factor, row.write_amplification),
        ];
        table.row(&row.started, cells);
    }
    if older > 0 {
        table.notes.push(format!("{older} older results are in the document of --json."));
    }
    table
}
