//! The health counters of a simulated drive, as smartctl would show those of a real one.

use drivelab_probe::{Attribute, HealthReport, NvmeHealth};
use drivelab_sim::{FlashWear, HealthLog, HealthProtocol};

/// What attributes 241, 242 and 245 count in, in bytes.
const STEP: u64 = 32 << 20;
/// Bytes of an NVMe data unit, a thousand blocks of 512 bytes, of which a begun one counts (NVMe Base Specification, SMART /
/// Health Information).
pub const NVME_DATA_UNIT: u64 = 512_000;

pub fn health_report(log: &HealthLog) -> HealthReport {
    let hours = log.power_on.get() / 3_600_000_000_000;
    let percentage_used = log.flash.map(|flash| u32::try_from(flash.percentage_used).unwrap_or(u32::MAX));
    let report = HealthReport {
        passed: Some(true),
        power_on_hours: Some(hours),
        percentage_used,
        temperature_celsius: log.thermal.map(|thermal| whole_degrees(thermal.milli_celsius)),
        ..HealthReport::default()
    };
    match log.protocol {
        HealthProtocol::Ata => HealthReport { attributes: attributes(log, hours), ..report },
        HealthProtocol::Nvme => HealthReport { nvme: Some(nvme(log, hours)), ..report },
    }
}

/// A temperature as a drive reports it: in whole degrees Celsius.
pub fn whole_degrees(milli_celsius: u64) -> i32 {
    i32::try_from((milli_celsius + 500) / 1_000).unwrap_or(i32::MAX)
}

/// Attributes with the numbers and names that smartctl has for drives with controllers of Silicon Motion.
fn attributes(log: &HealthLog, hours: u64) -> Vec<Attribute> {
    let mut rows = vec![(9, "Power_On_Hours", hours)];
    if let Some(FlashWear { mean_erases, most_erases, percentage_used, .. }) = log.flash {
        rows.push((165, "Max_Erase_Count", most_erases));
        rows.push((167, "Average_Erase_Count", mean_erases));
        rows.push((169, "Remaining_Lifetime_Perc", 100_u64.saturating_sub(percentage_used)));
    }
    rows.extend(log.runtime_bad_blocks.map(|blocks| (183, "Runtime_Bad_Block", blocks)));
    rows.extend(
        log.thermal.map(|thermal| (194, "Temperature_Celsius", (thermal.milli_celsius + 500) / 1_000)),
    );
    rows.push((241, "Host_Writes_32MiB", log.host_written.get() / STEP));
    rows.push((242, "Host_Reads_32MiB", log.host_read.get() / STEP));
    rows.extend(log.flash.map(|flash| (245, "Flash_Writes_32MiB", flash.written.get() / STEP)));
    let attribute = |(id, name, raw): (u8, &str, u64)| Attribute {
        id,
        name: name.to_owned(),
        raw,
        raw_text: raw.to_string(),
        ..Attribute::default()
    };
    rows.into_iter().map(attribute).collect()
}

fn nvme(log: &HealthLog, hours: u64) -> NvmeHealth {
    let percentage_used = log.flash.map_or(0, |flash| flash.percentage_used.min(255));
    let thermal = log.thermal.unwrap_or_default();
    let counters = [
        ("percentage_used", percentage_used),
        ("data_units_read", log.host_read.get().div_ceil(NVME_DATA_UNIT)),
        ("data_units_written", log.host_written.get().div_ceil(NVME_DATA_UNIT)),
        ("host_reads", log.host_reads),
        ("host_writes", log.host_writes),
        ("power_on_hours", hours),
        ("thermal_temp1_transition_count", thermal.transitions),
        ("thermal_temp1_total_time", thermal.throttled.get() / 1_000_000_000),
    ];
    NvmeHealth {
        critical_warning: 0,
        available_spare_percent: Some(100),
        spare_threshold_percent: Some(10),
        counters: counters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    }
}
