//! What the catalogue says of a run.

use drivelab_record::{ClockTime, Manifest};
use drivelab_trace::TraceManifest;

use crate::layout::RunKey;

/// Where the time comes from at which a result begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartSource {
    /// From the clock of its machine, or of the source of an import.
    Clock,
    /// It was given when the result was exported.
    Given,
    /// There is none: a simulated drive began at the beginning of 1970.
    Virtual,
}

impl StartSource {
    pub const fn name(self) -> &'static str {
        match self {
            StartSource::Clock => "clock",
            StartSource::Given => "given",
            StartSource::Virtual => "virtual",
        }
    }
}

/// When a result began.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Began {
    /// By the clock of the machine, with how far that is ahead of UTC.
    pub at: ClockTime,
    /// In nanoseconds since 1970.
    pub unix_ns: u64,
    pub source: StartSource,
}

/// A row of the catalogue but for what is counted while the records are read.
#[derive(Clone, Debug, PartialEq)]
pub struct CatalogueEntry {
    pub key: RunKey,
    pub began: Began,
    /// The kind of test, `trace` or `boot`.
    pub kind: String,
    /// None of a trace.
    pub label: Option<String>,
    pub drive_model: Option<String>,
    pub firmware: Option<String>,
    pub serial: Option<String>,
    pub capacity_bytes: Option<u64>,
    pub is_simulated: bool,
    /// How long it lasted; none of a trace, which lasts until its last record.
    pub lasted_ns: Option<u64>,
    pub is_interrupted: bool,
    /// Events that the source of a trace lost: as many records, or some fewer, are missing or have no service time.
    pub lost_events: u64,
    /// What was written to the drive, and by it to its flash, in bytes; none where its counters were not read.
    pub host_bytes_written: Option<u64>,
    pub flash_bytes_written: Option<u64>,
    /// As JSON.
    pub settings: String,
    /// As JSON.
    pub conditions: String,
    /// The version of drivelab that made it.
    pub version: String,
}

impl CatalogueEntry {
    /// That of a run whose manifest may be shown as it is.
    pub fn of_run(key: RunKey, began: Began, run: &Manifest) -> CatalogueEntry {
        // Both were read from JSON.
        let conditions = serde_json::to_string(&run.conditions).unwrap_or_default();
        let written = run.outcome.as_ref().and_then(|outcome| outcome.written).unwrap_or_default();
        CatalogueEntry {
            key,
            began,
            kind: run.method.clone(),
            label: Some(run.label.clone()),
            drive_model: Some(run.drive.model.clone()),
            firmware: run.drive.firmware.clone(),
            serial: run.drive.serial.clone(),
            capacity_bytes: Some(run.drive.size_bytes),
            is_simulated: run.drive.simulated,
            lasted_ns: Some(run.phases.iter().filter_map(|phase| phase.ended_at_ns).max().unwrap_or(0)),
            is_interrupted: run.outcome.as_ref().is_some_and(|outcome| outcome.interrupted),
            lost_events: 0,
            host_bytes_written: written.host.map(|counted| counted.amount),
            flash_bytes_written: written.flash.map(|counted| counted.amount),
            settings: run.settings.to_string(),
            conditions,
            version: run.version.clone(),
        }
    }

    /// That of a trace, or of the trace of a boot.
    pub fn of_trace(key: RunKey, began: Began, trace: &TraceManifest, is_boot: bool) -> CatalogueEntry {
        let account = trace.account.as_ref().or(trace.so_far.as_ref());
        CatalogueEntry {
            key,
            began,
            kind: if is_boot { "boot" } else { "trace" }.to_owned(),
            label: trace.label.clone(),
            drive_model: None,
            firmware: None,
            serial: None,
            capacity_bytes: None,
            is_simulated: false,
            lasted_ns: None,
            is_interrupted: false,
            lost_events: account.map_or(0, |account| account.lost_events),
            host_bytes_written: None,
            flash_bytes_written: None,
            settings: serde_json::json!({ "source": trace.source }).to_string(),
            conditions: "[]".to_owned(),
            version: trace.version.clone(),
        }
    }
}
