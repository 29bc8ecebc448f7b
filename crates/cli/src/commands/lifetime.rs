//! `drivelab lifetime`: what was ever written to a drive, and its health.

use std::path::Path;
use std::time::Duration;

use drivelab_block::SameDrive;
use drivelab_documents::{HiddenSerials, Notice, WriteCounters};
use drivelab_inspect::lifetime::{
    DriveHealth, DriveHealthFinding, DriveHealthKind, DriveLifetime, Ext4Counters, HealthState,
    LifetimeFindings, ext4_without_counters, since, view,
};
use drivelab_inspect::{Inspection as _, InspectionDocument};
use drivelab_probe::{
    Health, HealthFinding, HealthReport, HealthWeight, HostWrites, Roots, SectorFault, UnitConflict, Written,
    ext4_written, health,
};
use drivelab_runner::{
    Ending, Failure, Outputs, counters_of, folder_complaint, output, refused, started_now, unix_seconds,
    usage,
};
use drivelab_safety::{DriveIdentity, System, Target, Unrecognised, recognise};
use drivelab_view::format::bytes;
use drivelab_view::{Page, html};

use crate::args::LifetimeArgs;
use crate::commands::identity::all_drives;

/// The document in the folder of a result.
const DOCUMENT: &str = "lifetime.json";

/// Shows what was ever written to a drive, or to every drive. The exit code is 1 if one of them fails or is damaged.
pub fn main(args: &LifetimeArgs) -> Result<Ending, Failure> {
    args.page.checked()?;
    Failure::all(args.output.folder.as_deref().and_then(|folder| folder_complaint("-o", folder)))?;
    let system = System::live();
    let identities = match &args.target {
        Some(target) => vec![whole_drive(&system, target)?],
        None => all_drives(&system).filter(|drive| drive.parent.is_none()).collect(),
    };
    let earlier = args.since.as_deref().map(read).transpose()?;
    let mut found = LifetimeFindings {
        taken_unix_s: unix_seconds(),
        started: started_now(),
        version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        drives: identities.iter().map(look).collect(),
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
            compare(drive, identity, &since)?;
        }
    }
    show(args, found)
}

fn show(args: &LifetimeArgs, found: LifetimeFindings) -> Result<Ending, Failure> {
    let hides = args.hide_serial.hide_serial;
    let serials = found.drives.iter().filter(|_| hides).flat_map(DriveLifetime::hidden_names);
    let shown = HiddenSerials::from_serials(serials).apply(found.clone());
    let page = Page::from_view(view(&shown));
    if let Some(folder) = args.output.folder.as_deref() {
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
    let outputs =
        Outputs { page: args.page.report.as_deref(), json: args.json.is_asked, ..Outputs::default() };
    outputs.make(&page, &[&document])?;
    let is_bad = |drive: &DriveLifetime| drive.health.as_ref().is_some_and(DriveHealth::is_bad);
    let fails = document.findings.drives.iter().any(is_bad);
    Ok(if fails { Ending::CheckFailed } else { Ending::Passed })
}

/// The drive that a path is of, or lies on: the counters are those of the whole drive.
fn whole_drive(system: &System, path: &Path) -> Result<DriveIdentity, Failure> {
    if path.to_string_lossy().starts_with("sim:") {
        return Err(usage!("a simulated drive has no lifetime: it is new in every run"));
    }
    if !path.exists() {
        return Err(usage!("{} is not there: `drivelab drives` lists the drives", path.display()));
    }
    let Target::Drive(drive) = Target::resolve(system, path)? else {
        return Err(usage!("{} is a file: name the drive that it lies on", path.display()));
    };
    let parent = drive.identity().parent.as_ref();
    let whole =
        parent.and_then(|parent| all_drives(system).find(|drive| drive.kernel_name == parent.kernel_name));
    Ok(whole.unwrap_or_else(|| drive.identity().clone()))
}

/// The findings that an earlier look kept in a folder.
fn read(folder: &Path) -> Result<LifetimeFindings, Failure> {
    let path = &folder.join(DOCUMENT);
    let text = drivelab_files::read(path, drivelab_files::DOCUMENT)
        .map_err(|error| usage!("--since {} cannot be read: {error}", path.display()))?;
    let wanted = LifetimeFindings::DOCUMENT;
    let not_ours = |why: String| {
        usage!("--since {} is no document of drivelab lifetime ({wanted}): {why}", path.display())
    };
    let document: InspectionDocument<LifetimeFindings> =
        serde_json::from_slice(&text).map_err(|error| not_ours(error.to_string()))?;
    if document.schema == wanted { Ok(document.findings) } else { Err(not_ours(document.schema)) }
}

/// How long smartctl may be silent.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks a drive, and the file systems on it.
fn look(identity: &DriveIdentity) -> DriveLifetime {
    let device = format!("/dev/{}", identity.kernel_name.replace('!', "/"));
    let mut drive = DriveLifetime {
        model: identity.model.clone(),
        serial: identity.serial.clone(),
        wwn: identity.wwn.clone(),
        namespace: identity.namespace,
        path: identity.place().path,
        size_bytes: identity.size.get(),
        ..DriveLifetime::default()
    };
    match health(Path::new(&device), PATIENCE) {
        Health::Known(report) => take_counters(&mut drive, &report),
        Health::NotAvailable(why) => {
            drive.notices.push(Notice::note(format!("Its own counters are not known: {why}.")));
        }
    }
    drive.device = device;
    let found = ext4_written(&Roots::live(), &identity.kernel_name);
    drive.ext4 = found
        .into_iter()
        .map(|found| Ext4Counters {
            device: found.device,
            uuid: found.uuid,
            lifetime_bytes: found.lifetime_bytes,
            session_bytes: found.session_bytes,
        })
        .collect();
    drive
}

fn take_counters(drive: &mut DriveLifetime, report: &HealthReport) {
    let written = Written::from_health(report);
    drive.health = Some(judge(report));
    drive.power_on_hours = report.power_on_hours;
    drive.percentage_used = report.percentage_used;
    if report.has_blank_log {
        let text = "Its health log has nothing but zeros: it is taken for one that the drive does not keep.";
        drive.notices.push(Notice::note(text));
    }
    if report.exit.says_in_part() {
        let text = "smartctl could not read all that the drive reports of its health: what is missing here may be there.";
        drive.notices.push(Notice::note(text));
    }
    drive.notices.extend(about_host_writes(&written));
    drive.notices.extend(written.conflicts.iter().map(conflict));
    if written.flash.is_empty() && written.own_pages.is_none() {
        let text = "It does not report what is written to its flash: its write amplification is not known.";
        drive.notices.push(Notice::note(text));
    }
    let WriteCounters { host, flash, host_pages, own_pages } = counters_of(written);
    (drive.host, drive.flash) = (host, flash);
    (drive.host_pages, drive.own_pages) = (host_pages, own_pages);
}

/// Why it is not known what the host wrote; none if it is.
fn about_host_writes(written: &Written) -> Option<Notice> {
    let text = match written.host_writes() {
        // The counters are named where they contradict each other.
        HostWrites::Known(_) | HostWrites::Contradicted => return None,
        HostWrites::UnitNotKnown => {
            let sources: Vec<&str> = written.host.iter().map(|counter| counter.source.as_str()).collect();
            format!(
                "It counts what the host writes ({}), and the unit is not known: no standard states it, and no entry for this \
                 drive in smartctl's database.",
                sources.join(", ")
            )
        }
        HostWrites::NotReported => "It does not report what the host writes.".to_owned(),
    };
    Some(Notice::note(text))
}

fn conflict(found: &UnitConflict) -> Notice {
    let (one_bytes, other_bytes) = (bytes(found.one_bytes as f64), bytes(found.other_bytes as f64));
    Notice::warning(format!(
        "Two of its counters contradict each other: by {} {one_bytes} were written, by {} {other_bytes}.",
        found.one, found.other
    ))
}

/// The health in a report.
fn judge(report: &HealthReport) -> DriveHealth {
    let mut findings = Vec::new();
    for found in HealthFinding::all(report) {
        let Some((kind, count)) = kind(&found) else { continue };
        findings.push(DriveHealthFinding {
            kind,
            state: state(found.weight()),
            count,
            words: found.to_string(),
        });
    }
    let worst = findings.iter().map(|found| found.state).max();
    DriveHealth { passed: report.passed, state: worst.unwrap_or(HealthState::Well), findings }
}

fn state(weight: HealthWeight) -> HealthState {
    match weight {
        HealthWeight::Logged => HealthState::Well,
        HealthWeight::Doubtful => HealthState::Doubtful,
        HealthWeight::Damaged => HealthState::Damaged,
        HealthWeight::Failing => HealthState::Failing,
    }
}

/// What a finding is, and what it counts; none if it is about the asking, and not about the drive.
fn kind(found: &HealthFinding) -> Option<(DriveHealthKind, Option<u64>)> {
    Some(match found {
        HealthFinding::NotKnown(_) => return None,
        HealthFinding::OwnCheckFails => (DriveHealthKind::OwnCheckFails, None),
        HealthFinding::AttributeFails(_) => (DriveHealthKind::AttributeFails, None),
        HealthFinding::AttributeWorn(_) => (DriveHealthKind::AttributeWorn, None),
        HealthFinding::Warning(_) => (DriveHealthKind::CriticalWarning, None),
        HealthFinding::EnduranceUsed(percent) => (DriveHealthKind::EnduranceUsed, Some(u64::from(*percent))),
        HealthFinding::Sectors { fault, count, .. } => (of_sectors(*fault), Some(*count)),
        HealthFinding::MediaErrors(count) => (DriveHealthKind::MediaErrors, Some(*count)),
        HealthFinding::AttributeWasLow => (DriveHealthKind::AttributeWasLow, None),
        HealthFinding::ErrorsLogged => (DriveHealthKind::ErrorsLogged, None),
        HealthFinding::SelfTestsFailed => (DriveHealthKind::SelfTestsFailed, None),
    })
}

fn of_sectors(fault: SectorFault) -> DriveHealthKind {
    match fault {
        SectorFault::Reallocated => DriveHealthKind::ReallocatedSectors,
        SectorFault::Pending => DriveHealthKind::PendingSectors,
        SectorFault::Uncorrectable => DriveHealthKind::UncorrectableSectors,
    }
}

/// An earlier look, and what of it is compared.
struct Since<'a> {
    earlier: &'a LifetimeFindings,
    /// When this look is, in seconds since 1970.
    now_unix_s: u64,
    is_named: bool,
}

/// Notes what happened to a drive since an earlier document. Refused where the drive was named, and it cannot be told whether
/// the document is of it or of another one.
fn compare(drive: &mut DriveLifetime, identity: &DriveIdentity, looks: &Since<'_>) -> Result<(), Failure> {
    let before = match find(drive, identity, looks.earlier) {
        Ok(before) => before,
        Err(NotFound::Absent(why)) => {
            drive.notices.push(Notice::note(why));
            return Ok(());
        }
        Err(NotFound::Doubtful(why)) if looks.is_named => {
            return Err(refused!(
                "--since: {why}: keep a document of the drive as it is connected now (-o DIR), and compare with that one later"
            ));
        }
        Err(NotFound::Doubtful(why)) => {
            let text = format!("What was written since the earlier document is not known: {why}.");
            drive.notices.push(Notice::warning(text));
            return Ok(());
        }
    };
    match since(before, drive, looks.now_unix_s.saturating_sub(looks.earlier.taken_unix_s)) {
        Ok(found) => {
            let unknown: Vec<String> = ext4_without_counters(&found, drive).map(not_known).collect();
            drive.notices.extend(unknown.into_iter().map(Notice::note));
            drive.since = Some(found);
        }
        Err(why) => {
            drive.notices.push(Notice::warning(format!("What was written since then is not known: {why}.")));
        }
    }
    Ok(())
}

/// Why a drive is not compared.
enum NotFound {
    /// The earlier document does not have it; a sentence.
    Absent(String),
    /// It may have it, or another one; a sentence without its full stop.
    Doubtful(String),
}

/// What the earlier document has of this drive.
fn find<'a>(
    drive: &DriveLifetime,
    identity: &DriveIdentity,
    earlier: &'a LifetimeFindings,
) -> Result<&'a DriveLifetime, NotFound> {
    let (which, device) = (drive.which(), &drive.device);
    let fitting: Vec<&DriveLifetime> =
        earlier.drives.iter().filter(|before| before.which().compare(&which).fits()).collect();
    let proved = |before: &&&DriveLifetime| before.which().compare(&which) == SameDrive::Same;
    let nameless = which.serial.is_none() && which.own_wwn().is_none();
    let before = match &fitting[..] {
        [] => return Err(NotFound::Absent(absent(drive, earlier))),
        [only] => *only,
        // What has no names is known by where it is.
        several if nameless => match several.iter().find(|before| before.device == *device) {
            Some(before) => *before,
            None => return Err(NotFound::Absent(absent(drive, earlier))),
        },
        several => {
            let Some(before) = several.iter().find(proved) else {
                let names: Vec<&str> = several.iter().map(|before| before.device.as_str()).collect();
                return Err(NotFound::Doubtful(format!(
                    "{device} may be {} of the earlier document, which cannot be told from each other",
                    names.join(" or ")
                )));
            };
            *before
        }
    };
    match recognise(&System::live(), (&before.which(), &before.place()), identity, &[]) {
        Ok(_) => Ok(before),
        Err(Unrecognised::Another(_)) => Err(NotFound::Absent(absent(drive, earlier))),
        Err(doubtful @ Unrecognised::Doubtful { .. }) => {
            Err(NotFound::Doubtful(format!("{device} {doubtful}")))
        }
    }
}

/// What is to be said of a drive that the earlier document does not have.
fn absent(drive: &DriveLifetime, earlier: &LifetimeFindings) -> String {
    let of_serial =
        earlier.drives.iter().find(|before| before.serial.is_some() && before.serial == drive.serial);
    let Some(before) = of_serial else { return "The earlier document does not have this drive.".to_owned() };
    let SameDrive::Another(facts) = before.which().compare(&drive.which()) else {
        return "The earlier document does not have this drive.".to_owned();
    };
    let facts: Vec<String> = facts.iter().map(ToString::to_string).collect();
    format!(
        "The earlier document does not have this drive: {} has the same serial number there, and another {}.",
        before.device,
        facts.join(" and ")
    )
}

fn not_known(ext4: &Ext4Counters) -> String {
    let device = &ext4.device;
    if ext4.uuid.is_none() {
        return format!(
            "What was written to the ext4 on {device} since then is not known: its UUID cannot be read, by which it is \
             known from the earlier document."
        );
    }
    format!(
        "What was written to the ext4 on {device} since then is not known: it was not mounted at the earlier document, or \
         is another one."
    )
}
