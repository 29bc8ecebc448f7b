//! The drives of this machine: `drivelab drives`, and `drivelab` without a command, which says what to type next.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use drivelab_documents::review::is_review_folder;
use drivelab_record::is_run_folder;
use drivelab_runner::{Ending, Failure, output};
use drivelab_safety::{DriveKind, DriveListing, Flag, System, Testable, list_drives};
use drivelab_trace::is_trace_folder;
use drivelab_view::format::shell_word;
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

pub fn main(args: &DrivesArgs) -> Result<Ending, Failure> {
    let system = System::live();
    if !system.has_sysfs() {
        return Err(Failure::Environment(NO_SYSFS.to_owned()));
    }
    let drives: Vec<DriveDocument> = list_drives(&system).iter().map(DriveDocument::from_listing).collect();
    if args.json.is_asked {
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

/// As many results of a folder are named.
const RESULTS_MAX: usize = 5;

/// Shows the drives of this machine with the command for each, and the results in this folder.
pub fn show_start() -> Result<Ending, Failure> {
    let mut text = String::from(
        "drivelab finds out how a storage drive behaves over time, not only how fast it is on average.\n",
    );
    let system = System::live();
    let all = list_drives(&system).into_iter().filter(|listing| listing.identity.parent.is_none());
    // Systems hold packages on dozens of loop devices, of which none is a drive to be tested.
    let (drives, in_use): (Vec<DriveListing>, Vec<DriveListing>) = all.partition(|listing| {
        listing.identity.kind != DriveKind::Loop || matches!(listing.testable, Testable::With(_))
    });
    text.push_str("\nDrives of this machine\n");
    if !system.has_sysfs() {
        let _ = writeln!(text, "  {NO_SYSFS}");
    } else if drives.is_empty() {
        text.push_str("  none that this user can see\n");
    }
    drives.iter().for_each(|listing| describe_in_start(listing, &mut text));
    if !in_use.is_empty() {
        let _ = writeln!(text, "  and loop devices that are in use: {}", in_use.len());
    }
    text.push_str("\nWithout a spare drive\n");
    command(
        "a review of two simulated drives, in a minute",
        "drivelab review sim:sm2246en sim:consistent --plan short -o review",
        &mut text,
    );
    results(Path::new("."), &mut text);
    text.push_str("\nMore\n");
    command("all commands", "drivelab --help", &mut text);
    command("the drives with what uses them, and their partitions", "drivelab drives", &mut text);
    output::print(&text)
}

/// A drive, and what to type to test it.
fn describe_in_start(listing: &DriveListing, text: &mut String) {
    let drive = &listing.identity;
    let device = format!("/dev/{}", drive.kernel_name);
    let model = drive.model.as_ref().map(|model| format!("  {model}")).unwrap_or_default();
    let serial = drive.serial.as_ref().map(|serial| format!("  serial {serial}")).unwrap_or_default();
    let _ = writeln!(text, "  {device}  {}{model}{serial}", drive.size);
    let sudo = if rustix::process::geteuid().is_root() { "" } else { "sudo " };
    command("reads only", &format!("{sudo}drivelab quick {device}"), text);
    match &listing.testable {
        Testable::No(reasons) => {
            let reason = reasons.first().map(ToString::to_string).unwrap_or_default();
            let _ = writeln!(text, "    may not be written: {reason}");
        }
        Testable::With(flags) => {
            command("what a review would do", &format!("{sudo}drivelab review {device} --dry-run"), text);
            // The list reads no drive's data: only a test looks whether it is blank.
            let more = (!flags.contains(&Flag::DestroyData)).then_some(Flag::DestroyData);
            let flags: Vec<String> = flags.iter().chain(&more).map(ToString::to_string).collect();
            let line = format!("{sudo}drivelab review {device} {} -o review", flags.join(" "));
            command("destroys its data", &line, text);
        }
    }
}

/// Results in a folder, and what to type to see them.
fn results(folder: &Path, text: &mut String) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<_> = entries
        .filter(|path| is_run_folder(path) || is_review_folder(path) || is_trace_folder(path))
        .collect();
    found.sort();
    if found.is_empty() {
        return;
    }
    text.push_str("\nResults in this folder\n");
    for path in found.iter().take(RESULTS_MAX) {
        let name = shell_word(&path.file_name().unwrap_or_default().to_string_lossy());
        let verb = if is_trace_folder(path) && !is_run_folder(path) { "trace show" } else { "report" };
        command(&name, &format!("drivelab {verb} {name}"), text);
    }
    if found.len() > RESULTS_MAX {
        let _ = writeln!(text, "    and {} more", found.len() - RESULTS_MAX);
    }
}

fn command(what: &str, line: &str, text: &mut String) {
    let _ = writeln!(text, "    {what}:\n        {line}");
}
