//! What was ever written to a drive: by the host, and to its flash, as far as the drive or a file system counts it.

mod ext4;
mod unit;

use crate::HealthReport;

pub use ext4::{Ext4Written, ext4_written};
pub use unit::{CountedUnit, UnitConflict};

/// Bytes of an NVMe data unit: a thousand blocks of 512 bytes (SMART / Health Information log page).
const DATA_UNIT: u64 = 512_000;
/// Bytes of a thousandth of a gigabyte.
const MEGABYTE: u64 = 1_000_000;

/// The kinds of flash cells that names of attributes have, by bits a cell.
const CELL_TYPES: [&str; 4] = ["SLC", "MLC", "TLC", "QLC"];

/// A counter of what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenCounter {
    /// Where it is from: `attribute 241 Host_Writes_32MiB`.
    pub source: String,
    /// Its raw value.
    pub raw: u64,
    /// What one step of it stands for.
    pub unit: CountedUnit,
    /// Whether it counts one kind of flash cells (SLC, TLC), and is a part of all that was written to the flash.
    pub counts_one_cell_type: bool,
}

impl WrittenCounter {
    /// The bytes that it stands for; `None` where its unit is not known, or another counter contradicts it.
    pub fn bytes(&self) -> Option<u64> {
        self.raw.checked_mul(self.unit.known()?)
    }

    /// A counter of a standard, which states its unit.
    fn of_standard(source: &str, raw: u64, unit_bytes: Option<u64>) -> WrittenCounter {
        WrittenCounter {
            source: source.to_owned(),
            raw,
            unit: unit_bytes.map_or(CountedUnit::NotKnown, CountedUnit::Standard),
            counts_one_cell_type: false,
        }
    }
}

/// What a drive says of what the host wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostWrites<'a> {
    /// So much, by this counter.
    Known(&'a WrittenCounter),
    /// It counts them, in units that contradict each other.
    Contradicted,
    /// It counts them, in a unit that is not known.
    UnitNotKnown,
    /// It reports no such counter.
    NotReported,
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
    /// Counters that cannot both be right.
    pub conflicts: Vec<UnitConflict>,
}

impl Written {
    /// What the health report of a drive says of it. A unit is only taken for known where a standard states it, or the name that
    /// smartctl's database has for an attribute of this drive; and no unit of two counters that contradict each other.
    pub fn from_health(health: &HealthReport) -> Written {
        let mut written = Written { host: of_standards(health), ..Written::default() };
        for attribute in &health.attributes {
            let name = attribute.name.as_str();
            match name {
                "Host_Program_Page_Count" => written.host_pages = Some(attribute.count()),
                "FTL_Program_Page_Count" | "Bckgnd_Program_Page_Cnt" => {
                    written.own_pages = Some(attribute.count());
                }
                _ => {}
            }
            let Some(medium) = medium(name) else { continue };
            let counter = WrittenCounter {
                source: format!("attribute {}", attribute.title()),
                raw: attribute.count(),
                unit: CountedUnit::of_name(name, health),
                counts_one_cell_type: name.split('_').any(|word| CELL_TYPES.contains(&word)),
            };
            match medium {
                Medium::Host => written.host.push(counter),
                Medium::Flash => written.flash.push(counter),
            }
        }
        written.conflicts = unit::contradict(&mut written.host);
        written.conflicts.extend(unit::contradict(&mut written.flash));
        written
    }

    /// What the host wrote, by the best counter whose unit is known.
    pub fn host_writes(&self) -> HostWrites<'_> {
        if let Some(counter) = self.host.iter().find(|counter| counter.bytes().is_some()) {
            return HostWrites::Known(counter);
        }
        if self.host.iter().any(|counter| matches!(counter.unit, CountedUnit::Contradicted(_))) {
            return HostWrites::Contradicted;
        }
        if self.host.is_empty() { HostWrites::NotReported } else { HostWrites::UnitNotKnown }
    }
}

/// The counters of host writes that standards have.
fn of_standards(health: &HealthReport) -> Vec<WrittenCounter> {
    let mut found = Vec::new();
    let units = health.nvme.iter().flat_map(|log| &log.counters);
    for (name, raw) in units.filter(|(name, _)| name == "data_units_written") {
        found.push(WrittenCounter::of_standard(&format!("NVMe health log, {name}"), *raw, Some(DATA_UNIT)));
    }
    if let Some(raw) = health.sectors_written {
        let source = "ATA device statistics, Logical Sectors Written";
        found.push(WrittenCounter::of_standard(source, raw, health.logical_block_bytes));
    }
    if let Some(raw) = health.scsi_megabytes_written {
        let source = "SCSI counters of write errors, gigabytes processed";
        found.push(WrittenCounter::of_standard(source, raw, Some(MEGABYTE)));
    }
    found
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Health, parse_health};

    fn written(attributes: &[(u8, &str, u64)]) -> Written {
        written_of(attributes, &serde_json::json!({ "in_smartctl_database": true }))
    }

    /// The same with fields of a whole answer.
    fn written_of(attributes: &[(u8, &str, u64)], more: &serde_json::Value) -> Written {
        let table: Vec<serde_json::Value> = attributes
            .iter()
            .map(|(id, name, raw)| serde_json::json!({ "id": id, "name": name, "raw": { "value": raw } }))
            .collect();
        let mut answer = serde_json::json!({
            "smartctl": {}, "logical_block_size": 512, "ata_smart_attributes": { "table": table },
        });
        for (key, value) in more.as_object().expect("fields") {
            answer[key] = value.clone();
        }
        match parse_health(answer.to_string().as_bytes()) {
            Health::Known(report) => Written::from_health(&report),
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
        let HostWrites::Known(best) = found.host_writes() else { panic!("{found:?}") };
        assert_eq!(
            (best.source.as_str(), &found.conflicts),
            ("attribute 241 Host_Writes_32MiB", &Vec::new())
        );
    }

    /// A drive of 4 TB that smartctl does not know, with 241 in GiB: in sectors it would be 89 MB in a year.
    #[test]
    fn a_name_that_most_drives_have_states_no_unit() {
        let row = [(241, "Total_LBAs_Written", 170_000)];
        for (more, known) in [
            (serde_json::json!({ "in_smartctl_database": false }), false),
            (serde_json::json!({}), false),
            (serde_json::json!({ "in_smartctl_database": true }), true),
        ] {
            let found = written_of(&row, &more);
            assert_eq!(matches!(found.host_writes(), HostWrites::Known(_)), known, "{more}");
            assert!(known || found.host_writes() == HostWrites::UnitNotKnown);
        }
        let named = written_of(&[(241, "Host_Writes_32MiB", 4)], &serde_json::json!({}));
        assert_eq!(bytes(&named.host), [Some(128 << 20)], "no other drive has this name");
    }

    #[test]
    fn units_that_contradict_each_other_are_named_and_not_believed() {
        let rows = [(225, "Host_Writes_32MiB", 130_000), (241, "Total_LBAs_Written", 130_000)];
        let found = written(&rows);
        assert_eq!((bytes(&found.host), found.host_writes()), (vec![None, None], HostWrites::Contradicted));
        let [conflict] = &found.conflicts[..] else { panic!("{found:?}") };
        assert_eq!((conflict.one_bytes, conflict.other_bytes), (130_000 << 25, 130_000 * 512));
        // What a standard counts decides.
        let statistics = serde_json::json!({
            "in_smartctl_database": true,
            "ata_device_statistics": { "pages": [{ "table": [
                { "name": "Logical Sectors Written", "value": 8_500_000_000_u64 },
            ] }] },
        });
        let found = written_of(&rows, &statistics);
        let HostWrites::Known(best) = found.host_writes() else { panic!("{found:?}") };
        assert_eq!(
            (best.source.as_str(), best.bytes()),
            ("ATA device statistics, Logical Sectors Written", Some(8_500_000_000 * 512))
        );
        assert_eq!(found.conflicts.len(), 2, "each other, and the one in sectors the standard's: {found:?}");
        let agree = [(241, "Host_Writes_32MiB", 1_000), (246, "Total_LBAs_Written", 65_000_000)];
        assert_eq!(written(&agree).conflicts, []);
    }

    #[test]
    fn scsi_drives_count_gigabytes_and_nvme_drives_units_in_any_form() {
        let of = |more| written_of(&[], &more).host.iter().map(WrittenCounter::bytes).collect::<Vec<_>>();
        for told in [serde_json::json!("120000.481"), serde_json::json!(120_000.481)] {
            let log = serde_json::json!({ "write": { "gigabytes_processed": told } });
            assert_eq!(of(serde_json::json!({ "scsi_error_counter_log": log })), [Some(120_000_481_000_000)]);
        }
        for told in [serde_json::json!("123"), serde_json::json!(123.0), serde_json::json!(123)] {
            let log = serde_json::json!({ "data_units_written": told, "available_spare": 100 });
            assert_eq!(
                of(serde_json::json!({ "nvme_smart_health_information_log": log })),
                [Some(62_976_000)]
            );
        }
    }
}
