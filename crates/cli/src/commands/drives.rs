//! `drivelab drives`.

use std::fmt::Write as _;

use drivelab_runner::{Ending, Failure, output};
use drivelab_safety::{DriveListing, System, Testable, list_drives};
use serde::Serialize;

use crate::args::DrivesArgs;

/// One JSON document: `drivelab.drives/1`.
#[derive(Debug, Serialize)]
struct DrivesDocument {
    schema: &'static str,
    drives: Vec<DriveDocument>,
}

#[derive(Debug, Serialize)]
struct DriveDocument {
    device: String,
    model: Option<String>,
    serial: Option<String>,
    size_bytes: u64,
    logical_block: u32,
    physical_block: u32,
    rotational: Option<bool>,
    partition_of: Option<String>,
    by_id: Vec<String>,
    uses: Vec<String>,
    holds: Vec<String>,
    notes: Vec<String>,
    testable: bool,
    needs: Vec<String>,
    why_not: Vec<String>,
}

impl DriveDocument {
    fn of(listing: &DriveListing) -> DriveDocument {
        let drive = &listing.identity;
        let (needs, why_not) = match &listing.testable {
            Testable::With(flags) => (flags.iter().map(ToString::to_string).collect(), Vec::new()),
            Testable::No(reasons) => (Vec::new(), reasons.iter().map(ToString::to_string).collect()),
        };
        DriveDocument {
            device: format!("/dev/{}", drive.kernel_name),
            model: drive.model.clone(),
            serial: drive.serial.clone(),
            size_bytes: drive.size.get(),
            logical_block: drive.logical_block,
            physical_block: drive.physical_block,
            rotational: drive.rotational,
            partition_of: drive.parent.as_ref().map(|parent| parent.kernel_name.clone()),
            by_id: drive.by_id.clone(),
            uses: listing.uses.iter().map(ToString::to_string).collect(),
            holds: listing.contents.signatures.iter().map(ToString::to_string).collect(),
            notes: listing.notes.iter().map(ToString::to_string).collect(),
            testable: matches!(listing.testable, Testable::With(_)),
            needs,
            why_not,
        }
    }
}

/// The flag that gives up what a drive holds.
const DISCARD: &str = "--destroy-data";

/// Lists every drive and partition.
pub fn main(args: &DrivesArgs) -> Result<Ending, Failure> {
    let drives: Vec<DriveDocument> = list_drives(&System::live()).iter().map(DriveDocument::of).collect();
    if args.json.is_asked() {
        return output::print_json(&DrivesDocument { schema: "drivelab.drives/1", drives });
    }
    if drives.is_empty() {
        return output::print("No drives here. Try a simulated one: drivelab consistency sim:sm2246en\n");
    }
    let text: Vec<String> = drives.iter().map(describe).collect();
    output::print(&text.join("\n"))
}

fn describe(drive: &DriveDocument) -> String {
    let size = drivelab_block::ByteCount::new(drive.size_bytes).to_string();
    let what = drive.model.as_deref().unwrap_or(if drive.partition_of.is_some() { "partition" } else { "" });
    let serial = drive.serial.as_ref().map(|serial| format!("  serial {serial}")).unwrap_or_default();
    let mut text = format!("{:<16} {size:>9}  {what}{serial}\n", drive.device);
    let mut line = |title: &str, lines: &[String]| {
        for entry in lines {
            let _ = writeln!(text, "    {title}{entry}");
        }
    };
    line("", &drive.holds);
    line("", &drive.notes);
    line("may not be written: ", &drive.why_not);
    if drive.testable {
        let flags = drive.needs.join(" ");
        let flags = if flags.is_empty() { "no flag" } else { &flags };
        // The list reads no drive's data: only a test looks whether it is blank.
        let and = if flags.contains(DISCARD) { "" } else { ", and --destroy-data where it is not blank" };
        let _ = writeln!(text, "    may be written with {flags}{and}");
    }
    text
}
