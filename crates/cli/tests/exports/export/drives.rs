//! Which drives the devices of runs and traces are.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::tables::table;
use crate::common::{folder, manifest, tree};
use crate::export::parquet_files::rollup_of;
use crate::export::{export, load, trace};

const SERIAL: &str = "S3Z9NB0K123456";

/// Makes a trace one that was recorded on a machine with two disks, of which the kernel knows one.
fn as_recorded(trace: &Path) {
    let path = trace.join("trace.json");
    let mut recorded: Value = serde_json::from_slice(&fs::read(&path).expect("a manifest")).expect("JSON");
    recorded["source"] = "recorded".into();
    recorded["started"] = json!({"at": "2007-02-22T18:00:03+01:00", "machine": "hm"});
    for (device, name) in recorded["devices"].as_array_mut().expect("devices").iter_mut().zip(["sda", "sdb"])
    {
        device["name"] = name.into();
    }
    recorded["drives"] = json!({"sda": drive()});
    fs::write(&path, recorded.to_string()).expect("room");
}

fn drive() -> Value {
    json!({
        "model": "A drive", "serial": SERIAL, "firmware": "7",
        "size_bytes": 1_000_204_886_016_u64, "simulated": false,
    })
}

/// The rows of devices, by their names.
fn drives(destination: &Path) -> BTreeMap<String, BTreeMap<String, String>> {
    let rows = table(destination, "drives").into_iter();
    rows.map(|row| (row["device"].clone(), row)).collect()
}

#[test]
fn a_drive_is_the_same_in_runs_and_traces_and_every_device_has_one() {
    let folder = folder();
    let (run, trace, fleet) =
        (load(&folder.path().join("run"), "1s"), trace(folder.path()), folder.path().join("fleet"));
    let mut moved = manifest(&run);
    moved["drive"] = drive();
    moved["started"] = json!({"at": "2026-11-24T10:00:00+01:00", "machine": "lab"});
    fs::write(run.join("run.json"), moved.to_string()).expect("room");
    as_recorded(&trace);
    export(&run, &fleet, &[]).with_code(0);
    export(&trace, &fleet, &[]).with_code(0);
    let rows = drives(&fleet);
    let devices: BTreeSet<String> = rollup_of(&fleet).rows().map(|row| row.device.to_string()).collect();
    assert!(rows.keys().eq(&devices) && devices.len() == 3, "{rows:?} {devices:?}");
    let (of_run, of_trace, unknown) = (&rows["A drive"], &rows["sda"], &rows["sdb"]);
    assert_eq!(of_run["drive"], of_trace["drive"]);
    assert_eq!((of_run["host"].as_str(), of_trace["host"].as_str()), ("lab", "hm"));
    for name in ["drive_model", "firmware", "serial", "capacity_bytes", "simulated", "format"] {
        assert_eq!(of_run[name], of_trace[name], "{name}");
    }
    assert_eq!((of_trace["firmware"].as_str(), of_trace["capacity_bytes"].as_str()), ("7", "1000204886016"));
    assert_ne!(unknown["drive"], of_trace["drive"]);
    assert_eq!((unknown["drive_model"].as_str(), unknown["serial"].as_str()), ("null", "null"));

    let hidden = folder.path().join("hidden");
    export(&run, &hidden, &["--hide-serial"]).with_code(0);
    export(&trace, &hidden, &["--hide-serial"]).with_code(0);
    let rows = drives(&hidden);
    assert!(rows["sda"]["serial"].starts_with("hidden-"), "{rows:?}");
    assert_eq!(rows["sda"]["drive"], rows["A drive"]["drive"]);
    let holds = |bytes: &[u8]| bytes.windows(SERIAL.len()).any(|word| word == SERIAL.as_bytes());
    assert!(tree(&hidden).iter().all(|(_, bytes)| !holds(bytes)));
}
