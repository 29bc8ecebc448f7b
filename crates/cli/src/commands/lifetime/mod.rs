//! `drivelab lifetime`: what was ever written.

mod drive;
mod health;
mod since;

use std::path::Path;

use drivelab_inspect::lifetime::{DriveHealth, DriveLifetime, LifetimeFindings, view};
use drivelab_inspect::{Inspection as _, InspectionDocument};
use drivelab_record::HiddenSerials;
use drivelab_runner::{Ending, Failure, Outputs, folder_complaint, output, started_now, unix_seconds};
use drivelab_safety::{DriveIdentity, System, Target, list_drives};
use drivelab_view::{Page, html};

use crate::args::LifetimeArgs;
use since::Since;

/// The document in the folder of a result.
const DOCUMENT: &str = "lifetime.json";

/// Shows what was ever written to a drive, or to every drive. The exit code is 1 if one of them fails or is damaged.
pub fn main(args: &LifetimeArgs) -> Result<Ending, Failure> {
    args.report.as_ref().map_or(Ok(()), |page| output::check_place(page, output::OwnFile::Page))?;
    Failure::all(args.output.folder().and_then(|folder| folder_complaint("-o", folder)))?;
    let system = System::live();
    let identities = match &args.target {
        Some(target) => vec![whole_drive(&system, target)?],
        None => list_drives(&system)
            .into_iter()
            .map(|listing| listing.identity)
            .filter(|drive| drive.parent.is_none())
            .collect(),
    };
    let earlier = args.since.as_deref().map(read).transpose()?;
    let mut found = LifetimeFindings {
        taken_unix_s: unix_seconds(),
        started: started_now(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        drives: identities.iter().map(drive::look).collect(),
    };
    for (drive, identity) in found.drives.iter_mut().zip(&identities) {
        if let Some(terabytes) = args.rated_tbw {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "above zero; `as` saturates"
            )]
            drive.rate((terabytes * 1e12) as u64);
        }
        if let Some(earlier) = &earlier {
            let since = Since { earlier, now_unix_s: found.taken_unix_s, is_named: args.target.is_some() };
            since::compare(drive, identity, &since)?;
        }
    }
    show(args, found)
}

fn show(args: &LifetimeArgs, found: LifetimeFindings) -> Result<Ending, Failure> {
    let hides = args.hide_serial.is_asked();
    let serials = found.drives.iter().filter(|_| hides).flat_map(DriveLifetime::hidden_names);
    let shown = HiddenSerials::from_serials(serials).apply(found.clone());
    let page = Page::from_view(view(&shown));
    if let Some(folder) = args.output.folder() {
        output::make_folder(folder)?;
        // A later `--since` knows the drive by its serial number.
        output::write_file(
            &folder.join(DOCUMENT),
            &output::pretty(&InspectionDocument::new(found))?,
            output::OwnFile::Json,
        )?;
        output::write_file(&folder.join("report.html"), html(&page).as_bytes(), output::OwnFile::Page)?;
    }
    let document = InspectionDocument::new(shown);
    let outputs = Outputs { page: args.report.as_deref(), json: args.json.is_asked(), ..Outputs::default() };
    outputs.make(&page, &[&document])?;
    let is_bad = |drive: &DriveLifetime| drive.health.as_ref().is_some_and(DriveHealth::is_bad);
    let fails = document.findings.drives.iter().any(is_bad);
    Ok(if fails { Ending::CheckFailed } else { Ending::Passed })
}

/// The drive that a path is of, or lies on: the counters are those of the whole drive.
fn whole_drive(system: &System, path: &Path) -> Result<DriveIdentity, Failure> {
    if path.to_string_lossy().starts_with("sim:") {
        return Err(Failure::Usage("a simulated drive has no lifetime: it is new in every run".to_owned()));
    }
    if !path.exists() {
        return Err(Failure::Usage(format!(
            "{} is not there: `drivelab drives` lists the drives",
            path.display()
        )));
    }
    let Target::Drive(drive) = Target::resolve(system, path)? else {
        return Err(Failure::Usage(format!("{} is a file: name the drive that it lies on", path.display())));
    };
    let parent = drive.identity().parent.as_ref();
    let whole = parent.and_then(|parent| {
        list_drives(system)
            .into_iter()
            .map(|listing| listing.identity)
            .find(|drive| drive.kernel_name == parent.kernel_name)
    });
    Ok(whole.unwrap_or_else(|| drive.identity().clone()))
}

/// The findings that an earlier look kept in a folder.
fn read(folder: &Path) -> Result<LifetimeFindings, Failure> {
    let path = &folder.join(DOCUMENT);
    let text = drivelab_files::read(path, drivelab_files::DOCUMENT)
        .map_err(|error| Failure::Usage(format!("--since {} cannot be read: {error}", path.display())))?;
    let wanted = LifetimeFindings::document_name();
    let not_ours = |why: String| {
        Failure::Usage(format!(
            "--since {} is no document of drivelab lifetime ({wanted}): {why}",
            path.display()
        ))
    };
    let document: InspectionDocument<LifetimeFindings> =
        serde_json::from_slice(&text).map_err(|error| not_ours(error.to_string()))?;
    if document.schema == wanted { Ok(document.findings) } else { Err(not_ours(document.schema)) }
}
