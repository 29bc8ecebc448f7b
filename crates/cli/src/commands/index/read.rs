//! One result as an index takes it.

use std::fs;
use std::path::Path;
use std::time::UNIX_EPOCH;

use drivelab_block::PlacedDrive;
use drivelab_boot::BootRecord;
use drivelab_inspect::boot::which_booted;
use drivelab_inspect::index::{IndexedDrive, IndexedResult, IndexedTrace, ResultState};
use drivelab_kinds::Ended;
use drivelab_record::ClockTime;
use drivelab_runner::{Failure, KeptSummary, kind_of, started_at_unix};
use drivelab_trace::TraceFolder;
use drivelab_view::{Better, KeyFigure, Quantity};

use super::link::PageLinks;
use super::shown;
use crate::commands::run_folders::not_known;

/// The result of a run.
pub fn run(folder: &Path, links: &PageLinks) -> Result<IndexedResult, Failure> {
    let Some(kind) = kind_of(folder) else { return Err(not_known(folder)) };
    let found = kind.summarize(folder)?;
    let name = shown(folder);
    let hidden = found.hidden.in_text(&name);
    // A link would show what the name of the folder is not to show.
    let page = links.to_page_of(folder).filter(|_| hidden == name);
    Ok(IndexedResult {
        kind: found.kind,
        state: state(&found),
        lapses: found.lapses,
        placed: found.drive,
        drive: IndexedDrive::from_run(&found.run),
        is_named: found.run.label != found.run.target,
        given_name: found.run.given_name,
        label: found.run.label,
        started: found.run.started,
        written_unix_ns: written_unix_ns(folder),
        folder: hidden,
        page,
        asked: found.asked.into_iter().map(|setting| (setting.name, setting.value)).collect(),
        surroundings: found.surroundings,
        figures: found.figures,
        curve: found.curve,
    })
}

/// When the findings of a run were written; 0 where it left none, or that is not known.
fn written_unix_ns(folder: &Path) -> u64 {
    let written = fs::metadata(folder.join("findings.json")).and_then(|found| found.modified());
    let since = written.ok().and_then(|written| written.duration_since(UNIX_EPOCH).ok());
    since.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or_default()
}

fn state(found: &KeptSummary) -> ResultState {
    match found.ended {
        Ended::Whole if found.passes => ResultState::Passed,
        Ended::Whole => ResultState::CheckFailed,
        Ended::Interrupted => ResultState::Interrupted,
        Ended::Killed => ResultState::Killed,
    }
}

/// A boot, by the drive that holds the root file system.
pub fn boot(folder: &Path, links: &PageLinks) -> Result<IndexedResult, Failure> {
    let record = BootRecord::read(folder).map_err(|error| Failure::Usage(error.to_string()))?;
    let drive = record.drive.as_ref();
    let model = drive.and_then(|drive| drive.model.clone()).unwrap_or_default();
    let serial = drive.and_then(|drive| drive.serial.clone());
    let name = match drive {
        Some(drive) if model.is_empty() => format!("{} of {}", drive.name, record.machine.name),
        Some(_) => model.clone(),
        None => format!("drives of {}", record.machine.name),
    };
    let whole = record.times.finish_us.map(|finish| finish as f64 / 1e6);
    Ok(IndexedResult {
        kind: "boot",
        placed: PlacedDrive {
            which: drive.map(which_booted).unwrap_or_default(),
            place: format!("{name} on {}", record.machine.name),
        },
        drive: IndexedDrive {
            name,
            serial,
            wwn: drive.and_then(|drive| drive.wwn.clone()),
            namespace: None,
            path: None,
            firmware: None,
            size_bytes: drive.map(|drive| drive.size_bytes),
            is_simulated: false,
        },
        label: record.machine.name.clone(),
        is_named: false,
        given_name: None,
        started: started_at_unix(record.began_unix_ns),
        written_unix_ns: record.began_unix_ns,
        folder: shown(folder),
        page: links.to_page_of(folder),
        state: if whole.is_some() { ResultState::Passed } else { ResultState::Killed },
        lapses: None,
        asked: vec![("machine".to_owned(), record.machine.name)],
        surroundings: Vec::new(),
        figures: KeyFigure::new("Boot from the kernel on", Quantity::Seconds, Better::Low, whole)
            .into_iter()
            .collect(),
        curve: None,
    })
}

/// A trace.
pub fn trace(folder: &Path, links: &PageLinks) -> Result<IndexedTrace, Failure> {
    let (_, manifest) = TraceFolder::open(folder).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(IndexedTrace {
        folder: shown(folder),
        page: links.to_page_of(folder),
        source: manifest.source,
        began: manifest.started_unix_ns.and_then(ClockTime::in_utc),
        started: manifest.started,
    })
}
