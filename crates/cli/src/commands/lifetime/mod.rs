//! `drivelab lifetime`: what was ever written.

mod drive;

use std::path::Path;

use drivelab_report::{
    Ext4Document, LIFETIME_SCHEMA, LifetimeDocument, LifetimeDrive, ext4_untold, lifetime_html,
    lifetime_terminal, since,
};
use drivelab_runner::{Ending, Failure, output, unix_seconds};
use drivelab_safety::{DriveIdentity, System, Target, list_drives};

use crate::args::LifetimeArgs;

/// Shows what was ever written to a drive, or to every drive.
pub fn main(args: &LifetimeArgs) -> Result<Ending, Failure> {
    args.output.as_ref().map_or(Ok(()), |path| output::check_place(path, b'{'))?;
    args.report.as_ref().map_or(Ok(()), |page| output::check_place(page, b'<'))?;
    args.output.as_deref().map_or(Ok(()), check_new)?;
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
    let mut document = LifetimeDocument {
        schema: LIFETIME_SCHEMA.to_owned(),
        taken_unix_s: unix_seconds(),
        drives: identities.iter().map(drive::look).collect(),
    };
    let now = document.taken_unix_s;
    for drive in &mut document.drives {
        if let Some(terabytes) = args.rated_tbw {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "above zero; `as` saturates"
            )]
            drive.rate((terabytes * 1e12) as u64);
        }
        if let Some(earlier) = &earlier {
            compare(drive, earlier, now);
        }
    }
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else if document.drives.is_empty() {
        output::print("There is no drive.\n")?;
    } else {
        output::print(&lifetime_terminal(&document, output::style()))?;
    }
    if let Some(path) = &args.output {
        let mut text = serde_json::to_string_pretty(&document)
            .map_err(|error| Failure::Environment(format!("the document cannot be made: {error}")))?;
        text.push('\n');
        output::write_file(path, text.as_bytes())?;
    }
    if let Some(page) = &args.report {
        output::write_file(page, lifetime_html(&document).as_bytes())?;
        output::say(format_args!("report: {}", page.display()));
    }
    Ok(Ending::Passed)
}

/// Refuses a file that has something in it: it may be the begin that a later look is to be compared with.
fn check_new(path: &Path) -> Result<(), Failure> {
    let is_written = std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if is_written {
        let path = path.display();
        return Err(Failure::Usage(format!("-o: {path} is there already: name another file, or remove it")));
    }
    Ok(())
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

/// Notes what happened to a drive since an earlier document.
fn compare(drive: &mut LifetimeDrive, earlier: &LifetimeDocument, now: u64) {
    let same = |before: &&LifetimeDrive| match (&before.serial, &drive.serial) {
        (None, None) => before.device == drive.device && before.model == drive.model,
        (before, now) => before == now,
    };
    let Some(before) = earlier.drives.iter().find(same) else {
        drive.notices.push("The earlier document does not have this drive.".to_owned());
        return;
    };
    match since(before, drive, now.saturating_sub(earlier.taken_unix_s)) {
        Ok(found) => {
            let untold: Vec<String> = ext4_untold(&found, drive).map(untold_notice).collect();
            drive.notices.extend(untold);
            drive.since = Some(found);
        }
        Err(why) => drive.notices.push(format!("Nothing is told since then: {why}.")),
    }
}

fn untold_notice(ext4: &Ext4Document) -> String {
    let device = &ext4.device;
    if ext4.uuid.is_none() {
        return format!(
            "Nothing is told of the ext4 on {device}: its UUID cannot be read, by which it is known from the earlier document."
        );
    }
    format!(
        "The ext4 on {device} was not mounted at the earlier document, or is another one: nothing is told of it."
    )
}

fn read(path: &Path) -> Result<LifetimeDocument, Failure> {
    let text = std::fs::read(path)
        .map_err(|error| Failure::Usage(format!("--since {} cannot be read: {error}", path.display())))?;
    let not_ours = |why: String| {
        Failure::Usage(format!("--since {} is no document of drivelab lifetime: {why}", path.display()))
    };
    let document: LifetimeDocument =
        serde_json::from_slice(&text).map_err(|error| not_ours(error.to_string()))?;
    if document.schema == LIFETIME_SCHEMA { Ok(document) } else { Err(not_ours(document.schema)) }
}
