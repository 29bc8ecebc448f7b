//! The same data by several paths: on a loop device, on a file, in a folder, on a simulated drive.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::common::devices::{self, Loop, checksum, eventually};
use crate::common::running::{Running, pause};
use crate::common::{self, drivelab, drivelab_on, folder, text};
use rustix::process::Signal;
use serde_json::{Value, json};

const PATHS: &str = include_str!("../../../kinds/schemas/drivelab.paths-3.json");
/// Small and quick: three cells of 8 MB.
const QUICK: [&str; 8] = ["--sizes", "1MB", "--cell-bytes", "8MB", "--runs", "2", "--idle", "50ms"];

#[track_caller]
fn assert_fits(document: &Value) {
    common::assert_fits(PATHS, document);
}

fn cells(document: &Value) -> &Vec<Value> {
    document["findings"]["cells"].as_array().expect("cells")
}

/// The paths that were measured; every one of them in every run, with a rate.
#[track_caller]
fn measured(document: &Value) -> Vec<&str> {
    assert_fits(document);
    let cells = cells(document);
    let check = |cell: &Value| {
        let runs = cell["runs"].as_array().map(|runs| runs.len() as u64);
        assert_eq!(runs, document["run"]["settings"]["runs"].as_u64());
        assert!(cell["rate_mb_s"]["mean"].as_f64() > Some(0.0), "{cell}");
    };
    cells.iter().for_each(check);
    cells.iter().map(|cell| cell["path"].as_str().expect("a path")).collect()
}

/// Whether every sector of a part holds something, or none does.
fn sectors(path: &Path, from: u64, length: usize, filled: bool) -> bool {
    let mut bytes = vec![0; length];
    fs::File::open(path).and_then(|file| file.read_exact_at(&mut bytes, from)).expect("its bytes");
    bytes.chunks(512).all(|sector| sector.iter().any(|byte| *byte != 0) == filled)
}

#[test]
fn a_loop_device_is_written_by_its_three_paths_and_only_within_the_range() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(64);
    let asked = ["paths", "--json", "--range", "1MiB-32MiB", &device.serial()];
    let document = drivelab_on(&device.node, &[&asked[..], &QUICK].concat()).with_code(0).json();
    assert_eq!(measured(&document), ["device-buffered", "device-direct", "raw"]);
    assert_eq!(document["findings"]["paths_left_out"].as_array().map(Vec::len), Some(3));
    // 8 MB are seven files of 245 pages.
    let written = 7 * 245 * 4096;
    assert!(sectors(&device.node, 0, 1 << 20, false));
    assert!(sectors(&device.node, 1 << 20, written, true));
    assert!(sectors(&device.node, (1 << 20) + written as u64, 16 << 20, false));
}

#[test]
fn a_file_is_written_in_place() {
    let folder = folder();
    let file = folder.path().join("file.img");
    let asked = ["paths", "--json", "--file-size", "16MiB"];
    let document = drivelab_on(&file, &[&asked[..], &QUICK].concat()).with_code(0).json();
    assert_eq!(measured(&document), ["file-buffered", "file-direct", "raw"]);
    assert_eq!(file.metadata().map(|found| found.len()).ok(), Some(16 << 20));
}

#[test]
fn a_folder_and_what_a_killed_run_left_there_are_as_before() {
    let folder = folder();
    let asked = ["paths", text(folder.path()), "--sizes", "1MB", "--cell-bytes", "8MB", "--runs", "100"];
    let killed = Running::start(&asked);
    let files = || fs::read_dir(folder.path()).map(Iterator::count).unwrap_or_default();
    assert!(eventually(|| files() > 0));
    killed.kill();
    assert_eq!(files(), 1, "a killed run takes nothing away");
    let document =
        drivelab(&[&["paths", text(folder.path()), "--json"], &QUICK[..]].concat()).with_code(0).json();
    assert_eq!(measured(&document), ["file-buffered", "file-direct"]);
    assert_eq!(files(), 0);
}

#[test]
fn a_drive_is_compared_with_a_file_system_beside_it() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (device, beside, kept) = (Loop::of_zeros(32), folder(), folder());
    let kept = kept.path().join("kept");
    let more = ["--directory", text(beside.path()), "-o", text(&kept)];
    let serial = device.serial();
    let asked = [&["paths", "--json", &serial], &more[..], &QUICK].concat();
    let document = drivelab_on(&device.node, &asked).with_code(0).json();
    assert_eq!(
        measured(&document),
        ["file-buffered", "file-direct", "device-buffered", "device-direct", "raw"]
    );
    assert_eq!(document["findings"]["directory"], json!(text(beside.path())));
    let page = fs::read(kept.join("report.html")).expect("a page");
    fs::remove_file(kept.join("report.html")).expect("the page");
    let opened = drivelab(&["report", text(&kept), "--json"]).with_code(0).json();
    assert_eq!(opened, document);
    assert!(page == fs::read(kept.join("report.html")).expect("a page"), "the page is made again");
    assert!(kept.join("machine.csv").is_file(), "what the machine did meanwhile");
}

/// The mounts of a device; others come and go on a machine that does more than this test.
fn mounts(device: &str) -> Vec<String> {
    let all = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    all.lines().filter(|line| line.split(' ').any(|word| word == device)).map(str::to_owned).collect()
}

#[test]
fn a_file_system_of_its_own_is_gone_with_its_cell_and_with_a_killed_run() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::of_zeros(64);
    let serial = device.serial();
    let asked = ["paths", "--json", "--fs", "ext4", "--range", "0-48MiB", &serial, "--destroy-data"];
    let document = drivelab_on(&device.node, &[&asked[..], &QUICK].concat()).with_code(0).json();
    assert_eq!(
        measured(&document),
        ["file-buffered", "file-direct", "device-buffered", "device-direct", "raw"]
    );
    assert!(sectors(&device.node, 48 << 20, 16 << 20, false), "nothing is written beyond the range");
    let endless = ["--sizes", "1MB", "--cell-bytes", "8MB", "--runs", "1000", "--idle", "30ms"];
    devices::wait_until_free(&device.node);
    let running = Running::start(&[&["paths", text(&device.node)], &asked[2..], &endless].concat());
    pause(Duration::from_secs(2));
    running.kill();
    assert_eq!(mounts(device.text()), Vec::<String>::new());
    drivelab_on(&device.node, &[&asked[..], &QUICK].concat()).with_code(0);
    devices::wait_until_free(&device.node);
    assert!(devices::is_free(&device.node));
}

#[test]
fn an_interrupted_comparison_shows_what_it_has() {
    let folder = folder();
    let document = folder.path().join("kept/findings.json");
    let here = folder.path().join("files");
    fs::create_dir(&here).expect("a folder");
    let asked = [
        "paths",
        text(&here),
        "--sizes",
        "1MB",
        "--cell-bytes",
        "4MB",
        "--runs",
        "100",
        "--idle",
        "20ms",
        "--json",
    ];
    let kept = document.parent().expect("a folder");
    let running = Running::start(&[&asked[..], &["-o", text(kept)]].concat());
    assert!(eventually(|| document.exists()));
    running.signal(Signal::INT);
    let ended = running.ends().with_code(130);
    assert_fits(&ended.json());
    assert_eq!(ended.json()["run"]["outcome"]["interrupted"], json!(true));
    assert!(fs::read_to_string(kept.join("report.html")).is_ok_and(|page| page.contains("interrupted")));
    assert_eq!(fs::read_dir(&here).map(Iterator::count).ok(), Some(0));
}

#[test]
fn a_simulated_drive_has_the_raw_path_alone_and_is_the_same_every_time() {
    let asked = ["paths", "sim:consistent", "--sizes", "1MB,8MB", "--cell-bytes", "64MB", "--json"];
    let document = drivelab(&asked).with_code(0).json();
    assert_eq!(measured(&document), ["raw", "raw"]);
    assert_eq!(cells(&document)[0]["processors"], Value::Null);
    assert_eq!(document, drivelab(&asked).with_code(0).json());
    let table = drivelab(&asked[..asked.len() - 1]).with_code(0).stdout;
    assert!(table.contains("neither a file system nor a device file"), "{table}");
}

#[test]
fn results_are_opened_again_and_compared() {
    let folder = folder();
    let kept = ["sim:consistent", "sim:hdd-7200"].map(|target| {
        let kept = folder.path().join(target.trim_start_matches("sim:"));
        let asked = ["paths", target, "--sizes", "1MB,8MB", "--cell-bytes", "32MB", "--runs", "2"];
        drivelab(&[&asked[..], &["-o", text(&kept)]].concat()).with_code(0);
        kept
    });
    let page = kept[0].join("report.html");
    let before = fs::read(&page).expect("a page");
    fs::remove_file(&page).expect("the page");
    drivelab(&["report", text(&kept[0])]).with_code(0);
    assert!(before == fs::read(&page).expect("a page"), "the page is made again from what was kept");
    let tables = folder.path().join("tables");
    let files = ["--csv", text(&tables), "--svg", text(&tables), "--png", text(&tables)];
    let compared = drivelab(&[&["report", text(&kept[0]), text(&kept[1])][..], &files].concat()).with_code(0);
    assert!(compared.stdout.contains('✓'), "the best of equal demands is marked: {}", compared.stdout);
    let csv = fs::read_to_string(tables.join("rate-by-file-size.csv")).expect("a table");
    assert!(csv.contains("1003520") && csv.contains("8003584"), "{csv}");
    assert!(tables.join("rate-by-file-size.svg").is_file() && tables.join("rate-by-file-size.png").is_file());
    let other = folder.path().join("other");
    drivelab(&["paths", "sim:hdd-7200", "--sizes", "1MB", "--cell-bytes", "8MB", "-o", text(&other)])
        .with_code(0);
    let compared = drivelab(&["report", text(&kept[0]), text(&other)]).with_code(0).stdout;
    assert!(compared.contains("asked for differently") && !compared.contains('✓'), "{compared}");
}

#[test]
fn what_may_not_be_written_is_not() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::with_ext4(32);
    let before = checksum(&device.node);
    drivelab_on(&device.node, &[&["paths"], &QUICK[..]].concat()).with_code(4);
    let serial = device.serial();
    let ended = drivelab_on(&device.node, &[&["paths", &serial], &QUICK[..]].concat()).with_code(4);
    assert!(ended.stderr.contains("--destroy-data"), "{}", ended.stderr);
    let whole = ["paths", &serial, "--destroy-data"];
    let dry = drivelab_on(&device.node, &[&whole[..], &["--dry-run"], &QUICK].concat()).with_code(0);
    assert!(dry.stdout.contains("6 cells by device-buffered, device-direct, raw"), "{}", dry.stdout);
    let wrong: [(&[&str], &str); 4] = [
        (&["--cell-bytes", "1GiB"], "--cell-bytes"),
        (&["--sizes", "0"], "--sizes"),
        (&["--runs", "0"], "--runs"),
        (&["--range", "512B-16MiB"], "--range"),
    ];
    for (arguments, word) in wrong {
        drivelab_on(&device.node, &[&whole[..], arguments].concat()).fails_in_one_line(2, &[word]);
    }
    assert_eq!(checksum(&device.node), before);
    let asked = ["paths", "sim:consistent", "--directory", "/tmp"];
    drivelab(&asked).fails_in_one_line(2, &["--directory", "simulated"]);
    let folder = folder();
    drivelab(&["paths", text(folder.path()), "--range", "0-50%"]).fails_in_one_line(2, &["--range"]);
    for nothing in [["--cell-bytes", "0"], ["--file-size", "0"]] {
        let file = folder.path().join("file");
        let refused = drivelab(&[&["paths", text(&file)], &nothing[..]].concat()).with_code(2);
        assert!(refused.stderr.contains("above 0") && !file.exists(), "{}", refused.stderr);
    }
    let asked = ["paths", text(folder.path()), "--serial", "X"];
    drivelab(&asked).fails_in_one_line(2, &["--serial"]);
}

/// The kernel's ticks as this test reads them: user, system, iowait, idle, at a second of the monotonic clock.
fn ticks_now() -> (f64, [f64; 4]) {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
    let text = fs::read_to_string("/proc/stat").expect("/proc/stat");
    let columns: Vec<f64> =
        text.lines().next().expect("a line").split_whitespace().skip(1).flat_map(str::parse).collect();
    let ticks = [columns[0] + columns[1], columns[2] + columns[5] + columns[6], columns[4], columns[3]];
    (time.tv_sec as f64 + time.tv_nsec as f64 / 1e9, ticks)
}

/// The ticks at a moment between two readings.
fn ticks_at(readings: &[(f64, [f64; 4])], at: f64) -> [f64; 4] {
    let after =
        readings.iter().position(|(time, _)| *time >= at).expect("the reader outlived the run").max(1);
    let ((from, low), (to, high)) = (readings[after - 1], readings[after]);
    let share = ((at - from) / (to - from)).clamp(0.0, 1.0);
    std::array::from_fn(|column| low[column] + share * (high[column] - low[column]))
}

#[test]
fn processors_and_io_wait_agree_with_another_reader_of_the_same_time() {
    let folder = folder();
    let ended = AtomicBool::new(false);
    let (readings, document) = std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut readings = vec![ticks_now()];
            while !ended.load(Ordering::Relaxed) {
                pause(Duration::from_millis(10));
                readings.push(ticks_now());
            }
            readings
        });
        let asked = ["paths", text(folder.path()), "--sizes", "8MB", "--cell-bytes", "128MB", "--runs", "3"];
        let document = drivelab(&[&asked[..], &["--idle", "300ms", "--json"]].concat()).with_code(0).json();
        ended.store(true, Ordering::Relaxed);
        (reader.join().expect("the reader"), document)
    });
    let names = ["user_ticks", "system_ticks", "iowait_ticks", "idle_ticks"];
    let (mut said, mut read) = ([0.0; 4], [0.0; 4]);
    for run in cells(&document).iter().filter_map(|cell| cell["runs"].as_array()).flatten() {
        for window in ["before", "during", "after"].map(|name| &run["processors"][name]) {
            let moment = |name: &str| window[name].as_f64().expect("a second");
            let (from, to) = (ticks_at(&readings, moment("from_s")), ticks_at(&readings, moment("to_s")));
            for (column, name) in names.iter().enumerate() {
                said[column] += window[name].as_f64().expect("ticks");
                read[column] += to[column] - from[column];
            }
        }
    }
    let total: f64 = read.iter().sum();
    assert!(total > 100.0, "{read:?}");
    for (said, read) in said.iter().zip(read) {
        // Either side reads whole ticks, a moment before or after the other.
        assert!((said - read).abs() < 0.05 * total + 10.0, "{said:?} against {read:?} of {total}");
    }
}
