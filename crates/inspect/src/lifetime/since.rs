//! What happened to a drive between two documents.

use super::findings::{DriveLifetime, Ext4Counters, Ext4Since, LifetimeSince};

/// What happened between `before` and `now`, `seconds` later.
///
/// # Errors
/// A sentence without its final stop, where a counter went back: it is another drive, or one that was reset.
pub fn since(before: &DriveLifetime, now: &DriveLifetime, seconds: u64) -> Result<LifetimeSince, String> {
    let written = now.counters().since(&before.counters())?;
    let ratio = written.write_amplification();
    Ok(LifetimeSince {
        seconds,
        host_bytes: written.host.map(|writes| writes.amount),
        flash_bytes: written.flash.map(|writes| writes.amount),
        write_amplification: ratio.map(|(value, _)| value),
        write_amplification_error: ratio.map(|(_, error)| error),
        ext4: ext4(&before.ext4, &now.ext4),
    })
}

/// Devices may have changed their names; a file system that cannot be identified is left out.
fn ext4(before: &[Ext4Counters], now: &[Ext4Counters]) -> Vec<Ext4Since> {
    let written = |now: &Ext4Counters| {
        let was = before.iter().find(|was| was.uuid.is_some() && was.uuid == now.uuid)?.lifetime_bytes?;
        let bytes = now.lifetime_bytes?.checked_sub(was)?;
        Some(Ext4Since { device: now.device.clone(), bytes })
    };
    now.iter().filter_map(written).collect()
}

/// The ext4 file systems of now of which it is not known what was written to them since then.
pub fn ext4_without_counters<'a>(
    since: &'a LifetimeSince,
    now: &'a DriveLifetime,
) -> impl Iterator<Item = &'a Ext4Counters> {
    let is_unknown = |one: &&Ext4Counters| !since.ext4.iter().any(|known| known.device == one.device);
    now.ext4.iter().filter(is_unknown)
}

#[cfg(test)]
mod tests {
    use drivelab_documents::WriteCounter;

    use super::*;

    fn counter(source: &str, raw: u64, unit_bytes: u64) -> WriteCounter {
        WriteCounter {
            source: source.to_owned(),
            raw,
            unit_bytes: Some(unit_bytes),
            bytes: Some(raw * unit_bytes),
            counts_one_cell_type: source.starts_with("TLC") || source.starts_with("SLC"),
        }
    }

    fn drive(host: u64, tlc: u64, slc: u64) -> DriveLifetime {
        DriveLifetime {
            host: vec![counter("Host_Writes_32MiB", host, 32 << 20)],
            flash: vec![
                counter("TLC_Writes_32MiB", tlc, 32 << 20),
                counter("SLC_Writes_32MiB", slc, 32 << 20),
            ],
            ..DriveLifetime::default()
        }
    }

    #[test]
    fn flash_writes_of_both_kinds_over_host_writes_with_the_error_of_their_steps() {
        let found = since(&drive(1000, 500, 100), &drive(1100, 720, 130), 60).expect("forward");
        assert_eq!((found.host_bytes, found.flash_bytes), (Some(100 << 25), Some(250 << 25)));
        assert_eq!(found.write_amplification, Some(2.5));
        // 2.5 x (1 / 100 + 2 / 250)
        assert!((found.write_amplification_error.expect("an error") - 0.045).abs() < 1e-12);
    }

    #[test]
    fn file_systems_are_known_by_their_identifiers() {
        let mounted = |seen: [(&str, &str, u64); 3]| DriveLifetime {
            ext4: seen
                .into_iter()
                .map(|(device, uuid, kib)| Ext4Counters {
                    device: device.to_owned(),
                    uuid: (!uuid.is_empty()).then(|| uuid.to_owned()),
                    lifetime_bytes: Some(kib << 10),
                    session_bytes: None,
                })
                .collect(),
            ..DriveLifetime::default()
        };
        let before = mounted([("dm-0", "root", 100), ("dm-1", "home", 400), ("sda1", "", 7)]);
        // After a start the names have changed sides, and the third cannot be identified.
        let now = mounted([("dm-0", "home", 410), ("dm-1", "root", 101), ("sda1", "", 9)]);
        let found = since(&before, &now, 60).expect("no counter of the drive");
        let one = |device: &str, kib: u64| Ext4Since { device: device.to_owned(), bytes: kib << 10 };
        assert_eq!(found.ext4, [one("dm-0", 10), one("dm-1", 1)]);
    }

    #[test]
    fn too_little_or_backward_is_no_ratio() {
        let little = since(&drive(1000, 500, 100), &drive(1005, 540, 110), 60).expect("forward");
        assert_eq!((little.host_bytes, little.write_amplification), (Some(5 << 25), None));
        let why = since(&drive(1000, 500, 100), &drive(900, 540, 110), 60).expect_err("back");
        assert!(why.contains("reset"), "{why}");
    }

    #[test]
    fn counts_of_pages_give_the_ratio_without_their_size() {
        let drive = |host_pages, own_pages| DriveLifetime {
            host_pages: Some(host_pages),
            own_pages: Some(own_pages),
            ..DriveLifetime::default()
        };
        let found = since(&drive(1000, 100), &drive(3000, 1100), 60).expect("forward");
        assert_eq!((found.write_amplification, found.host_bytes), (Some(1.5), None));
    }
}
