//! What one drive says.

use std::path::Path;
use std::time::Duration;

use drivelab_probe::{Health, HealthReport, Roots, Written, WrittenCounter, ext4_written, health};
use drivelab_report::{Ext4Document, LifetimeDrive, WrittenDocument};
use drivelab_safety::DriveIdentity;

/// How long smartctl may be silent.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks a drive, and the file systems on it.
pub fn look(identity: &DriveIdentity) -> LifetimeDrive {
    let device = format!("/dev/{}", identity.kernel_name.replace('!', "/"));
    let mut drive = LifetimeDrive {
        model: identity.model.clone(),
        serial: identity.serial.clone(),
        size_bytes: identity.size.get(),
        ..LifetimeDrive::default()
    };
    match health(Path::new(&device), PATIENCE) {
        Health::Known(report) => told(&mut drive, &report),
        Health::NotAvailable(why) => drive.notices.push(format!("Its own counters are not known: {why}.")),
    }
    drive.device = device;
    let found = ext4_written(&Roots::live(), &identity.kernel_name);
    drive.ext4 = found
        .into_iter()
        .map(|found| Ext4Document {
            device: found.device,
            uuid: found.uuid,
            lifetime_bytes: found.lifetime_bytes,
            session_bytes: found.session_bytes,
        })
        .collect();
    drive
}

fn told(drive: &mut LifetimeDrive, report: &HealthReport) {
    let written = Written::of(report);
    drive.power_on_hours = report.power_on_hours;
    drive.percentage_used = report.percentage_used;
    if written.host.is_empty() {
        drive.notices.push("It does not count what the host writes.".to_owned());
    } else if written.host_counter().is_none() {
        drive.notices.push("It counts what the host writes, and does not say in what unit.".to_owned());
    }
    if written.flash.is_empty() && written.own_pages.is_none() {
        let text = "It does not tell what is written to its flash: its write amplification is not known.";
        drive.notices.push(text.to_owned());
    }
    let mut host = written.host;
    // The first whose unit is known speaks for the drive.
    host.sort_by_key(|counter| counter.bytes().is_none());
    drive.host = host.into_iter().map(shown).collect();
    drive.flash = written.flash.into_iter().map(shown).collect();
    drive.host_pages = written.host_pages;
    drive.own_pages = written.own_pages;
}

fn shown(counter: WrittenCounter) -> WrittenDocument {
    let bytes = counter.bytes();
    WrittenDocument { bytes, source: counter.source, raw: counter.raw, unit_bytes: counter.unit_bytes }
}
