//! Traces: imported, shown, exported, refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{self, drivelab, folder, program, text};
use serde_json::{Value, json};

const TRACE: &str = include_str!("../../../inspect/schemas/drivelab.trace-3.json");

#[track_caller]
fn assert_fits(document: &Value) {
    common::assert_fits(TRACE, document);
}

/// A drive that answers in 0.2 ms, and in 40 ms ten times in a row after every 500 writes.
fn bunched() -> String {
    let row = |number: u64| {
        let is_slow = number % 500 >= 490;
        let response = if is_slow { 400_000 } else { 2_000 };
        let at = 128_166_372_003_061_629 + number * 500_000;
        format!("{at},host,0,Write,{},4096,{response}\n", number * 4096)
    };
    (0..20_000).map(row).collect()
}

#[test]
fn an_imported_trace_says_what_it_comes_to() {
    let folder = folder();
    let (source, trace) = (folder.path().join("hm.csv"), folder.path().join("hm"));
    fs::write(&source, bunched() + "prose\n1,2,3\n").expect("room on disk");
    let imported =
        drivelab(&["trace", "import", text(&source), "-o", text(&trace), "--json"]).with_code(0).json();
    assert_fits(&imported);
    assert_eq!(imported, drivelab(&["trace", "show", text(&trace), "--json"]).with_code(0).json());
    let imported = &imported["findings"];
    assert_eq!(
        (&imported["began"], &imported["machine"]),
        (&json!("2007-02-22T17:00:00.3061629+00:00"), &Value::Null)
    );
    assert_eq!(imported["requests"]["write"], 20_000);
    assert_eq!(imported["measured"], "Q2C");
    assert_eq!(imported["rejected"]["malformed row"], 1);
    assert_eq!(imported["other_lines"], 1);
    assert_eq!(imported["sequential"]["write"].as_f64().map(f64::round), Some(1.0));
    let service = &imported["service_ns"]["all"];
    assert_eq!(service["mean"], 996_000.0, "98 % of 0.2 ms and 2 % of 40 ms");
    assert_eq!(service["from_1_to_100ms"], 0.02);
    let slow = &imported["slow_ios"]["write"];
    assert_eq!(slow["episodes"], 40);
    assert_eq!(slow["slow_after_slow_share"], 360.0 / 399.0);
    assert_eq!(slow["period_bytes"], 500.0 * 4096.0);
    assert_eq!(slow["clustering"], "shown");
    let verdict = slow["verdict"].as_str().expect("words");
    assert!(verdict.contains("are clustered (bursty)") && verdict.contains("2.05 MB written"), "{verdict}");
    let shown = drivelab(&["trace", "show", text(&trace)]).with_code(0);
    let words = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("slow writes are clustered (bursty)"), "{words}");
    let began = "Begins 2007-02-22 17:00:00 +00:00, imported by drivelab";
    assert!(shown.stdout.contains(began), "{}", shown.stdout);
}

#[test]
fn a_run_is_a_trace_of_itself() {
    let folder = folder();
    let run = folder.path().join("run");
    let load = ["load", "sim:consistent?size=1GiB", "--rw", "randwrite", "--duration", "2s", "--json"];
    let load = drivelab(&[&load[..], &["--output", text(&run)]].concat()).with_code(0).json();
    let shown = drivelab(&["trace", "show", text(&run), "--json"]).with_code(0).json();
    assert_fits(&shown);
    let shown = &shown["findings"];
    assert_eq!(shown["requests"]["write"], load["findings"]["ios"]["records"]["completions"]);
    assert_eq!(
        shown["service_ns"]["write"]["mean"],
        load["findings"]["ios"]["summary"]["service_ns"]["mean"]
    );
}

#[test]
fn figures_that_lack_records_fail_the_check() {
    let folder = folder();
    let run = folder.path().join("run");
    let load = ["load", "sim:consistent?size=1GiB", "--rw", "randwrite", "--duration", "2s", "--json"];
    drivelab(&[&load[..], &["--output", text(&run)]].concat()).with_code(0);
    fs::remove_file(run.join("segments/000000.parquet")).expect("the only segment");
    let shown = drivelab(&["trace", "show", text(&run)]).with_code(1);
    assert!(shown.stderr.contains("Figures lack"), "{}", shown.stderr);
}

/// A trace of which nothing can be read is not called empty, and the user learns what to do.
#[test]
fn a_trace_whose_segments_are_damaged_is_not_empty() {
    let folder = folder();
    let trace = imported(folder.path());
    fs::write(trace.join("segments/000000.parquet"), "damaged").expect("room on disk");
    let shown = drivelab(&["trace", "show", text(&trace)]).with_code(1);
    assert!(shown.stderr.contains("import it again"), "{}", shown.stderr);
    assert!(shown.stdout.contains("Not readable") && !shown.stdout.contains("Empty"), "{}", shown.stdout);
    drivelab(&["trace", "show", text(&trace), "--report", "-"]).fails_in_one_line(2, &["name a file"]);
}

#[test]
fn what_cannot_be_imported_is_refused_in_one_line() {
    let folder = folder();
    let (source, trace) = (folder.path().join("prose"), folder.path().join("trace"));
    fs::write(&source, "Nothing in here is a trace.\n").expect("room on disk");
    let import = |file: &str, trace: &str| drivelab(&["trace", "import", file, "-o", trace]);
    import(text(&source), text(&trace)).fails_in_one_line(2, &["--format", "blktrace"]);
    import("/no/such/file", text(&trace)).fails_in_one_line(2, &["/no/such/file is not there"]);
    fs::write(&source, "0,hm,0,Read,1024,4096,2833\n").expect("room on disk");
    let format = ["--format", "msr"];
    let none = ["trace", "import", text(&source), "-o", text(&trace)];
    let none = drivelab(&[&none[..], &format].concat()).with_code(1);
    assert!(none.stdout.contains("Not taken: 1 (address or time") && none.stderr.contains("nothing is kept"));
    fs::write(&source, bunched()).expect("room on disk");
    import(text(&source), text(&trace)).with_code(0);
    import(text(&source), text(folder.path())).fails_in_one_line(2, &["not empty"]);
    drivelab(&["trace", "show", text(folder.path())]).fails_in_one_line(2, &["not the folder of a trace"]);
    drivelab(&["trace", "show", text(&source)]).fails_in_one_line(2, &["trace import"]);
    drivelab(&["trace", "show", "/no/such/trace"]).fails_in_one_line(2, &["not there"]);
}

/// The trace of a short import, with a flush, a failure and two devices.
fn imported(folder: &Path) -> PathBuf {
    let (source, trace) = (folder.join("events"), folder.join("trace"));
    let events = "  8,0 3 1 0.000000000 697 Q W 2048 + 8 [kjournald]\n\
                  \x20 8,0 3 2 0.000010400 697 D W 2048 + 8 [kjournald]\n\
                  \x20 8,0 3 3 0.000020500 697 D R 100 + 16 [cat]\n\
                  \x20 8,16 3 4 0.000021000 697 D FF 0 + 0 [sync]\n\
                  \x20 8,0 1 1 0.000100000 0 C W 2048 + 8 [0]\n\
                  \x20 8,0 1 2 0.000200000 0 C R 100 + 16 [-5]\n\
                  \x20 8,16 1 3 0.000900000 0 C FF 0 + 0 [0]\n";
    fs::write(&source, events).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}

#[test]
fn an_exported_trace_can_be_imported_and_exported_again() {
    let folder = folder();
    let trace = imported(folder.path());
    for (format, name) in [("fio3", "fio"), ("fio2", "fio"), ("blkparse", "blkparse")] {
        let (file, again) = (folder.path().join(format), folder.path().join(format!("{format}-again")));
        let printed = drivelab(&["trace", "export", text(&trace), "--format", format]).with_code(0);
        drivelab(&["trace", "export", text(&trace), "--format", format, text(&file)]).with_code(0);
        assert_eq!(fs::read_to_string(&file).expect("the export"), printed.stdout);
        drivelab(&["trace", "import", text(&file), "--format", name, "-o", text(&again)]).with_code(0);
        let second = drivelab(&["trace", "export", text(&again), "--format", format]).with_code(0);
        assert_eq!(second.stdout, printed.stdout);
        assert_eq!(second.stderr, "", "what the format cannot hold was gone");
    }
}

#[test]
fn what_a_format_cannot_hold_is_said_in_one_line() {
    let folder = folder();
    let trace = imported(folder.path());
    let told =
        |format: &str| drivelab(&["trace", "export", text(&trace), "--format", format]).with_code(0).stderr;
    for (format, words) in [
        (
            "fio3",
            &[
                "service times (3)",
                "statuses (1)",
                "rounded to microseconds (2)",
                "waits before the issue (1)",
            ][..],
        ),
        ("blkreplay", &["left out, discards and flushes (1)", "of which one is made (2)"][..]),
    ] {
        let told = told(format);
        assert_eq!(told.lines().count(), 1, "{told}");
        for word in words {
            assert!(told.contains(word), "{word:?} is not in {told:?}");
        }
    }
    assert_eq!(told("csv") + &told("blkparse"), "");
}

#[test]
fn an_export_overwrites_nothing_and_says_what_to_do() {
    let folder = folder();
    let trace = imported(folder.path());
    let export = |more: &[&str]| drivelab(&[&["trace", "export", text(&trace)], more].concat());
    let there = folder.path().join("there");
    fs::write(&there, "mine").expect("room on disk");
    export(&["--format", "csv", text(&there)]).fails_in_one_line(2, &["is there already", "not there yet"]);
    assert_eq!(fs::read_to_string(&there).expect("a file"), "mine");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(folder.path().join("nothing"), &link).expect("a link");
    export(&["--format", "csv", text(&link)]).fails_in_one_line(2, &["link to nothing"]);
    export(&["--format", "csv", text(folder.path())]).fails_in_one_line(3, &["name a file in it"]);
    export(&["new.csv"]).fails_in_one_line(2, &["add --format csv"]);
    export(&["--format", "csv", "/no/such/file"]).fails_in_one_line(3, &["make it first"]);
    export(&["--format", "csv", "--replay-on", "f"]).fails_in_one_line(2, &["only fio2 and fio3"]);
    export(&["--format", "fio3", "--replay-on", "a b"]).fails_in_one_line(2, &["without blanks"]);
    export(&["--format", "csv", "/dev/full"]).fails_in_one_line(3, &["/dev/full", "make room"]);
    export(&["--format", "csv", "/dev/null"]).with_code(0);
    let streamed = export(&["--format", "csv", "/dev/stdout"]).with_code(0);
    assert_eq!(streamed.stdout.lines().count(), 4);
}

#[test]
fn a_reader_that_goes_away_ends_an_export_well() {
    let folder = folder();
    let (source, trace) = (folder.path().join("hm.csv"), folder.path().join("hm"));
    fs::write(&source, bunched()).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    let mut command = program();
    command
        .args(["trace", "export", text(&trace), "--format", "csv"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().expect("drivelab starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr.as_slice()), (Some(0), &b""[..]));
}

#[test]
fn damage_in_a_trace_is_named_and_is_no_success() {
    let folder = folder();
    let trace = imported(folder.path());
    fs::write(trace.join("segments/000000.parquet"), "no Parquet").expect("room on disk");
    let ended = drivelab(&["trace", "export", text(&trace), "--format", "fio3"]).with_code(1);
    assert_eq!(ended.stdout, "fio version 3 iolog\n");
    assert!(ended.stderr.contains("lacks a part of the trace: segments/000000.parquet"), "{}", ended.stderr);
}

#[test]
fn fio_replays_an_exported_log() {
    if Command::new("fio").arg("--version").output().is_err() {
        return drivelab_testbed::skipped("fio is not installed");
    }
    let folder = folder();
    let (source, trace) = (folder.path().join("mqsim"), folder.path().join("trace"));
    let rows: Vec<String> =
        (0..200u64).map(|row| format!("{} 0 {} 8 {}\n", row * 50_000, row * 7 % 100 * 8, row % 2)).collect();
    fs::write(&source, rows.concat()).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "--format", "mqsim", "-o", text(&trace)]).with_code(0);
    let (log, target) = (folder.path().join("log"), folder.path().join("target"));
    fs::write(&target, vec![0; 1 << 20]).expect("room on disk");
    for format in ["fio3", "fio2"] {
        let _ = fs::remove_file(&log);
        let export =
            ["trace", "export", text(&trace), "--format", format, "--replay-on", text(&target), text(&log)];
        drivelab(&export).with_code(0);
        let mut fio = Command::new("fio");
        fio.args(["--name=replay", "--replay_no_stall=1", "--output-format=json"]);
        fio.arg(format!("--read_iolog={}", text(&log))).current_dir(folder.path());
        let output = fio.output().expect("fio starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let told: Value = serde_json::from_slice(&output.stdout).expect("fio's JSON");
        let job = &told["jobs"][0];
        assert_eq!(
            (&job["read"]["total_ios"], &job["write"]["total_ios"]),
            (&100.into(), &100.into()),
            "{format}"
        );
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "fio complains about no line");
    }
}
