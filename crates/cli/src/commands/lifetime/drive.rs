//! What one drive reports.

use std::path::Path;
use std::time::Duration;

use drivelab_inspect::lifetime::{DriveLifetime, Ext4Counters};
use drivelab_probe::{Health, HealthReport, HostWrites, Roots, UnitConflict, Written, ext4_written, health};
use drivelab_record::{Notice, Severity, WriteCounters};
use drivelab_runner::counters_of;
use drivelab_safety::DriveIdentity;
use drivelab_view::format::bytes;

/// How long smartctl may be silent.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks a drive, and the file systems on it.
pub fn look(identity: &DriveIdentity) -> DriveLifetime {
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
            drive.notices.push(note(format!("Its own counters are not known: {why}.")));
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

/// Something that is good to know of a drive.
pub fn note(text: String) -> Notice {
    Notice { severity: Severity::Note, text }
}

fn take_counters(drive: &mut DriveLifetime, report: &HealthReport) {
    let written = Written::from_health(report);
    drive.health = Some(super::health::judge(report));
    drive.power_on_hours = report.power_on_hours;
    drive.percentage_used = report.percentage_used;
    if report.has_blank_log {
        let text = "Its health log has nothing but zeros: it is taken for one that the drive does not keep.";
        drive.notices.push(note(text.to_owned()));
    }
    if report.exit.says_in_part() {
        let text = "smartctl could not read all that the drive reports of its health: what is missing here may be there.";
        drive.notices.push(note(text.to_owned()));
    }
    drive.notices.extend(about_host_writes(&written));
    drive.notices.extend(written.conflicts.iter().map(conflict));
    if written.flash.is_empty() && written.own_pages.is_none() {
        let text = "It does not report what is written to its flash: its write amplification is not known.";
        drive.notices.push(note(text.to_owned()));
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
    Some(note(text))
}

fn conflict(found: &UnitConflict) -> Notice {
    let (one_bytes, other_bytes) = (bytes(found.one_bytes as f64), bytes(found.other_bytes as f64));
    Notice {
        severity: Severity::Warning,
        text: format!(
            "Two of its counters contradict each other: by {} {one_bytes} were written, by {} {other_bytes}.",
            found.one, found.other
        ),
    }
}
