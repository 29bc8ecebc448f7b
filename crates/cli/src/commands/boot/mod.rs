//! `drivelab boot`: how long this machine takes to boot, and what its drive does meanwhile.

mod enable;
mod keep;

use std::collections::BTreeSet;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use drivelab_block::DeviceId;
use drivelab_boot::{BootRecord, is_boot_folder};
use drivelab_documents::{ClockTime, HiddenSerials};
use drivelab_inspect::InspectionDocument;
use drivelab_inspect::boot::{BootIo, BootPage, BootReport, view};
use drivelab_runner::{Ending, Failure, Outputs, environment, keep_private, output, usage};
use drivelab_trace::TraceFolder;
use drivelab_view::Page;

use crate::args::{BootCommand, BootShowArgs, HideSerialArg};

/// Does what was asked with boots. They name programs and when these ran, so all files are their owner's alone.
pub fn main(command: &BootCommand) -> Result<Ending, Failure> {
    match command {
        BootCommand::Enable(args) => enable::enable(args),
        BootCommand::Disable { print } => enable::disable(*print),
        BootCommand::Show(args) => show(args),
        BootCommand::Keep { output } => {
            keep_private();
            keep::keep(output)
        }
    }
}

pub fn show(args: &BootShowArgs) -> Result<Ending, Failure> {
    let page = args.page.checked()?;
    let mut folders: Vec<PathBuf> = Vec::new();
    for named in &args.boots {
        folders.extend(boot_folders(named)?);
    }
    let mut seen = BTreeSet::new();
    folders.retain(|folder| fs::canonicalize(folder).map_or(true, |real| seen.insert(real)));
    let mut faults = Vec::new();
    let reports = folders
        .iter()
        .map(|folder| read(folder, args.hide_serial, &mut faults))
        .collect::<Result<Vec<BootReport>, Failure>>()?;
    faults.iter().for_each(output::say);
    let shown = BootPage::from_reports(&reports);
    let outputs = Outputs { page, json: args.json.is_asked, ..Outputs::default() };
    outputs.make(&Page::from_view(view(&shown)), &[InspectionDocument::new(shown.findings)])?;
    Ok(if faults.is_empty() { Ending::Passed } else { Ending::CheckFailed })
}

/// The folder itself where it is that of a boot, else the boots in it, in the order of their names.
fn boot_folders(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if is_boot_folder(path) {
        return Ok(vec![path.to_owned()]);
    }
    let shown = path.display();
    let entries = fs::read_dir(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => {
            usage!("{shown} is not there: type sudo drivelab boot enable, restart, and look again")
        }
        ErrorKind::PermissionDenied => environment!("{shown} may be read by root alone: put sudo in front"),
        ErrorKind::NotADirectory => usage!("{shown} is a file: name the folder of a boot"),
        _ => Failure::io(&shown.to_string(), &error),
    })?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|folder| is_boot_folder(folder)).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(usage!(
            "{shown} holds no boot (a folder with a boot.json): after drivelab boot enable, each restart leaves one"
        ));
    }
    Ok(folders)
}

/// Reads a boot: what was read and written by the drive that holds the root file system, where that is known.
fn read(folder: &Path, hide_serial: HideSerialArg, faults: &mut Vec<String>) -> Result<BootReport, Failure> {
    let record = BootRecord::read(folder).map_err(|error| usage!("{error}"))?;
    let (trace, manifest) = TraceFolder::open(folder)?;
    let drive = record.drive.as_ref().and_then(|drive| {
        let place = manifest.devices.iter().position(|device| device.name == drive.name)?;
        u16::try_from(place).ok().map(DeviceId)
    });
    let began = manifest.began().or_else(|| ClockTime::in_utc(record.began_unix_ns));
    let mut io = BootIo::new(BootReport::until_ns(&record), manifest.processes);
    let mut reader = trace.reader()?;
    while let Some(batch) = reader.next_batch() {
        let own = batch.iter().filter(|one| drive.is_none_or(|drive| one.device == drive));
        own.for_each(|one| io.add(one));
    }
    let names = record.drive.iter().flat_map(|drive| [&drive.serial, &drive.wwn]).flatten();
    let hidden = HiddenSerials::from_serials(names.map(String::as_str).filter(|_| hide_serial.hide_serial));
    let record = hidden.apply(record.clone());
    let shown = folder.display();
    faults.extend(reader.faults().iter().map(|fault| format!("{shown}: figures lack a part: {fault}")));
    Ok(BootReport { folder: shown.to_string(), record, began, io })
}
