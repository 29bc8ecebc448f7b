//! `drivelab index`: every drive with results below some folders, in one table.

use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::time::UNIX_EPOCH;

use drivelab_block::PlacedDrive;
use drivelab_boot::BootRecord;
use drivelab_documents::{ClockTime, Drive};
use drivelab_inspect::InspectionDocument;
use drivelab_inspect::boot::which_booted;
use drivelab_inspect::index::{
    Index, IndexFindings, IndexedResult, IndexedTrace, ResultFindings, ResultState, shown_drive, view,
};
use drivelab_kinds::Ended;
use drivelab_runner::{Ending, Failure, KeptSummary, Outputs, check_page, kind_of, started_at_unix, usage};
use drivelab_trace::TraceFolder;
use drivelab_view::{Better, KeyFigure, Page, Quantity};

use crate::args::IndexArgs;
use crate::commands::folders::{FoundFolders, is_page_of, not_known};

/// The page in the folder that is named alone.
const PAGE: &str = "index.html";

/// Makes the index. What cannot be read is named, and the rest is shown.
pub fn main(args: &IndexArgs) -> Result<Ending, Failure> {
    let page = page_of(args)?;
    let found = FoundFolders::below(&args.folders)?;
    let links = PageLinks::from(page.as_deref());
    let index = index_of(found, &links);
    if index.results() == 0 {
        let all = std::iter::once(FoundFolders::nothing_in(&args.folders)).chain(index.left_out);
        return Err(Failure::Usage(all.collect::<Vec<_>>().join("\n")));
    }
    let own_page = page.as_deref().filter(|_| args.page.report.is_none());
    let outputs = Outputs { own_page, ..args.tables.outputs(page.as_deref(), args.json) };
    outputs.make(
        &Page::from_view(view(&index)),
        &[InspectionDocument::new(IndexFindings::from_index(&index))],
    )?;
    Ok(if index.left_out.is_empty() { Ending::Passed } else { Ending::CheckFailed })
}

/// Where the page is written; nowhere where several folders are named and no page is. It replaces no page but an index.
fn page_of(args: &IndexArgs) -> Result<Option<PathBuf>, Failure> {
    let own = match args.folders.as_slice() {
        [folder] => Some(folder.join(PAGE)),
        _ => None,
    };
    let page = args.page.report.clone().or(own);
    if let Some(page) = &page {
        check_page(page, is_page_of(page, "index").then_some(page.as_path()))?;
    }
    Ok(page)
}

fn index_of(found: FoundFolders, links: &PageLinks) -> Index {
    let FoundFolders { runs, boots, traces, mut left_out } = found;
    let mut results = Vec::new();
    let mut take = |read: Result<_, Failure>| match read {
        Ok(result) => results.push(result),
        Err(failure) => left_out.push(failure.to_string()),
    };
    runs.iter().for_each(|folder| take(indexed_run(folder, links)));
    boots.iter().for_each(|folder| take(indexed_boot(folder, links)));
    let mut read_traces = Vec::new();
    for folder in &traces {
        match indexed_trace(folder, links) {
            Ok(trace) => read_traces.push(trace),
            Err(failure) => left_out.push(failure.to_string()),
        }
    }
    Index::new(&results, read_traces, left_out)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn indexed_run(folder: &Path, links: &PageLinks) -> Result<IndexedResult, Failure> {
    let Some(kind) = kind_of(folder) else { return Err(not_known(folder)) };
    let found = (kind.summarize)(folder)?;
    let name = shown(folder);
    let hidden = found.hidden.in_text(&name);
    // A link would show what the name of the folder is not to show.
    let page = links.to_page_of(folder).filter(|_| hidden == name);
    Ok(IndexedResult {
        drive: shown_drive(&found.run),
        is_named: found.run.label != found.run.target,
        found: ResultFindings {
            kind: found.kind.to_owned(),
            state: state(&found),
            label: found.run.label,
            folder: hidden,
            started: found.run.started,
            differing: Vec::new(),
        },
        lapses: found.lapses,
        placed: found.drive,
        given_name: found.run.given_name,
        written_unix_ns: written_unix_ns(folder),
        page,
        asked_alike: None,
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
        Ended::BrokeOff => ResultState::BrokeOff,
        Ended::Interrupted => ResultState::Interrupted,
        Ended::Killed => ResultState::Killed,
    }
}

/// A boot, by the drive that holds the root file system.
fn indexed_boot(folder: &Path, links: &PageLinks) -> Result<IndexedResult, Failure> {
    let record = BootRecord::read(folder).map_err(|error| usage!("{error}"))?;
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
        found: ResultFindings {
            kind: "boot".to_owned(),
            label: record.machine.name.clone(),
            folder: shown(folder),
            started: started_at_unix(record.began_unix_ns),
            state: if whole.is_some() { ResultState::Passed } else { ResultState::Killed },
            differing: Vec::new(),
        },
        placed: PlacedDrive {
            which: drive.map(which_booted).unwrap_or_default(),
            place: format!("{name} on {}", record.machine.name),
        },
        drive: Drive {
            model: name,
            serial,
            wwn: drive.and_then(|drive| drive.wwn.clone()),
            size_bytes: drive.map_or(0, |drive| drive.size_bytes),
            ..Drive::default()
        },
        is_named: false,
        given_name: None,
        written_unix_ns: record.began_unix_ns,
        page: links.to_page_of(folder),
        lapses: None,
        asked_alike: None,
        asked: vec![("machine".to_owned(), record.machine.name)],
        surroundings: Vec::new(),
        figures: KeyFigure::new("Boot from the kernel on", Quantity::Seconds, Better::Low, whole)
            .into_iter()
            .collect(),
        curve: None,
    })
}

fn indexed_trace(folder: &Path, links: &PageLinks) -> Result<IndexedTrace, Failure> {
    let (_, manifest) = TraceFolder::open(folder).map_err(|error| usage!("{error}"))?;
    Ok(IndexedTrace {
        folder: shown(folder),
        page: links.to_page_of(folder),
        source: manifest.source,
        began: manifest.started_unix_ns.and_then(ClockTime::in_utc),
        started: manifest.started,
    })
}

pub struct PageLinks {
    /// The folder of the page, without links in its path; none where no page is written.
    from: Option<PathBuf>,
}

impl PageLinks {
    pub fn from(page: Option<&Path>) -> PageLinks {
        let folder = page.map(|page| page.parent().filter(|folder| *folder != Path::new("")));
        let folder = folder.map(|folder| folder.unwrap_or(Path::new(".")));
        PageLinks { from: folder.and_then(|folder| fs::canonicalize(folder).ok()) }
    }

    /// The link to the page of the result in a folder: its own, or that of the test of several runs that it is one of. None where
    /// neither is there.
    pub fn to_page_of(&self, folder: &Path) -> Option<String> {
        let from = self.from.as_ref()?;
        let own = folder.join("report.html");
        let of_test = folder.parent().map(|parent| parent.join("report.html"));
        let page = [Some(own), of_test].into_iter().flatten().find(|page| page.is_file())?;
        Some(relative(from, &fs::canonicalize(page).ok()?))
    }
}

/// The way from a folder to a file, both without links in their paths, as a browser takes it.
fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<Component>, Vec<Component>) =
        (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[shared..].iter().map(|_| "..".to_owned());
    let down = to[shared..].iter().map(|part| encoded(part.as_os_str().as_encoded_bytes()));
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A part of a path in a URL (RFC 3986): all bytes but the unreserved ones as their numbers.
fn encoded(part: &[u8]) -> String {
    let mut text = String::new();
    for byte in part {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(*byte));
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_up_and_down_and_stand_in_a_url() {
        let link = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(link("/a", "/a/b/report.html"), "b/report.html");
        assert_eq!(link("/a/b", "/a/c d/50%?.html"), "../c%20d/50%25%3F.html");
        assert_eq!(link("/x", "/javascript:1/r.html"), "../javascript%3A1/r.html");
    }
}
