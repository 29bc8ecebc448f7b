//! How the kernel is set to treat a drive: what has to stand beside every result.

use std::path::{Path, PathBuf};

use crate::Roots;

/// One setting, as the kernel writes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What it is, with its unit where it has one: `read-ahead (KiB)`.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

/// The settings in a drive's queue folder, in the order of the report.
const QUEUE: [(&str, &str); 22] = [
    ("scheduler", "scheduler"),
    ("queued requests", "nr_requests"),
    ("rotational", "rotational"),
    ("write cache", "write_cache"),
    ("forced unit access", "fua"),
    ("logical block (bytes)", "logical_block_size"),
    ("physical block (bytes)", "physical_block_size"),
    ("smallest efficient I/O (bytes)", "minimum_io_size"),
    ("optimal I/O (bytes)", "optimal_io_size"),
    ("longest request (KiB)", "max_sectors_kb"),
    ("longest request of the hardware (KiB)", "max_hw_sectors_kb"),
    ("segments a request", "max_segments"),
    ("discard granularity (bytes)", "discard_granularity"),
    ("longest discard (bytes)", "discard_max_bytes"),
    ("zoned", "zoned"),
    ("read-ahead (KiB)", "read_ahead_kb"),
    ("merging off", "nomerges"),
    ("completion on the asking CPU", "rq_affinity"),
    ("writeback throttling target (us)", "wbt_lat_usec"),
    ("I/O statistics", "iostats"),
    ("entropy from I/O", "add_random"),
    ("polling", "io_poll"),
];

/// The settings beside the queue folder.
const DEVICE: [(&str, &str); 6] = [
    ("queue depth of the device", "device/queue_depth"),
    ("queues of the controller", "device/queue_count"),
    ("controller", "device/address"),
    ("read-only", "ro"),
    ("removable", "removable"),
    ("direct I/O to the loop's file", "loop/dio"),
];

/// Every setting of the drive with this kernel name that the kernel shows; a partition has its drive's.
#[must_use]
pub fn device_conditions(roots: &Roots, kernel_name: &str) -> Vec<Condition> {
    let folder = drive_folder(roots, kernel_name);
    let read = |name: &'static str, path: PathBuf| {
        let value = roots.text(path)?;
        Some(Condition { name, value: chosen(&value).to_owned() })
    };
    let queue = QUEUE.iter().filter_map(|(name, file)| read(name, folder.join("queue").join(file)));
    let device = DEVICE.iter().filter_map(|(name, file)| read(name, folder.join(file)));
    queue.chain(device).chain(hardware_queues(roots, &folder)).chain(poll_queues(roots, &folder)).collect()
}

/// How the kernel's driver counts the hardware queues of a drive; none of a drive without a folder of them.
fn hardware_queues(roots: &Roots, folder: &Path) -> Option<Condition> {
    let count = roots.names(folder.join("mq")).len();
    (count > 0).then(|| Condition { name: "hardware queues", value: count.to_string() })
}

/// The sysfs folder of the drive, or of the drive that a partition is a part of.
pub(crate) fn drive_folder(roots: &Roots, kernel_name: &str) -> PathBuf {
    let link = Path::new("sys/class/block").join(kernel_name.replace('/', "!"));
    if roots.path(link.join("partition")).exists() {
        // The link leads into the drive's own folder, so the one above is the drive's.
        if let Some(drive) = roots.path(&link).canonicalize().ok().as_deref().and_then(Path::parent) {
            return drive.to_path_buf();
        }
    }
    link
}

/// The kernel's policy for the power management of PCI Express links (ASPM): `default`, `performance`, `powersave`,
/// `powersupersave`.
#[must_use]
pub fn aspm_policy(roots: &Roots) -> Option<String> {
    roots.text("sys/module/pcie_aspm/parameters/policy").map(|text| chosen(&text).to_owned())
}

/// The word in brackets where the kernel lists every choice: `none [mq-deadline] kyber`.
fn chosen(value: &str) -> &str {
    value.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or(value, |(word, _)| word)
}

fn poll_queues(roots: &Roots, folder: &Path) -> Option<Condition> {
    let controller = roots.path(folder.join("device")).canonicalize().ok()?;
    if !controller.file_name()?.to_str()?.starts_with("nvme") {
        return None;
    }
    let value = roots.text("sys/module/nvme/parameters/poll_queues")?;
    Some(Condition { name: "poll queues", value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn value(conditions: &[Condition], name: &str) -> Option<String> {
        conditions.iter().find(|condition| condition.name == name).map(|condition| condition.value.clone())
    }

    #[test]
    fn a_partition_has_its_drives_settings() {
        let root = tempfile::tempdir().expect("a folder");
        let drive = root.path().join("sys/devices/pci/block/sda");
        fs::create_dir_all(drive.join("queue")).expect("a queue");
        fs::create_dir_all(drive.join("sda1")).expect("a partition");
        fs::create_dir_all(root.path().join("sys/class/block")).expect("a class");
        fs::write(drive.join("queue/scheduler"), "none [mq-deadline] kyber\n").expect("a setting");
        fs::write(drive.join("sda1/partition"), "1\n").expect("a number");
        ["0", "1"]
            .iter()
            .for_each(|queue| fs::create_dir_all(drive.join("mq").join(queue)).expect("a queue"));
        for (name, target) in [("sda", "block/sda"), ("sda1", "block/sda/sda1")] {
            let link = root.path().join("sys/class/block").join(name);
            std::os::unix::fs::symlink(root.path().join("sys/devices/pci").join(target), link)
                .expect("a link");
        }
        let roots = Roots::at(root.path());
        for name in ["sda", "sda1"] {
            let conditions = device_conditions(&roots, name);
            assert_eq!(value(&conditions, "scheduler").as_deref(), Some("mq-deadline"), "{name}");
            assert_eq!(value(&conditions, "hardware queues").as_deref(), Some("2"), "{name}");
        }
        assert!(device_conditions(&roots, "sdb").is_empty());
    }
}
