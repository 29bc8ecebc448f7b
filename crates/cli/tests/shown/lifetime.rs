//! What was ever written: by what smartctl says of a drive, at two moments, and by ext4.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::common::devices::{self, Loop};
use crate::common::{self, Ended, drivelab, folder, program, text};
use serde_json::{Value, json};

const LIFETIME: &str = include_str!("../../../inspect/schemas/drivelab.lifetime-2.json");

#[track_caller]
fn fits(document: Value) -> Value {
    common::assert_fits(LIFETIME, &document);
    document
}

/// A smartctl that says what a drive with these counters would say.
fn smartctl(folder: &Path, host: u64, tlc: u64) {
    smartctl_that_says(
        folder,
        &json!({
            "smartctl": {}, "device": { "protocol": "ATA" }, "smart_status": { "passed": true },
            "power_on_time": { "hours": 1234 }, "endurance_used": { "current_percent": 3 },
            "in_smartctl_database": true,
            "ata_smart_attributes": { "table": [
                { "id": 241, "name": "Host_Writes_32MiB", "raw": { "value": host } },
                { "id": 245, "name": "TLC_Writes_32MiB", "raw": { "value": tlc } },
                { "id": 242, "name": "Host_Reads_32MiB", "raw": { "value": 5 } },
            ] },
        }),
    );
}

/// A smartctl that gives this answer, whatever it is asked.
fn smartctl_that_says(folder: &Path, answer: &Value) {
    let path = folder.join("smartctl");
    std::fs::write(&path, format!("#!/bin/sh\ncat <<'END'\n{answer}\nEND\n")).expect("room");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

fn lifetime(tools: &Path, arguments: &[&str]) -> Ended {
    let path = format!("{}:{}", tools.display(), std::env::var("PATH").unwrap_or_default());
    let run = program().arg("lifetime").args(arguments).env("PATH", path).output();
    Ended::of(&run.expect("drivelab starts"))
}

#[test]
fn two_moments_of_a_drive_give_its_write_amplification() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (device, tools) = (Loop::of_zeros(8), folder());
    let node = text(&device.node);
    let first = tools.path().join("first");
    smartctl(tools.path(), 1_000, 2_000);
    let shown = lifetime(tools.path(), &[node, "-o", text(&first)]).with_code(0).stdout;
    let machine = std::fs::read_to_string("/proc/sys/kernel/hostname").expect("the machine's name");
    for word in [
        &format!(" on {} by drivelab", machine.trim()),
        "The host wrote 33.6 GB",
        "attribute 241 Host_Writes_32MiB",
        "flash writes",
        "3.0 % of its rated endurance",
        "1,234 hours",
    ] {
        assert!(shown.contains(word), "{word}: {shown}");
    }
    lifetime(tools.path(), &[node, "-o", text(&first)]).fails_in_one_line(2, &["is not empty"]);
    smartctl(tools.path(), 1_100, 2_250);
    // A document of a version that did not keep the machine is read, too.
    let earlier = first.join("lifetime.json");
    let mut document: Value =
        serde_json::from_slice(&std::fs::read(&earlier).expect("a document")).expect("JSON");
    let findings = document["findings"].as_object_mut().expect("findings");
    assert!(findings.remove("started").is_some() && findings.remove("version").is_some());
    std::fs::write(&earlier, document.to_string()).expect("room");
    let since = ["--since", text(&first)];
    let page = tools.path().join("page.html");
    let more = ["--json", "--rated-tbw", "0.1", "--report", text(&page)];
    let document =
        fits(lifetime(tools.path(), &[&[node], &more[..], &since[..]].concat()).with_code(0).json());
    let drive = &document["findings"]["drives"][0];
    assert_eq!(drive["since"]["write_amplification"], json!(2.5));
    assert_eq!(drive["since"]["host_bytes"], json!(100u64 << 25));
    let page = std::fs::read_to_string(page).expect("a page").replace('\u{a0}', " ");
    for word in ["write amplification is 2.50", "attribute 245 TLC_Writes_32MiB", "1,234 hours"] {
        assert!(page.contains(word), "{word}: {page}");
    }
    let share = drive["rated"]["used_share"].as_f64().expect("a share");
    assert!((share - (1_100u64 << 25) as f64 / 1e11).abs() < 1e-9, "{share}");
    // Counters that went back tell nothing, and that is told.
    smartctl(tools.path(), 10, 20);
    let document =
        fits(lifetime(tools.path(), &[&[node, "--json"], &since[..]].concat()).with_code(0).json());
    assert_eq!(document["findings"]["drives"][0]["since"], Value::Null);
    assert!(document["findings"]["drives"][0]["notices"].to_string().contains("reset"), "{document:#}");
}

#[test]
fn every_drive_is_shown_without_a_target_and_what_is_none_is_refused() {
    let pages = folder();
    let page = pages.path().join("drives.html");
    let document = fits(drivelab(&["lifetime", "--json", "--report", text(&page)]).with_code(0).json());
    let page = std::fs::read_to_string(page).expect("a page");
    for drive in document["findings"]["drives"].as_array().expect("drives") {
        let device = drive["device"].as_str().expect("a device");
        assert!(page.contains(device), "{device}: {page}");
    }
    drivelab(&["lifetime", "sim:consistent"]).fails_in_one_line(2, &["simulated"]);
    drivelab(&["lifetime", "/nowhere/sdx"]).fails_in_one_line(2, &["not there", "drivelab drives"]);
    let folder = folder();
    let file = folder.path().join("file");
    std::fs::write(&file, "{}").expect("room");
    drivelab(&["lifetime", text(&file)]).fails_in_one_line(2, &["the drive that it lies on"]);
    drivelab(&["lifetime", "--since", text(&file)]).fails_in_one_line(2, &["--since"]);
    let other = folder.path().join("lifetime.json");
    std::fs::write(&other, "{}").expect("room");
    drivelab(&["lifetime", "--since", text(folder.path())])
        .fails_in_one_line(2, &["--since", "lifetime.json"]);
    drivelab(&["lifetime", "--rated-tbw", "100"]).fails_in_the_parser(&["TARGET"]);
}

/// What `lifetime` says of a drive: its exit code, its text on the terminal, and its document.
struct Said {
    code: i32,
    text: String,
    drive: Value,
}

fn said_of(device: &Loop, answer: &Value) -> Said {
    let tools = folder();
    smartctl_that_says(tools.path(), answer);
    let shown = lifetime(tools.path(), &[text(&device.node)]);
    let document = fits(lifetime(tools.path(), &[text(&device.node), "--json"]).json());
    Said {
        code: shown.code.expect("an exit code"),
        text: shown.stdout.split_whitespace().collect::<Vec<_>>().join(" "),
        drive: document["findings"]["drives"][0].clone(),
    }
}

fn attributes(more: &Value, rows: &[(u8, &str, u64)]) -> Value {
    let table: Vec<Value> = rows
        .iter()
        .map(|(id, name, raw)| json!({ "id": id, "name": name, "raw": { "value": raw, "string": raw.to_string() } }))
        .collect();
    let mut answer = json!({
        "smartctl": { "exit_status": 0 }, "device": { "protocol": "ATA" }, "smart_status": { "passed": true },
        "logical_block_size": 512, "power_on_time": { "hours": 8_000 }, "ata_smart_attributes": { "table": table },
    });
    for (key, value) in more.as_object().expect("fields") {
        answer[key] = value.clone();
    }
    answer
}

#[test]
fn a_drive_that_fails_or_is_damaged_is_called_so_first() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(8);
    let below = json!([{
        "id": 5, "name": "Reallocated_Sector_Ct", "when_failed": "now", "flags": { "prefailure": true },
        "raw": { "value": 2_000, "string": "2000" },
    }]);
    let nvme = |warning: u8| {
        json!({
            "smartctl": {}, "smart_status": { "passed": warning == 0 },
            "nvme_smart_health_information_log": {
                "critical_warning": warning, "available_spare": 3, "available_spare_threshold": 10,
                "data_units_written": 7, "power_on_hours": 9,
            },
        })
    };
    let attribute_fails = attributes(&json!({ "ata_smart_attributes": { "table": below } }), &[]);
    let cases = [
        (
            attributes(&json!({ "smart_status": { "passed": false } }), &[]),
            "failing",
            "the drive's own health check fails",
        ),
        (attributes(&json!({ "smartctl": { "exit_status": 8 } }), &[]), "failing", "health check fails"),
        (attribute_fails, "failing", "attribute 5 Reallocated_Sector_Ct has reached its threshold"),
        (nvme(1), "failing", "its spare blocks are below the threshold"),
        (
            attributes(&json!({}), &[(5, "Reallocated_Sector_Ct", 8_000)]),
            "damaged",
            "it has replaced 8000 sectors",
        ),
        (
            attributes(&json!({}), &[(197, "Current_Pending_Sector", 3_000)]),
            "damaged",
            "3000 sectors cannot be read",
        ),
        (
            attributes(&json!({}), &[(197, "Current_Pending_Sector", 3)]),
            "doubtful",
            "3 sectors cannot be read",
        ),
        (
            attributes(&json!({}), &[(5, "Reallocated_Sector_Ct", 3)]),
            "well",
            "In use: How much the host wrote",
        ),
    ];
    for (answer, state, words) in cases {
        let said = said_of(&device, &answer);
        let is_bad = state == "failing" || state == "damaged";
        assert_eq!(said.code, i32::from(is_bad), "{answer}: {}", said.text);
        assert_eq!(said.drive["health"]["state"], state, "{answer}");
        let first = match state {
            "failing" => "Failing: The drive reports that it fails: ",
            "damaged" => "Damaged: The drive is damaged: ",
            "doubtful" => "Doubtful: The drive is doubtful: ",
            _ => "In use: ",
        };
        let (verdict, place) = (said.text.find(words), said.text.find(first));
        assert!(
            state == "well" || place.is_some() && verdict.is_some() && place < verdict,
            "{answer}: {}",
            said.text
        );
    }
}

#[test]
fn a_unit_that_is_not_known_or_contradicted_makes_no_bytes() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(8);
    let unknown =
        attributes(&json!({ "in_smartctl_database": false }), &[(241, "Total_LBAs_Written", 170_000)]);
    let said = said_of(&device, &unknown);
    assert_eq!(
        (&said.drive["host"][0]["bytes"], &said.drive["host"][0]["raw"]),
        (&Value::Null, &json!(170_000))
    );
    assert!(
        said.text.contains("unit not known") && said.text.contains("the unit is not known"),
        "{}",
        said.text
    );
    assert!(!said.text.contains("The host wrote"), "{}", said.text);
    let two = [(225, "Host_Writes_32MiB", 130_000), (241, "Total_LBAs_Written", 130_000)];
    let said = said_of(&device, &attributes(&json!({ "in_smartctl_database": true }), &two));
    for words in ["contradict each other", "4.36 TB", "66.6 MB", "How much the host wrote is not known"] {
        assert!(said.text.contains(words), "{words}: {}", said.text);
    }
}

#[test]
fn what_a_drive_reports_is_told_from_what_it_does_not() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(8);
    let sas = json!({
        "smartctl": {}, "device": { "protocol": "SCSI" }, "smart_status": { "passed": true },
        "scsi_error_counter_log": { "write": { "gigabytes_processed": "120000.481", "total_uncorrected_errors": 0 } },
    });
    let said = said_of(&device, &sas);
    assert!(said.text.contains("The host wrote 120 TB"), "{}", said.text);
    let zeros = json!({
        "smartctl": {}, "smart_status": { "passed": true }, "temperature": { "current": -273 },
        "power_on_time": { "hours": 0 },
        "nvme_smart_health_information_log": {
            "critical_warning": 0, "temperature": -273, "available_spare": 0, "available_spare_threshold": 0,
            "percentage_used": 0, "data_units_written": 0, "power_on_hours": 0,
        },
    });
    let said = said_of(&device, &zeros);
    let known = ["power_on_hours", "percentage_used"].map(|key| said.drive[key].clone());
    assert_eq!(known, [Value::Null, Value::Null]);
    assert!(
        said.text.contains("nothing but zeros") && !said.text.contains("The host wrote"),
        "{}",
        said.text
    );
    let refused = json!({ "smartctl": { "exit_status": 2, "messages": [{ "string": "open failed: Permission denied" }] } });
    let said = said_of(&device, &refused);
    assert!(said.text.contains("smartctl could not ask the drive (open failed"), "{}", said.text);
    assert_eq!(said.drive["health"], Value::Null);
    let in_part = said_of(
        &device,
        &attributes(&json!({ "smartctl": { "exit_status": 4 } }), &[(9, "Power_On_Hours", 1)]),
    );
    assert!(in_part.text.contains("could not read all that the drive reports"), "{}", in_part.text);
}
