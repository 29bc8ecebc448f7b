//! Reads smartctl's JSON. Every field is read on its own, so that a drive that answers oddly in one place
//! still tells the rest.

use serde_json::Value;

use crate::{Attribute, Health, HealthReport, NotAvailable, NvmeHealth, SmartctlExit};

/// Reads what `smartctl --json --all` has answered, whatever that is.
pub fn parse_health(answer: &[u8]) -> Health {
    let root: Value = match serde_json::from_slice(answer) {
        Ok(root) => root,
        Err(error) => return not_understood(&error.to_string()),
    };
    if root.get("smartctl").is_none() {
        return not_understood("it is not of smartctl");
    }
    let log = nvme_log(&root);
    let is_blank = log.as_ref().is_some_and(is_blank);
    let report = HealthReport {
        passed: root.pointer("/smart_status/passed").and_then(Value::as_bool),
        temperature_celsius: temperature(&root),
        power_on_hours: number(&root, "/power_on_time/hours").filter(|_| !is_blank),
        percentage_used: percentage_used(&root).filter(|_| !is_blank),
        sectors_written: device_statistic(&root, "Logical Sectors Written"),
        logical_block_bytes: logical_block(&root),
        scsi_megabytes_written: scsi_megabytes_written(&root),
        grown_defects: number(&root, "/scsi_grown_defect_list"),
        uncorrected_errors: uncorrected_errors(&root),
        is_in_database: root.get("in_smartctl_database").and_then(Value::as_bool),
        attributes: attributes(&root),
        nvme: log.filter(|_| !is_blank),
        has_blank_log: is_blank,
        exit: SmartctlExit(
            number(&root, "/smartctl/exit_status").and_then(|bits| u8::try_from(bits).ok()).unwrap_or(0),
        ),
        messages: messages(&root),
    };
    if report.exit.says_not_asked() {
        let why = report.messages.first().cloned();
        let why = why.unwrap_or_else(|| format!("it ended with exit status {}", report.exit.0));
        return Health::NotAvailable(NotAvailable::NotAsked(why));
    }
    if tells_something(&report) { Health::Known(Box::new(report)) } else { no_smart(&report) }
}

/// The current temperature in smartctl's answer, in degrees Celsius.
pub(crate) fn parse_temperature(answer: &[u8]) -> Option<i32> {
    temperature(&serde_json::from_slice(answer).ok()?)
}

fn tells_something(report: &HealthReport) -> bool {
    report.passed.is_some()
        || report.nvme.is_some()
        || !report.attributes.is_empty()
        || report.temperature_celsius.is_some()
        || report.percentage_used.is_some()
        || report.scsi_megabytes_written.is_some()
}

fn not_understood(why: &str) -> Health {
    Health::NotAvailable(NotAvailable::NotUnderstood(why.to_owned()))
}

fn no_smart(report: &HealthReport) -> Health {
    let why = report.messages.first().cloned();
    Health::NotAvailable(NotAvailable::NoSmart(why.unwrap_or_else(|| "it has no SMART".to_owned())))
}

fn number(root: &Value, pointer: &str) -> Option<u64> {
    root.pointer(pointer).and_then(count)
}

/// A count, in whichever of the forms that versions of smartctl and programs between have for it: `123`, `123.0`, `"123"`.
fn count(value: &Value) -> Option<u64> {
    if let Some(text) = value.as_str() {
        return text.trim().parse().ok();
    }
    value.as_u64().or_else(|| {
        let number =
            value.as_f64().filter(|number| (0.0..MAX_WHOLE).contains(number) && number.fract() == 0.0)?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, from 0 to 2^53")]
        let count = number as u64;
        Some(count)
    })
}

/// Up to here every whole number is one of a double's.
const MAX_WHOLE: f64 = 9_007_199_254_740_992.0;

/// The gigabytes that a SCSI drive has processed for writes, in thousandths: `"127551.481"`, also as a number.
fn scsi_megabytes_written(root: &Value) -> Option<u64> {
    let told = root.pointer("/scsi_error_counter_log/write/gigabytes_processed")?;
    let gigabytes = told.as_str().map_or_else(|| told.as_f64(), |text| text.trim().parse().ok())?;
    let megabytes = (gigabytes * 1e3).round();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "whole, from 0 to 2^53")]
    let count = megabytes as u64;
    (0.0..MAX_WHOLE).contains(&megabytes).then_some(count)
}

/// The errors of all kinds of a SCSI drive that it could not correct.
fn uncorrected_errors(root: &Value) -> Option<u64> {
    let log = root.get("scsi_error_counter_log")?.as_object()?;
    let counts: Vec<u64> =
        log.values().filter_map(|kind| count(kind.get("total_uncorrected_errors")?)).collect();
    (!counts.is_empty()).then(|| counts.iter().fold(0, |sum: u64, count| sum.saturating_add(*count)))
}

fn text(root: &Value, pointer: &str) -> Option<String> {
    root.pointer(pointer).and_then(Value::as_str).map(clean)
}

/// Text of a drive, without what would disturb a terminal.
fn clean(text: &str) -> String {
    text.chars()
        .map(|letter| if letter.is_control() { ' ' } else { letter })
        .collect::<String>()
        .trim()
        .to_owned()
}

fn temperature(root: &Value) -> Option<i32> {
    let degrees = root.pointer("/temperature/current").and_then(Value::as_i64)?;
    // A sensor that is absent reads 0 Kelvin or 255; no drive has told either.
    i32::try_from(degrees).ok().filter(|degrees| (-60..=200).contains(degrees))
}

fn percentage_used(root: &Value) -> Option<u32> {
    number(root, "/nvme_smart_health_information_log/percentage_used")
        .or_else(|| number(root, "/endurance_used/current_percent"))
        .or_else(|| number(root, "/scsi_percentage_used_endurance_indicator"))
        .or_else(|| device_statistic(root, "Percentage Used Endurance Indicator"))
        .and_then(|percent| u32::try_from(percent).ok())
}

/// The size of a logical block: as it is told, or as blocks and bytes of the capacity tell it.
fn logical_block(root: &Value) -> Option<u64> {
    let told = number(root, "/logical_block_size");
    told.or_else(|| number(root, "/user_capacity/bytes")?.checked_div(number(root, "/user_capacity/blocks")?))
}

/// A value of an ATA drive's device statistics log.
fn device_statistic(root: &Value, name: &str) -> Option<u64> {
    let pages = root.pointer("/ata_device_statistics/pages")?.as_array()?;
    let rows = pages.iter().filter_map(|page| page.get("table")?.as_array()).flatten();
    let row = rows.into_iter().find(|row| row.get("name").and_then(Value::as_str) == Some(name))?;
    count(row.get("value")?)
}

fn attributes(root: &Value) -> Vec<Attribute> {
    let table = root.pointer("/ata_smart_attributes/table").and_then(Value::as_array);
    table.into_iter().flatten().filter_map(attribute).collect()
}

fn attribute(row: &Value) -> Option<Attribute> {
    let small = |key: &str| row.get(key).and_then(Value::as_u64).and_then(|value| u8::try_from(value).ok());
    Some(Attribute {
        id: small("id")?,
        name: text(row, "/name").unwrap_or_default(),
        raw: number(row, "/raw/value").unwrap_or(0),
        raw_text: text(row, "/raw/string").unwrap_or_default(),
        value: small("value"),
        worst: small("worst"),
        threshold: small("thresh"),
        fails_now: row.get("when_failed").and_then(Value::as_str) == Some("now"),
        is_prefailure: row.pointer("/flags/prefailure").and_then(Value::as_bool).unwrap_or(false),
    })
}

/// The health log of an NVMe drive; `None` of another drive, and where it was not asked.
fn nvme_log(root: &Value) -> Option<NvmeHealth> {
    let log = root.get("nvme_smart_health_information_log").and_then(Value::as_object)?;
    let value = |key: &str| log.get(key).and_then(count);
    let percent = |key: &str| value(key).and_then(|value| u32::try_from(value).ok());
    // What is no counter has a field of its own, or rises and falls.
    let other = ["critical_warning", "temperature", "available_spare", "available_spare_threshold"];
    let counter = |(key, value): (&String, &Value)| Some((clean(key), count(value)?));
    Some(NvmeHealth {
        critical_warning: value("critical_warning").and_then(|bits| u8::try_from(bits).ok()).unwrap_or(0),
        available_spare_percent: percent("available_spare"),
        spare_threshold_percent: percent("available_spare_threshold"),
        counters: log.iter().filter(|(key, _)| !other.contains(&key.as_str())).filter_map(counter).collect(),
    })
}

/// Whether a log has nothing but zeros. No drive has neither spare blocks nor a threshold for them, and was never switched on.
fn is_blank(log: &NvmeHealth) -> bool {
    let is_zero = |percent: Option<u32>| percent.unwrap_or(0) == 0;
    log.critical_warning == 0
        && is_zero(log.available_spare_percent)
        && is_zero(log.spare_threshold_percent)
        && log.counters.iter().all(|(_, count)| *count == 0)
}

fn messages(root: &Value) -> Vec<String> {
    let list = root.pointer("/smartctl/messages").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|message| text(message, "/string")).collect()
}
