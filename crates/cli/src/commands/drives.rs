//! `drivelab drives`.

use std::fmt::Write as _;

use drivelab_runner::{Ending, Failure, output};
use drivelab_safety::{DriveListing, System, Testable, list_drives};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::DrivesArgs;

/// The drives and partitions of this machine, and whether they may be tested.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct DrivesDocument {
    /// The name and version of the document.
    schema: &'static str,
    /// Every drive and every partition.
    drives: Vec<DriveDocument>,
}

impl DrivesDocument {
    pub(super) const SCHEMA: &'static str = "drivelab.drives/1";
}

/// A drive, or a partition of one.
#[derive(Debug, Serialize, JsonSchema)]
struct DriveDocument {
    /// Its device file.
    device: String,
    /// What it calls itself; null where it does not say.
    model: Option<String>,
    /// Its serial number; null where it does not say.
    serial: Option<String>,
    /// Its world-wide name; null where it does not say.
    wwn: Option<String>,
    /// The name of its NVMe subsystem (NQN); null of other drives.
    subsystem: Option<String>,
    /// The number of the NVMe namespace; null of other drives.
    namespace: Option<u32>,
    /// Its size.
    size_bytes: u64,
    /// Bytes of the least that can be addressed.
    logical_block: u32,
    /// Bytes of the least that it writes without a read.
    physical_block: u32,
    /// Whether it is a disk; null where the kernel does not say.
    rotational: Option<bool>,
    /// The drive that it is a partition of; null of a whole drive.
    partition_of: Option<String>,
    /// Its lasting names in /dev/disk/by-id.
    by_id: Vec<String>,
    /// Its names by its path, as in /dev/disk/by-path.
    by_path: Vec<String>,
    /// What uses it now.
    uses: Vec<String>,
    /// What was found on it.
    holds: Vec<String>,
    /// What else has to be known of it.
    notes: Vec<String>,
    /// Whether a test may write to it, with the options that `needs` names.
    testable: bool,
    /// The options that have to be typed before anything is written.
    needs: Vec<String>,
    /// Why no test may write to it; empty where one may.
    why_not: Vec<String>,
}

impl DriveDocument {
    fn from_listing(listing: &DriveListing) -> DriveDocument {
        let drive = &listing.identity;
        let (needs, why_not) = match &listing.testable {
            Testable::With(flags) => (flags.iter().map(ToString::to_string).collect(), Vec::new()),
            Testable::No(reasons) => (Vec::new(), reasons.iter().map(ToString::to_string).collect()),
        };
        DriveDocument {
            device: format!("/dev/{}", drive.kernel_name),
            model: drive.model.clone(),
            serial: drive.serial.clone(),
            wwn: drive.wwn.clone(),
            subsystem: drive.subsystem.clone(),
            namespace: drive.namespace,
            size_bytes: drive.size.get(),
            logical_block: drive.logical_block,
            physical_block: drive.physical_block,
            rotational: drive.rotational,
            partition_of: drive.parent.as_ref().map(|parent| parent.kernel_name.clone()),
            by_id: drive.by_id.clone(),
            by_path: drive.by_path.clone(),
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

/// What keeps every drive out of sight, and how it is mended.
pub const NO_SYSFS: &str =
    "sysfs is not mounted on /sys, so that no drive can be seen: type mount -t sysfs sysfs /sys as root";

/// Lists every drive and partition.
pub fn main(args: &DrivesArgs) -> Result<Ending, Failure> {
    let system = System::live();
    if !system.has_sysfs() {
        return Err(Failure::Environment(NO_SYSFS.to_owned()));
    }
    let drives: Vec<DriveDocument> = list_drives(&system).iter().map(DriveDocument::from_listing).collect();
    if args.json.is_asked() {
        return output::print_json(&DrivesDocument { schema: DrivesDocument::SCHEMA, drives });
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
