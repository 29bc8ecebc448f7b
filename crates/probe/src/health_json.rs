//! Reads smartctl's JSON. Every field is read on its own, so that a drive that answers oddly in one place
//! still tells the rest.

use serde_json::Value;

use crate::{Attribute, Health, HealthReport, NotAvailable, NvmeHealth};

/// Reads what `smartctl --json --all` has answered, whatever that is.
#[must_use]
pub fn parse_health(answer: &[u8]) -> Health {
    let root: Value = match serde_json::from_slice(answer) {
        Ok(root) => root,
        Err(error) => return not_understood(&error.to_string()),
    };
    if root.get("smartctl").is_none() {
        return not_understood("it is not of smartctl");
    }
    let report = HealthReport {
        protocol: text(&root, "/device/protocol"),
        passed: root.pointer("/smart_status/passed").and_then(Value::as_bool),
        temperature_celsius: temperature(&root),
        power_on_hours: number(&root, "/power_on_time/hours"),
        percentage_used: percentage_used(&root),
        sectors_written: device_statistic(&root, "Logical Sectors Written"),
        logical_block_bytes: logical_block(&root),
        attributes: attributes(&root),
        nvme: nvme(&root),
        messages: messages(&root),
    };
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
}

fn not_understood(why: &str) -> Health {
    Health::NotAvailable(NotAvailable::NotUnderstood(why.to_owned()))
}

fn no_smart(report: &HealthReport) -> Health {
    let why = report.messages.first().cloned();
    Health::NotAvailable(NotAvailable::NoSmart(why.unwrap_or_else(|| "it has no SMART".to_owned())))
}

fn number(root: &Value, pointer: &str) -> Option<u64> {
    root.pointer(pointer).and_then(Value::as_u64)
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
    row.get("value")?.as_u64()
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

fn nvme(root: &Value) -> Option<NvmeHealth> {
    let log = root.get("nvme_smart_health_information_log")?.as_object()?;
    let value = |key: &str| log.get(key).and_then(Value::as_u64);
    let percent = |key: &str| value(key).and_then(|value| u32::try_from(value).ok());
    // What is no counter has a field of its own, or rises and falls.
    let other = ["critical_warning", "temperature", "available_spare", "available_spare_threshold"];
    let counter = |(key, value): (&String, &Value)| Some((clean(key), value.as_u64()?));
    Some(NvmeHealth {
        critical_warning: value("critical_warning").and_then(|bits| u8::try_from(bits).ok()).unwrap_or(0),
        available_spare_percent: percent("available_spare"),
        spare_threshold_percent: percent("available_spare_threshold"),
        counters: log.iter().filter(|(key, _)| !other.contains(&key.as_str())).filter_map(counter).collect(),
    })
}

fn messages(root: &Value) -> Vec<String> {
    let list = root.pointer("/smartctl/messages").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(|message| text(message, "/string")).collect()
}
