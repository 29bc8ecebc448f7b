//! What was ever written: by what smartctl says of a drive, at two moments, and by ext4.

mod common;

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use common::devices::{self, Loop};
use common::{Ended, drivelab, folder, program, text};
use serde_json::{Value, json};

const LIFETIME: &str = include_str!("../../inspect/schemas/drivelab.lifetime-2.json");

#[track_caller]
fn fits(document: Value) -> Value {
    common::assert_fits(LIFETIME, &document);
    document
}

/// A smartctl that says what a drive with these counters would say.
fn smartctl(folder: &Path, host: u64, tlc: u64) {
    let answer = json!({
        "smartctl": {}, "device": { "protocol": "ATA" }, "smart_status": { "passed": true },
        "power_on_time": { "hours": 1234 }, "endurance_used": { "current_percent": 3 },
        "ata_smart_attributes": { "table": [
            { "id": 241, "name": "Host_Writes_32MiB", "raw": { "value": host } },
            { "id": 245, "name": "TLC_Writes_32MiB", "raw": { "value": tlc } },
            { "id": 242, "name": "Host_Reads_32MiB", "raw": { "value": 5 } },
        ] },
    });
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
