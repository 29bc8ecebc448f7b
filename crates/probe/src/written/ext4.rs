//! What was ever written to ext4 file systems, by their own counters.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use crate::Roots;

/// What an ext4 file system was ever written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ext4Written {
    /// The block device it lies on, by its kernel name.
    pub device: String,
    /// What tells it from any other, as 32 hexadecimal digits in five groups; `None` where nobody says.
    pub uuid: Option<String>,
    /// Since it was made, in bytes.
    pub lifetime_bytes: Option<u64>,
    /// Since it was mounted, in bytes.
    pub session_bytes: Option<u64>,
}

/// The ext4 file systems that are mounted from a drive: from itself, its partitions, and what lies above them.
pub fn ext4_written(roots: &Roots, kernel_name: &str) -> Vec<Ext4Written> {
    let mut devices = vec![kernel_name.to_owned()];
    let mut next = 0;
    while let Some(device) = devices.get(next).cloned() {
        next += 1;
        let folder = format!("sys/class/block/{device}");
        let partitions = roots.names(&folder).into_iter();
        let partitions = partitions.filter(|name| roots.text(format!("{folder}/{name}/partition")).is_some());
        let above = roots.names(format!("{folder}/holders"));
        for name in partitions.chain(above) {
            if !devices.contains(&name) {
                devices.push(name);
            }
        }
    }
    let kilobytes = |device: &str, file: &str| {
        let text = roots.text(format!("sys/fs/ext4/{device}/{file}"))?;
        text.parse::<u64>().ok()?.checked_mul(1024)
    };
    devices
        .into_iter()
        .map(|device| Ext4Written {
            lifetime_bytes: kilobytes(&device, "lifetime_write_kbytes"),
            session_bytes: kilobytes(&device, "session_write_kbytes"),
            uuid: ext4_uuid(roots, &device),
            device,
        })
        .filter(|found| found.lifetime_bytes.is_some() || found.session_bytes.is_some())
        .collect()
}

/// The UUID of the ext4 on a device: by the names that udev gives, or by its superblock (1024 bytes from its begin, there the
/// bytes from 0x68; the kernel's documentation of ext4).
fn ext4_uuid(roots: &Roots, device: &str) -> Option<String> {
    const NAMES: &str = "dev/disk/by-uuid";
    let leads_there = |name: &String| {
        let link = roots.path(NAMES).join(name);
        link.read_link().is_ok_and(|to| to.file_name().is_some_and(|to| to == device))
    };
    roots.names(NAMES).into_iter().find(leads_there).or_else(|| {
        let mut bytes = [0; 16];
        let file = File::open(roots.path("dev").join(device)).ok()?;
        file.read_exact_at(&mut bytes, 1024 + 0x68).ok()?;
        let digits = format!("{:032x}", u128::from_be_bytes(bytes));
        Some([&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_systems_are_found_on_partitions_and_on_what_lies_above_them() {
        let root = tempfile::tempdir().expect("a folder");
        let put = |path: &str, text: &str| {
            let path = root.path().join("sys").join(path);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("room");
            std::fs::write(path, text).expect("room");
        };
        put("class/block/sda/sda1/partition", "1\n");
        put("class/block/sda/sda2/partition", "2\n");
        put("class/block/sda2/holders/dm-0", "");
        put("class/block/sda/queue/scheduler", "none\n");
        put("fs/ext4/sda1/lifetime_write_kbytes", "1000\n");
        put("fs/ext4/sda1/session_write_kbytes", "10\n");
        put("fs/ext4/dm-0/lifetime_write_kbytes", "2\n");
        put("fs/ext4/sdb1/lifetime_write_kbytes", "5\n");
        let names = root.path().join("dev/disk/by-uuid");
        std::fs::create_dir_all(&names).expect("room");
        std::os::unix::fs::symlink("../../dm-0", names.join("0f-1e")).expect("room");
        let found = ext4_written(&Roots::at(root.path()), "sda");
        let one = |device: &str, lifetime, session| Ext4Written {
            device: device.to_owned(),
            uuid: (device == "dm-0").then(|| "0f-1e".to_owned()),
            lifetime_bytes: Some(lifetime),
            session_bytes: session,
        };
        assert_eq!(found, [one("sda1", 1_024_000, Some(10_240)), one("dm-0", 2048, None)]);
    }
}
