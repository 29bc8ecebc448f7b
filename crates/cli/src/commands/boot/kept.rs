//! The kernel's trace of the boot, put into the folder of a boot.

use std::path::Path;

use drivelab_boot::BootProcess;
use drivelab_runner::{
    Failure, identities_of, monotonic, names_by_number, recorded_drives, started_at_unix, unix_nanos,
};
use drivelab_trace::{Begin, ProgramRun, Programs, Recording, TraceManifest};
use drivelab_tracer::BootTrace;

/// The events that the kernel was told to trace.
const EVENTS: [&str; 5] = [
    "block/block_rq_issue",
    "block/block_rq_complete",
    "block/block_rq_requeue",
    "sched/sched_process_exec",
    "sched/sched_process_exit",
];

/// What came of the trace of a boot.
pub struct KeptTrace {
    /// Its manifest.
    pub manifest: TraceManifest,
    /// Programs that ran.
    pub processes: Vec<BootProcess>,
}

/// Ends the kernel's trace. What is read and written from now on is in it no more.
pub fn end_trace() -> Result<BootTrace, Failure> {
    Ok(BootTrace::end(&EVENTS)?)
}

/// Writes what was traced into a new folder. Times are those since the kernel began.
pub fn keep(mut trace: BootTrace, folder: &Path) -> Result<KeptTrace, Failure> {
    let drives = recorded_drives(&[])?;
    let formats = trace.formats().to_vec();
    let unix_ns = unix_nanos().saturating_sub(monotonic());
    let begin = Begin {
        version: env!("CARGO_PKG_VERSION"),
        devices: names_by_number(&drives),
        drives: identities_of(&drives),
        formats: &formats,
        at: 0,
        unix_ns,
        started: started_at_unix(unix_ns),
        keep_at_most: None,
    };
    let mut recording = Recording::begin(folder, begin)?;
    let mut programs = Programs::new(&formats);
    let failed = |error: std::io::Error| Failure::io("the kernel's trace of the boot cannot be read", &error);
    trace
        .pages(|page| {
            programs.page(page.clone());
            recording.page(page);
        })
        .map_err(failed)?;
    recording.lost(trace.losses().map_err(failed)?);
    let manifest = recording.finish(|_| ())?.manifest;
    Ok(KeptTrace { manifest, processes: programs.finish().into_iter().map(process).collect() })
}

fn process(run: ProgramRun) -> BootProcess {
    let ProgramRun { pid, name, began, ended } = run;
    BootProcess { pid, name, began_ns: began, ended_ns: ended }
}
