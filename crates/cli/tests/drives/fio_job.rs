//! A job file of fio as a load, and a load in the form of fio's output.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::common::{devices, drivelab, folder, text};
use serde_json::{Value, json};

const JOB: &str = "[global]\nioengine=libaio\ndirect=1\nbs=16k\n\n[mixed]\nfilename=sim:consistent?size=1GiB\nrw=randrw\n\
                   rwmixread=75\niodepth=8\nnumjobs=2\nsize=32m\noffset=64m\n";

/// Two processes move 32 MiB each, in blocks of 16 KiB, in the second 64 MiB of the drive.
#[test]
fn a_job_is_run_as_the_load_that_it_describes() {
    let folder = folder();
    let file = folder.path().join("mixed.fio");
    fs::write(&file, JOB).expect("a file");
    let ended = drivelab(&["load", "--fio-job", text(&file), "--json"]).with_code(0);
    let command = "drivelab load 'sim:consistent?size=1GiB' --rw=randrw --read-percent=75% --block-size=16384B \
                   --queue-depth=8 --threads=2 --range=67108864B-100663296B --bytes=67108864B --json";
    assert!(ended.stderr.contains(command), "{}", ended.stderr);
    let run = ended.json();
    let settings = &run["run"]["settings"];
    assert_eq!(settings["operation"]["randrw"]["read_percent"], 75, "{settings}");
    assert_eq!(
        settings["range"],
        serde_json::json!({"start": {"bytes": 64 << 20}, "end": {"bytes": 96 << 20}})
    );
    assert_eq!(
        run["findings"]["ios"]["records"]["completions"], 4096,
        "{}",
        run["findings"]["ios"]["records"]
    );
}

/// What is typed comes before what the file says, the target too.
#[test]
fn what_is_typed_comes_first_and_what_is_not_taken_is_named() {
    let folder = folder();
    let file = folder.path().join("mixed.fio");
    fs::write(&file, JOB).expect("a file");
    let typed =
        ["load", "sim:hdd-7200", "--rw", "read", "--bytes", "1MiB", "--json", "--fio-job", text(&file)];
    let run = drivelab(&typed).with_code(0).json();
    assert_eq!(run["run"]["target"], "sim:hdd-7200");
    assert_eq!(run["findings"]["ios"]["records"]["completions"], 64);
    fs::write(&file, format!("{JOB}verify=crc32c\nthinktime=5\n")).expect("a file");
    let refused = drivelab(&["load", "--fio-job", text(&file)]).with_code(2);
    for words in ["line 14: verify: take it out, and give --verify end", "line 15: thinktime"] {
        assert!(refused.stderr.contains(words), "{}", refused.stderr);
    }
}

#[test]
fn a_job_without_an_end_takes_the_one_that_is_typed() {
    let folder = folder();
    let file = folder.path().join("endless.fio");
    fs::write(&file, "\u{feff}[a]\nrw=randread\nbs=4k\ndirect=1\n").expect("a file");
    let load = ["load", "sim:consistent?size=1GiB", "--json", "--fio-job", text(&file)];
    for end in [["--duration", "200ms"], ["--bytes", "64KiB"]] {
        let run = drivelab(&[&load[..], &end].concat()).with_code(0).json();
        assert!(run["findings"]["ios"]["records"]["completions"].as_u64() >= Some(16), "{run}");
    }
    let refused = drivelab(&load).with_code(2);
    assert!(refused.stderr.contains("no end") && refused.stderr.contains("--duration"), "{}", refused.stderr);
    fs::write(&file, "[a]\nkb_base=1000\nrw=read\nbs=64k\nsize=100m\ndirect=1\n").expect("a file");
    let refused = drivelab(&load).with_code(2);
    assert!(refused.stderr.contains("line 2: kb_base: 'k' is 1024 here"), "{}", refused.stderr);
}

/// The paths of all values below a value, with what kind of value each is.
fn shape(value: &Value, path: &str, into: &mut BTreeMap<String, &'static str>) {
    let kind = match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| shape(value, &format!("{path}/{name}"), into));
            return;
        }
        Value::Array(values) => {
            values.iter().for_each(|value| shape(value, &format!("{path}/0"), into));
            return;
        }
        Value::Number(_) => "number",
        Value::String(_) => "text",
        other => panic!("{path}: {other}"),
    };
    into.insert(path.to_owned(), kind);
}

/// What is printed in fio's form has the load's own figures, under names that fio itself has.
#[test]
fn a_load_is_printed_as_fio_prints_it() {
    let load =
        ["load", "sim:tlc-nvme?size=16GiB", "--rw", "randrw", "--read-percent", "70%", "--duration", "3s"];
    let own = drivelab(&[&load[..], &["--json"]].concat()).with_code(0).json();
    let printed = drivelab(&[&load[..], &["--fio-json"]].concat()).with_code(0).json();
    let job = &printed["jobs"][0];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("no number: {value}"));
    let sum = |key: &str| number(&job["read"][key]) + number(&job["write"][key]);
    let findings = &own["findings"];
    assert!((sum("total_ios") - number(&findings["ios"]["records"]["completions"])).abs() < 0.5, "{job}");
    assert!((sum("iops") / number(&findings["iops"]) - 1.0).abs() < 1e-9, "{job}");
    assert!((sum("bw_bytes") / number(&findings["mb_s"]) / 1e6 - 1.0).abs() < 1e-6, "{job}");
    assert!((sum("bw_agg") - 100.0).abs() < 1e-9, "{job}");
    let seconds = findings["ios"]["per_second"]["read_iops"].as_array().expect("seconds");
    let fastest = seconds.iter().map(number).fold(0.0, f64::max);
    assert!((number(&job["read"]["iops_max"]) - fastest).abs() < 0.5, "{job}");
    assert_eq!((&job["job options"]["rwmixread"], &job["job options"]["bs"]), (&json!("70"), &json!("4k")));
    let all: f64 = ["latency_ns", "latency_us", "latency_ms"]
        .iter()
        .flat_map(|unit| job[*unit].as_object().expect("shares").values())
        .map(number)
        .sum();
    assert!((all - 100.0).abs() < 1e-9, "{all} %");
    drivelab(&["load", "sim:consistent", "--rw", "flush", "--fio-json"])
        .fails_in_one_line(2, &["--fio-json", "no job of flushes"]);

    let folder = folder();
    let file = folder.path().join("file");
    let fio = ["--name=a", "--rw=randrw", "--bs=4k", "--size=1m", "--output-format=json"];
    let fio = Command::new("fio").args(fio).arg(format!("--filename={}", text(&file))).output();
    let Ok(fio) = fio else { return devices::skipped("what is printed in fio's form is held against fio") };
    let fio: Value = serde_json::from_slice(&fio.stdout).expect("fio's JSON");
    let (mut names, mut known) = (BTreeMap::new(), BTreeMap::new());
    shape(&printed, "", &mut names);
    shape(&fio, "", &mut known);
    names.retain(|path, _| !path.contains("/job options/"));
    for (path, kind) in names {
        assert_eq!(known.get(&path), Some(&kind), "fio has no {path}");
    }
}
