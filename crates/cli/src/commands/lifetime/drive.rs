//! What one drive reports.

use std::path::Path;
use std::time::Duration;

use drivelab_inspect::lifetime::{DriveLifetime, Ext4Counters};
use drivelab_probe::{Health, HealthReport, Roots, Written, ext4_written, health};
use drivelab_record::{Notice, Severity, WriteCounters};
use drivelab_runner::counters_of;
use drivelab_safety::DriveIdentity;

/// How long smartctl may be silent.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks a drive, and the file systems on it.
pub fn look(identity: &DriveIdentity) -> DriveLifetime {
    let device = format!("/dev/{}", identity.kernel_name.replace('!', "/"));
    let mut drive = DriveLifetime {
        model: identity.model.clone(),
        serial: identity.serial.clone(),
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
    let written = Written::of(report);
    drive.power_on_hours = report.power_on_hours;
    drive.percentage_used = report.percentage_used;
    if written.host.is_empty() {
        drive.notices.push(note("It does not count what the host writes.".to_owned()));
    } else if written.host_counter().is_none() {
        let text = "It counts what the host writes, and does not report in what unit.";
        drive.notices.push(note(text.to_owned()));
    }
    if written.flash.is_empty() && written.own_pages.is_none() {
        let text = "It does not report what is written to its flash: its write amplification is not known.";
        drive.notices.push(note(text.to_owned()));
    }
    let WriteCounters { host, flash, host_pages, own_pages } = counters_of(written);
    (drive.host, drive.flash) = (host, flash);
    (drive.host_pages, drive.own_pages) = (host_pages, own_pages);
}
