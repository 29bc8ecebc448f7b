//! The tables of a fleet.

use drivelab_export::fleet::{
    AmplificationRow, FleetFindings, HourRow, PeerRow, PercentileRow, ReviewRow, SlowerRow, SlowestRow,
};
use drivelab_view::Quantity::{Bytes, BytesPerSecond, Count, Factor, Iops, Nanoseconds, Number, Share};
use drivelab_view::{Better, Columns, Table};

/// How many results are on the page, the newest ones; the document has all of them.
const RESULTS_SHOWN: usize = 1_000;

/// Drives unlike the others of their model.
pub fn outside_peers(found: &FleetFindings) -> Table {
    let columns = Columns::<PeerRow>::new()
        .words("Drive", |row| row.drive.clone())
        .words("Model", |row| row.drive_model.clone())
        .words("Operation", |row| row.operation.word().to_owned())
        .with("Mean", Nanoseconds, |row| row.mean_us * 1e3)
        .with("Median of the model", Nanoseconds, |row| row.median_us * 1e3)
        .with("Robust standard deviations", Number, |row| row.deviations)
        .with("Drives of the model", Count, |row| row.peers)
        .with("I/Os", Count, |row| row.ios);
    let named = ("outside-peers", "Mean service times", "Host");
    columns.filled(named, &found.outside_peers, |row| &row.host).with_note(
        "Drives whose mean differs from the median of their model by more than 3.5 robust standard deviations (1.4826 median \
         absolute deviations) and more than one part in ten; models with at least five drives.",
    )
}

/// Drives that got slower.
pub fn slower(found: &FleetFindings) -> Table {
    let columns = Columns::<SlowerRow>::new()
        .words("Drive", |row| row.drive.clone())
        .words("Model", |row| row.drive_model.clone())
        .with("p99 before", Nanoseconds, |row| row.p99_before_us * 1e3)
        .with("p99 in the last 7 days", Nanoseconds, |row| row.p99_last_7_days_us * 1e3)
        .with("Ratio", Factor, |row| row.ratio)
        .with("Reads before", Count, |row| row.reads_before)
        .with("Reads in the last 7 days", Count, |row| row.reads_last_7_days);
    let named = ("slower-drives", "Service times of reads", "Host");
    columns.filled(named, &found.slower_drives, |row| &row.host).with_note(
        "Drives whose p99 of reads is larger by more than one part in ten in the last 7 days of their own data; at least 10,000 \
         reads in each of the two times.",
    )
}

/// How long I/Os take on each model.
pub fn percentiles(found: &FleetFindings) -> Table {
    let micros = |value: Option<f64>| value.map(|micros| micros * 1e3);
    let columns = Columns::<PercentileRow>::new()
        .words("Firmware", |row| row.firmware.clone())
        .words("Operation", |row| row.operation.word().to_owned())
        .with("p50", Nanoseconds, |row| micros(row.p50_us))
        .judged(Better::Low)
        .with("p99", Nanoseconds, |row| micros(row.p99_us))
        .judged(Better::Low)
        .with("p99.9", Nanoseconds, |row| micros(row.p999_us))
        .judged(Better::Low)
        .with("Drives", Count, |row| row.drives)
        .with("Hosts", Count, |row| row.hosts)
        .with("I/Os", Count, |row| row.ios)
        .with("Failed", Count, |row| row.failed_ios)
        .with("Moved", Bytes, |row| row.bytes);
    let named = ("percentiles-by-model", "Service times of measured I/Os", "Model");
    let model = |row: &PercentileRow| row.drive_model.clone().unwrap_or_else(|| "not known".to_owned());
    columns
        .filled(named, &found.percentiles_by_model, model)
        .with_note("Percentiles are the least values of buckets that are at most 0.8 % wide.")
}

/// What drives wrote to their flash.
pub fn amplification(found: &FleetFindings) -> Table {
    let columns = Columns::<AmplificationRow>::new()
        .words("Firmware", |row| row.firmware.clone())
        .with("Write amplification", Factor, |row| row.write_amplification)
        .with("Least of a run", Factor, |row| row.least)
        .with("Most of a run", Factor, |row| row.most)
        .with("Written by hosts", Bytes, |row| row.host_bytes_written)
        .with("Written to the flash", Bytes, |row| row.flash_bytes_written)
        .with("Runs", Count, |row| row.runs)
        .with("Hosts", Count, |row| row.hosts);
    let named = ("write-amplification", "Counters of drives over whole runs", "Model");
    let model = |row: &AmplificationRow| row.drive_model.clone().unwrap_or_else(|| "not known".to_owned());
    columns.filled(named, &found.write_amplification, model)
}

/// The drives with the largest shares of slow I/Os.
pub fn slowest(found: &FleetFindings) -> Table {
    let columns = Columns::<SlowestRow>::new()
        .words("Drive", |row| row.drive.clone())
        .words("Model", |row| row.drive_model.clone())
        .with("Slow I/Os", Share, |row| row.slow_ppm / 1e6)
        .with("Standard error", Share, |row| row.standard_error_ppm.map(|ppm| ppm / 1e6))
        .with("At least", Share, |row| row.lower_bound_ppm.map(|ppm| ppm / 1e6))
        .with("Intervals", Count, |row| row.intervals)
        .with("I/Os", Count, |row| row.ios);
    let caption = "I/Os that take longer than the p99.9 of all drives of the model";
    let named = ("slowest-drives", caption, "Host");
    columns.filled(named, &found.slowest_drives, |row| &row.host).with_note(
        "Over all drives of a model the share is 0.1 % or somewhat less. The standard error takes intervals of five minutes as \
         units; the true share is above the bound in 95 of 100 cases: of many drives that are alike, some have a bound slightly \
         above 0.1 % by chance. Both take 30 intervals.",
    )
}

/// I/Os by the hour of the day.
pub fn hours(found: &FleetFindings) -> Table {
    let columns = Columns::<HourRow>::new()
        .words("Operation", |row| row.operation.word().to_owned())
        .with("I/Os", Count, |row| row.ios)
        .with_bars()
        .with("Slow I/Os", Share, |row| row.slow_ppm / 1e6)
        .with_bars()
        .with("p99", Nanoseconds, |row| row.p99_us * 1e3);
    let named = ("hours-of-day", "Measured I/Os by the hour in UTC", "Hour");
    columns.filled(named, &found.hours_of_day, |row| format!("{:02}:00", row.hour_utc))
}

/// Every result.
pub fn reviews(found: &FleetFindings) -> Table {
    let micros = |value: Option<f64>| value.map(|micros| micros * 1e3);
    let columns = Columns::<ReviewRow>::new()
        .words("Host", |row| row.host.clone())
        .words("Drive", |row| row.drive.clone())
        .words("Model", |row| row.drive_model.clone())
        .words("Kind", |row| row.kind.clone())
        .words("Label", |row| row.label.clone())
        .with("Rate", Iops, |row| row.iops)
        .with("Throughput", BytesPerSecond, |row| row.mb_s.map(|rate| rate * 1e6))
        .with("p99 of reads", Nanoseconds, |row| micros(row.read_p99_us))
        .with("p99 of writes", Nanoseconds, |row| micros(row.write_p99_us))
        .with("Write amplification", Factor, |row| row.write_amplification);
    let older = found.reviews.len().saturating_sub(RESULTS_SHOWN);
    let named = ("results", "Results in the order in which they began", "Began");
    let mut table = columns.filled(named, found.reviews.iter().skip(older), |row| &row.started);
    if older > 0 {
        table.notes.push(format!("{older} older results are in the document of --json."));
    }
    table
}
