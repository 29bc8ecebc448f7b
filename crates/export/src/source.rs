//! A result that is to be exported.

use std::sync::Arc;

use drivelab_documents::{ClockTime, Drive, HiddenSerials, MachineId, Manifest, Started};
use drivelab_record::RunFolder;
use drivelab_trace::{TraceFolder, TraceManifest};

use crate::catalogue::{Began, CatalogueEntry, StartSource};
use crate::drives::DriveEntry;
use crate::layout::{HostName, RunKey, id};
use crate::rolled::device_names;
use crate::rows::ResultRows;

/// The host of simulated drives, whose runs are equal on every machine.
const SIMULATED_HOST: &str = "simulated";

/// What is known of results apart from what they say themselves.
#[derive(Clone, Copy, Debug, Default)]
pub struct SourceOptions<'a> {
    /// The machine, in the place of the one that they name.
    pub host: Option<&'a HostName>,
    /// When those began that have no clock time.
    pub started: Option<ClockTime>,
    /// Whether catalogue and drives leave out serial numbers, also where the results do not say so.
    pub hides_serial: bool,
}

const NOT_ENDED: &str = "it has not ended, or was killed: export it when it has ended; what a kill left is shown by \
                         drivelab report";

/// Why a result is not exported of which so many records were lost.
fn lost_records(count: u64) -> String {
    format!(
        "{count} of its records were lost while it was made, and figures without them would be wrong: it is not exported"
    )
}

/// A result that can be exported: when and where it was is known, and it has ended.
pub struct ExportSource {
    pub(crate) rows: ResultRows,
    pub(crate) records: SourceRecords,
}

/// Where the records of a result are.
pub(crate) enum SourceRecords {
    Run(Box<RunRecords>),
    Trace(Box<TraceRecords>),
    /// It keeps none, or they were removed to save their space.
    None,
}

pub(crate) struct RunRecords {
    pub folder: RunFolder,
    pub run: Manifest,
    /// How many there are.
    pub count: u64,
}

pub(crate) struct TraceRecords {
    pub folder: TraceFolder,
    pub trace: TraceManifest,
    /// How many there are; not known of a recording that was killed.
    pub count: Option<u64>,
    /// The sum of the segments of a recording; none of an import, whose ID is made from it.
    pub segments: Option<u64>,
}

impl ExportSource {
    /// The result of a run. The records of a simulated drive begin when its virtual time does: at the given time, or at the
    /// beginning of 1970.
    ///
    /// # Errors
    /// Where it has not ended, lost records, or its clock time or machine are not known: what to do, to be put behind the name of
    /// its folder.
    pub fn of_run(
        folder: RunFolder,
        run: Manifest,
        options: SourceOptions<'_>,
    ) -> Result<ExportSource, String> {
        let outcome = run.outcome.as_ref().ok_or(NOT_ENDED)?;
        if outcome.lost_records > 0 {
            return Err(lost_records(outcome.lost_records));
        }
        let began = began(run.started.as_ref(), None, run.drive.simulated, options)?;
        let host = host(run.started.as_ref(), run.drive.simulated, options)?;
        // Equal simulated runs are one; what another version made of the same settings may be another one.
        let identity = (run.id(), began.given(), &outcome.completions_hash);
        let machine = machine(run.started.as_ref(), options);
        let key = RunKey { run: id('r', &identity), host, machine };
        let has_records = folder.segments().is_dir();
        let count = outcome.completions;
        let hidden = {
            let hides_serial = run.hides_serial || options.hides_serial;
            Manifest { hides_serial, ..run.clone() }
        };
        let shown = hidden.hidden_serials().apply(hidden);
        let device = Arc::from(run.drive.model.as_str());
        let drives = vec![DriveEntry { device, drive: Some(shown.drive.clone()) }];
        let row = CatalogueEntry::of_run(key, began, &shown);
        let records = if has_records {
            SourceRecords::Run(Box::new(RunRecords { folder, run, count }))
        } else {
            SourceRecords::None
        };
        Ok(ExportSource { rows: ResultRows { row, drives }, records })
    }

    /// A trace, or where `is_boot` the trace of a boot. A recording that was killed has what was written of it.
    ///
    /// # Errors
    /// As of [`ExportSource::of_run`].
    pub fn of_trace(
        folder: TraceFolder,
        trace: TraceManifest,
        is_boot: bool,
        options: SourceOptions<'_>,
    ) -> Result<ExportSource, String> {
        let is_recorded = trace.is_recorded();
        let so_far = trace.so_far.as_ref().filter(|_| is_recorded && folder.is_left_by_its_recorder());
        let account = trace.account.as_ref().or(so_far).ok_or(NOT_ENDED)?;
        if account.unwritten > 0 {
            return Err(lost_records(account.unwritten));
        }
        let began = began(trace.started.as_ref(), trace.started_unix_ns, false, options)?;
        let host = host(trace.started.as_ref(), false, options)?;
        let machine = machine(trace.started.as_ref(), options);
        // Where the segments cannot be listed, they cannot be read either, and nothing is exported.
        let sum = folder.sum_of_segments().unwrap_or_default();
        let key = if is_recorded {
            RunKey::of_recording(&trace, host, machine)
        } else {
            let source =
                (&trace.source, &trace.origins, trace.started_unix_ns, &trace.started, &trace.devices);
            RunKey { run: id('t', &(source, account, sum, began.given())), host, machine }
        };
        let count = trace.account.as_ref().map(|account| account.requests.saturating_sub(account.removed));
        let row = CatalogueEntry::of_trace(key, began, &trace, is_boot);
        let drives = drives_of(&trace, options.hides_serial);
        let segments = is_recorded.then_some(sum);
        let records = SourceRecords::Trace(Box::new(TraceRecords { folder, trace, count, segments }));
        Ok(ExportSource { rows: ResultRows { row, drives }, records })
    }

    /// The ID of the run: the same whenever the same result is exported with the same options.
    pub fn run(&self) -> &str {
        &self.rows.row.key.run
    }

    /// The machine that it is of.
    pub fn host(&self) -> &HostName {
        &self.rows.row.key.host
    }

    /// When it began by the clock of its machine, where drivelab read that clock when it recorded; none of imports, and where the
    /// time was given.
    pub fn clock_start(&self) -> Option<ClockTime> {
        let is_own = match &self.records {
            SourceRecords::Trace(trace) => trace.segments.is_some(),
            SourceRecords::Run(_) | SourceRecords::None => true,
        };
        let began = self.rows.row.began;
        (is_own && began.source == StartSource::Clock).then_some(began.at)
    }

    /// Whether its records begin at the beginning of 1970, since a simulated drive has no clock time and none was given.
    pub fn is_in_virtual_time(&self) -> bool {
        self.rows.row.began.source == StartSource::Virtual
    }
}

impl Began {
    /// The time that was given, which makes the same records others.
    fn given(self) -> Option<u64> {
        (self.source == StartSource::Given).then_some(self.unix_ns)
    }
}

/// The devices of a trace. Which drives they are is known of what drivelab recorded itself.
pub fn drives_of(trace: &TraceManifest, hides_serial: bool) -> Vec<DriveEntry> {
    let names = trace.drives.values().flat_map(Drive::hidden_names);
    let hidden = HiddenSerials::from_serials(names.filter(|_| hides_serial));
    let shown = hidden.apply(trace.drives.clone());
    let devices = trace.devices.iter().zip(device_names(trace));
    devices
        .map(|(device, name)| DriveEntry { device: name, drive: shown.get(&device.name).cloned() })
        .collect()
}

pub fn began(
    started: Option<&Started>,
    unix_ns: Option<u64>,
    is_simulated: bool,
    options: SourceOptions<'_>,
) -> Result<Began, String> {
    let by_clock = || {
        let in_utc = unix_ns.and_then(ClockTime::in_utc);
        let at = started.map(|started| started.at).or(in_utc)?;
        Some(Began { at, unix_ns: unix_ns.or_else(|| at.unix_nanos())?, source: StartSource::Clock })
    };
    let given = || {
        let at = options.started?;
        Some(Began { at, unix_ns: at.unix_nanos()?, source: StartSource::Given })
    };
    let in_virtual_time = || {
        let at = ClockTime::in_utc(0).filter(|_| is_simulated)?;
        Some(Began { at, unix_ns: 0, source: StartSource::Virtual })
    };
    let began = by_clock().or_else(given).or_else(in_virtual_time);
    began.ok_or_else(|| {
        "its source has no clock time: add --started 2026-11-24T08:00:00+01:00 with the time when it began".to_owned()
    })
}

pub fn host(
    started: Option<&Started>,
    is_simulated: bool,
    options: SourceOptions<'_>,
) -> Result<HostName, String> {
    if let Some(host) = options.host {
        return Ok(host.clone());
    }
    let own = started.map(|started| started.machine.as_str()).filter(|name| !name.trim().is_empty());
    let name = own.or(is_simulated.then_some(SIMULATED_HOST));
    let name = name.ok_or("its source does not name the machine that it is of: add --host NAME")?;
    name.parse().map_err(|_| {
        "the name of its machine is longer than a folder's name can be: add --host NAME with a shorter one".to_owned()
    })
}

/// What tells the machine from another one of its name. Whoever names a machine says which one it is.
pub fn machine(started: Option<&Started>, options: SourceOptions<'_>) -> Option<MachineId> {
    started.filter(|_| options.host.is_none())?.machine_id.clone()
}
