//! What was ever written to a drive: by the host, and to its flash, as far as the drive or a file system counts it.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use crate::{HealthReport, Roots};

/// Bytes of an NVMe data unit: a thousand blocks of 512 bytes (SMART / Health Information log page).
const DATA_UNIT: u64 = 512_000;
/// The bytes that each letter of a unit stands for.
const UNITS: [(&str, u64); 6] = [
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
];

/// The kinds of flash cells that names of attributes have, by bits a cell.
const CELL_TYPES: [&str; 4] = ["SLC", "MLC", "TLC", "QLC"];

/// A counter of what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenCounter {
    /// Where it is from: `attribute 241 Host_Writes_32MiB`.
    pub source: String,
    /// Its raw value.
    pub raw: u64,
    /// Bytes that one step of it stands for; `None` where the drive does not say.
    pub unit_bytes: Option<u64>,
    /// Whether it counts one kind of flash cells (SLC, TLC), and is a part of all that was written to the flash.
    pub counts_one_cell_type: bool,
}

impl WrittenCounter {
    /// What it comes to.
    pub fn bytes(&self) -> Option<u64> {
        self.raw.checked_mul(self.unit_bytes?)
    }
}

/// What a drive says of what was written to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// What the host wrote, the best counter first: a standard's before a vendor's.
    pub host: Vec<WrittenCounter>,
    /// What was written to the flash, each counter a part of it (SLC and TLC apart) or all.
    pub flash: Vec<WrittenCounter>,
    /// Pages programmed for the host (attribute 247 of Micron's drives).
    pub host_pages: Option<u64>,
    /// Pages programmed by the translation layer for itself (attribute 248).
    pub own_pages: Option<u64>,
}

impl Written {
    /// What the health report of a drive says of it. A unit is only taken for known where a standard or the name that
    /// smartctl gives to an attribute states it.
    pub fn of(health: &HealthReport) -> Written {
        let mut written = Written::default();
        let units = health.nvme.iter().flat_map(|log| &log.counters);
        let units = units.filter(|(name, _)| name == "data_units_written");
        written.host.extend(units.map(|(name, raw)| WrittenCounter {
            source: format!("NVMe health log, {name}"),
            raw: *raw,
            unit_bytes: Some(DATA_UNIT),
            counts_one_cell_type: false,
        }));
        written.host.extend(health.sectors_written.map(|raw| WrittenCounter {
            source: "ATA device statistics, Logical Sectors Written".to_owned(),
            raw,
            unit_bytes: health.logical_block_bytes,
            counts_one_cell_type: false,
        }));
        for attribute in &health.attributes {
            let name = attribute.name.as_str();
            match name {
                "Host_Program_Page_Count" => written.host_pages = Some(attribute.raw),
                "FTL_Program_Page_Count" | "Bckgnd_Program_Page_Cnt" => {
                    written.own_pages = Some(attribute.raw);
                }
                _ => {}
            }
            let Some(medium) = medium(name) else { continue };
            let counter = WrittenCounter {
                source: format!("attribute {} {name}", attribute.id),
                raw: attribute.raw,
                unit_bytes: unit(name, health.logical_block_bytes),
                counts_one_cell_type: name.split('_').any(|word| CELL_TYPES.contains(&word)),
            };
            match medium {
                Medium::Host => written.host.push(counter),
                Medium::Flash => written.flash.push(counter),
            }
        }
        written
    }

    /// Bytes that the host wrote, by the best counter whose unit is known.
    pub fn host_counter(&self) -> Option<&WrittenCounter> {
        self.host.iter().find(|counter| counter.bytes().is_some())
    }
}

enum Medium {
    Host,
    Flash,
}

/// What a name of an attribute says that it counts; `None` where it counts no writes.
fn medium(name: &str) -> Option<Medium> {
    let words: Vec<&str> = name.split('_').collect();
    let has = |any: &[&str]| words.iter().any(|word| any.contains(word));
    if !has(&["Writes", "Written", "Write"]) || has(&["Error", "Rate", "Count", "Errors"]) {
        return None;
    }
    if has(&["NAND", "Flash"]) || has(&CELL_TYPES) {
        return Some(Medium::Flash);
    }
    (has(&["Host", "Total", "Lifetime", "User"])).then_some(Medium::Host)
}

/// The bytes of a step, where the name states them: `Host_Writes_32MiB`, `NAND_GB_Written_TLC`, `Total_LBAs_Written`.
fn unit(name: &str, logical_block: Option<u64>) -> Option<u64> {
    name.split('_').find_map(|word| {
        if ["LBAs", "Sectors", "Sector"].contains(&word) {
            return logical_block;
        }
        let (digits, unit) = word.split_at(word.find(|sign: char| !sign.is_ascii_digit())?);
        let (_, bytes) = UNITS.iter().find(|(known, _)| *known == unit)?;
        let factor: u64 = if digits.is_empty() { 1 } else { digits.parse().ok()? };
        factor.checked_mul(*bytes)
    })
}

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
#[must_use]
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
    use crate::{Health, parse_health};

    fn written(attributes: &[(u8, &str, u64)]) -> Written {
        let table: Vec<serde_json::Value> = attributes
            .iter()
            .map(|(id, name, raw)| serde_json::json!({ "id": id, "name": name, "raw": { "value": raw } }))
            .collect();
        let answer = serde_json::json!({
            "smartctl": {}, "logical_block_size": 512, "ata_smart_attributes": { "table": table },
        });
        match parse_health(answer.to_string().as_bytes()) {
            Health::Known(report) => Written::of(&report),
            Health::NotAvailable(why) => panic!("{why}"),
        }
    }

    fn bytes(counters: &[WrittenCounter]) -> Vec<Option<u64>> {
        counters.iter().map(WrittenCounter::bytes).collect()
    }

    #[test]
    fn a_unit_is_what_the_name_states_and_no_other() {
        let found = written(&[
            (241, "Host_Writes_32MiB", 3),
            (246, "Total_LBAs_Written", 7),
            (241, "Lifetime_Writes_GiB", 2),
            (249, "NAND_Writes_1GiB", 5),
            (233, "NAND_GB_Written_TLC", 4),
            (245, "SLC_Writes_32MiB", 1),
            (241, "Total_Writes", 9),
            (206, "Write_Error_Rate", 1),
            (1, "Raw_Read_Error_Rate", 1),
            (241, "Unknown_Attribute", 99),
            (233, "Media_Wearout_Indicator", 99),
            (181, "Program_Fail_Cnt_Total", 1),
            (247, "Host_Program_Page_Count", 100),
            (248, "FTL_Program_Page_Count", 50),
        ]);
        assert_eq!(bytes(&found.host), [Some(96 << 20), Some(3584), Some(2 << 30), None]);
        assert_eq!(bytes(&found.flash), [Some(5 << 30), Some(4_000_000_000), Some(32 << 20)]);
        assert_eq!((found.host_pages, found.own_pages), (Some(100), Some(50)));
        assert_eq!(
            found.host_counter().map(|counter| counter.source.as_str()),
            Some("attribute 241 Host_Writes_32MiB")
        );
    }

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
