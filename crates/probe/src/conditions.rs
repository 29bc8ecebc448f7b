//! How the kernel is set to treat a drive: what has to stand beside every result.

use std::path::{Path, PathBuf};

use crate::Roots;
use crate::controllers::{nvme_controllers, nvme_paths, path_folders};

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

/// The settings of an NVMe drive's controllers.
const CONTROLLER: [(&str, &str); 2] =
    [("queues of the controller", "queue_count"), ("controller", "address")];

/// The settings beside the queue folder.
const DEVICE: [(&str, &str); 4] = [
    ("queue depth of the device", "device/queue_depth"),
    ("read-only", "ro"),
    ("removable", "removable"),
    ("direct I/O to the loop's file", "loop/dio"),
];

/// Every setting of the drive with this kernel name that the kernel shows; a partition has its drive's.
pub fn device_conditions(roots: &Roots, kernel_name: &str) -> Vec<Condition> {
    let folder = roots.drive_folder(kernel_name);
    let read = |name: &'static str, path: PathBuf| {
        let value = roots.text(path)?;
        Some(Condition { name, value: chosen(&value).to_owned() })
    };
    let queue = QUEUE.iter().filter_map(|(name, file)| read(name, folder.join("queue").join(file)));
    let device = DEVICE.iter().filter_map(|(name, file)| read(name, folder.join(file)));
    let controllers = nvme_controllers(roots, kernel_name);
    let of_controllers = CONTROLLER.iter().filter_map(|(name, file)| {
        let values = controllers.iter().map(|controller| roots.text(controller.folder.join(file)));
        Some(Condition { name, value: join_distinct(values)? })
    });
    let paths = nvme_paths(roots, kernel_name);
    let paths = join_distinct(paths.into_iter().map(|path| Some(path.name)));
    let paths = paths.map(|value| Condition { name: "paths", value });
    let queues = hardware_queues(roots, &folder, kernel_name);
    let polling = poll_queues(roots, !controllers.is_empty());
    queue.chain(device).chain(of_controllers).chain(paths).chain(queues).chain(polling).collect()
}

/// What several controllers have, as one value: the one that all of them have, or each of the different ones.
pub fn join_distinct(values: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    let mut found: Vec<String> = Vec::new();
    for value in values.into_iter().flatten() {
        if !found.contains(&value) {
            found.push(value);
        }
    }
    (!found.is_empty()).then(|| found.join(", "))
}

/// How the kernel's driver counts the hardware queues of a drive; of one with several paths, those of each of them. None of a
/// drive without a folder of them.
fn hardware_queues(roots: &Roots, folder: &Path, kernel_name: &str) -> Option<Condition> {
    let mut folders = vec![folder.to_path_buf()];
    folders.extend(path_folders(roots, kernel_name));
    let counts = folders.iter().map(|folder| roots.names(folder.join("mq")).len());
    let counts = counts.map(|count| (count > 0).then(|| count.to_string()));
    Some(Condition { name: "hardware queues", value: join_distinct(counts)? })
}

/// The kernel's policy for the power management of PCI Express links (ASPM): `default`, `performance`, `powersave`,
/// `powersupersave`.
pub fn aspm_policy(roots: &Roots) -> Option<String> {
    roots.text("sys/module/pcie_aspm/parameters/policy").map(|text| chosen(&text).to_owned())
}

/// The word in brackets where the kernel lists every choice: `none [mq-deadline] kyber`.
fn chosen(value: &str) -> &str {
    value.split_once('[').and_then(|(_, rest)| rest.split_once(']')).map_or(value, |(word, _)| word)
}

fn poll_queues(roots: &Roots, is_nvme: bool) -> Option<Condition> {
    let value = roots.text("sys/module/nvme/parameters/poll_queues").filter(|_| is_nvme)?;
    Some(Condition { name: "poll queues", value })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controllers::fixture;
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

    #[test]
    fn a_drive_with_several_controllers_has_the_settings_of_all_of_them() {
        let root = tempfile::tempdir().expect("a folder");
        fixture::head(root.path(), 2);
        for (number, address) in [(0, "0000:00:00.0\n"), (1, "0000:01:00.0\n")] {
            let folder = fixture::controller(number);
            fixture::write(root.path(), &format!("{folder}/address"), address);
            fixture::write(root.path(), &format!("{folder}/queue_count"), "3\n");
            fixture::write(root.path(), &format!("{folder}/nvme0c{number}n1/mq/0/nr_tags"), "1023\n");
        }
        fixture::write(root.path(), "sys/module/nvme/parameters/poll_queues", "0\n");
        let conditions = device_conditions(&Roots::at(root.path()), "nvme0n1");
        let of = |name: &str| value(&conditions, name);
        assert_eq!(of("controller").as_deref(), Some("0000:00:00.0, 0000:01:00.0"));
        assert_eq!(of("queues of the controller").as_deref(), Some("3"));
        assert_eq!(of("paths").as_deref(), Some("nvme0c0n1, nvme0c1n1"));
        assert_eq!(of("hardware queues").as_deref(), Some("1"));
        assert_eq!(of("poll queues").as_deref(), Some("0"));
    }
}
