//! `drivelab` alone: what there is to be tested here, what can be done with it, and what is here already.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use drivelab_record::is_run_folder;
use drivelab_review::is_review_folder;
use drivelab_runner::{Ending, Failure, output};
use drivelab_safety::{DriveKind, DriveListing, Flag, System, Testable, list_drives};
use drivelab_trace::is_trace_folder;
use drivelab_view::format::shell_word;

use super::drives::NO_SYSFS;

/// As many results of a folder are named.
const RESULTS_MAX: usize = 5;

/// Shows the drives of this machine with the command for each, and the results in this folder.
pub fn main() -> Result<Ending, Failure> {
    let mut text = String::from(
        "drivelab finds out how a storage drive behaves over time, not only how fast it is on average.\n",
    );
    let whole = |listing: &DriveListing| listing.identity.parent.is_none();
    let system = System::live();
    let all = list_drives(&system).into_iter().filter(whole);
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
    drives.iter().for_each(|listing| describe(listing, &mut text));
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
fn describe(listing: &DriveListing, text: &mut String) {
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
    let is_result =
        |path: &std::path::PathBuf| is_run_folder(path) || is_review_folder(path) || is_trace_folder(path);
    let mut found: Vec<_> = entries.filter(is_result).collect();
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
