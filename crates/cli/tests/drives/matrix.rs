//! File systems and threads against each other: on images, and on simulated drives.

use std::fs;
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

use crate::common::devices::{self, eventually};
use crate::common::running::{Running, pause};
use crate::common::{self, drivelab, folder, text};
use crate::matrix_cells::{keep_cells, measurements, runs_of};
use rustix::process::Signal;
use serde_json::{Value, json};

const MATRIX: &str = include_str!("../../../kinds/schemas/drivelab.matrix-3.json");
const IMAGE_LIST: &str = include_str!("../../schemas/drivelab.image-list-1.json");
const IMAGE: &str = include_str!("../../schemas/drivelab.image-1.json");
const SIMULATED: [&str; 10] = [
    "matrix",
    "sim:consistent",
    "--threads",
    "1,4",
    "--work",
    "random-write,seq-read,create",
    "--runs",
    "3",
    "--cell-duration",
    "50ms",
];

#[track_caller]
fn assert_fits(document: &Value) {
    common::assert_fits(MATRIX, document);
}

/// The cells, each with as many runs as were asked for, and a rate above zero.
#[track_caller]
fn measured(document: &Value) -> Vec<String> {
    assert_fits(document);
    let cells = document["findings"]["cells"].as_array().expect("cells");
    let name = |cell: &Value| {
        let runs = cell["runs"].as_array().map(|runs| runs.len() as u64);
        assert_eq!(runs, document["run"]["settings"]["runs"].as_u64());
        assert!(cell["rate"]["mean"].as_f64() > Some(0.0), "{cell}");
        let cell = &cell["cell"];
        let words = [&cell["file_system"], &cell["work"], &cell["threads"]];
        words.map(|word| word.as_str().map_or_else(|| word.to_string(), str::to_owned)).join(" ")
    };
    cells.iter().map(name).collect()
}

#[test]
fn a_simulated_drive_has_threads_and_work_and_is_the_same_every_time() {
    let whole = [&SIMULATED[..], &["--json"]].concat();
    let document = drivelab(&whole).with_code(0).json();
    let cells = ["null seq-read 1", "null seq-read 4", "null random-write 1", "null random-write 4"];
    assert_eq!(measured(&document), cells);
    assert_eq!(document["findings"]["left_out"][0]["what"], json!("create"));
    // Four cells and two controls, three times.
    assert_eq!(document["findings"]["planned"], json!(18));
    let compared = document["findings"]["comparisons"].as_array().expect("comparisons");
    assert!(compared.iter().all(|one| one["axis"] == json!("threads")));
    assert_eq!(compared[0]["verdict"], json!("difference"));
    assert_eq!(document, drivelab(&whole).with_code(0).json());
    let shown = drivelab(&SIMULATED).with_code(0).stdout;
    assert!(shown.contains("2 of 2 comparisons show a difference"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 100), "{shown}");
}

#[test]
fn two_runs_claim_nothing() {
    let asked = [&SIMULATED[..6], &["--runs", "2", "--cell-duration", "50ms"]].concat();
    let document = drivelab(&[&asked[..], &["--json"]].concat()).with_code(0).json();
    assert_fits(&document);
    let compared = document["findings"]["comparisons"].as_array().expect("comparisons");
    assert_eq!(compared.len(), 2);
    for one in compared {
        assert_eq!((&one["blocks"], &one["interval"], &one["p"]), (&json!(2), &Value::Null, &Value::Null));
        assert_eq!(one["verdict"], json!("too_few_runs"));
    }
    let shown = drivelab(&asked).with_code(0).stdout;
    assert!(shown.contains("2 comparisons are not shown: at least 3 runs are needed"), "{shown}");
    assert!(!shown.contains("comparisons show"), "{shown}");
}

#[test]
fn a_run_goes_on_where_it_was_cut_off_and_comes_to_the_same() {
    let folder = folder();
    let kept = folder.path().join("kept");
    let document = drivelab(&[&SIMULATED[..], &["--json", "-o", text(&kept)]].concat()).with_code(0).json();
    let findings = kept.join("findings.json");
    let whole = read(&findings);
    assert_eq!(measurements(&kept), 18);
    keep_cells(&kept, 7);
    let resumed = drivelab(&["matrix", "--resume", text(&kept), "--json"]).with_code(0);
    assert!(resumed.stderr.contains("7 of 18 cells are there"), "{}", resumed.stderr);
    let mut gone_on = resumed.json();
    let starts: Vec<Value> =
        runs_of(&mut gone_on).filter_map(|run| run.as_object_mut()?.remove("start")).collect();
    assert_eq!(starts, vec![json!(1); 11]);
    assert_eq!(gone_on, document);
    let page = read(&kept.join("report.html"));
    assert!(page.contains("Rate against threads") && page.contains("All 2 comparisons"), "{page}");
    // A folder of another plan is not gone on with.
    fs::write(&findings, whole.replace("\"threads\": 1", "\"threads\": 9")).expect("another plan's");
    drivelab(&["matrix", "--resume", text(&kept)]).fails_in_one_line(2, &["findings", "another plan"]);
    drivelab(&["matrix", "--resume", text(folder.path())]).fails_in_one_line(2, &["--resume"]);
}

#[test]
fn settings_that_no_command_line_gives_are_refused_before_anything_is_written() {
    let folder = folder();
    let kept = folder.path().join("kept");
    let asked = ["matrix", "sim:consistent", "--threads", "1", "--work", "seq-write", "--runs", "1"];
    drivelab(&[&asked[..], &["--cell-duration", "50ms", "-o", text(&kept)]].concat()).with_code(0);
    let run = kept.join("run.json");
    let whole: Value = serde_json::from_str(&read(&run)).expect("JSON");
    keep_cells(&kept, 0);
    let findings = read(&kept.join("findings.json"));
    for (setting, value) in [
        ("block_size_bytes", json!(1_u64 << 62)),
        ("block_size_bytes", json!(0)),
        ("block_size_bytes", json!(4097)),
        ("working_set_bytes", json!(u64::MAX)),
        ("threads", json!([0])),
        ("threads", json!([65_535])),
        ("runs", json!(0)),
        ("files", json!(1_u64 << 62)),
        ("file_system_bytes", json!(1_u64 << 62)),
        ("file_systems", json!(["ext4"])),
        ("work", json!([])),
    ] {
        let mut changed = whole.clone();
        changed["settings"][setting] = value.clone();
        fs::write(&run, changed.to_string()).expect("room");
        let ended = drivelab(&["matrix", "--resume", text(&kept)]);
        assert_eq!(ended.code, Some(2), "{setting}: {value}: {}", ended.stderr);
        assert_eq!(read(&kept.join("findings.json")), findings, "{setting}: {value}");
    }
    fs::write(&run, whole.to_string()).expect("room");
    drivelab(&["matrix", "--resume", text(&kept)]).with_code(0);
}

#[test]
fn a_run_does_not_go_on_with_another_simulated_drive_of_the_same_name() {
    let folder = folder();
    let (profile, kept) = (folder.path().join("my.toml"), folder.path().join("kept"));
    let shipped = drivelab(&["profiles", "consistent"]).with_code(0).stdout;
    fs::write(&profile, &shipped).expect("a profile");
    let target = format!("sim:{}", text(&profile));
    drivelab(&[&["matrix", &target], &SIMULATED[2..], &["-o", text(&kept)]].concat()).with_code(0);
    fs::write(&profile, shipped.replace("read = \"", "read = \"1")).expect("a slower drive");
    drivelab(&["matrix", "--resume", text(&kept)]).fails_in_one_line(4, &["begun on", "begin a new run"]);
    // It goes on with what is named now, and not with what the folder names.
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).and_then(|()| fs::write(elsewhere.join("my.toml"), &shipped)).expect("room");
    fs::remove_file(&profile).expect("the profile that the folder names");
    let moved = format!("sim:{}", text(&elsewhere.join("my.toml")));
    let ended = drivelab(&["matrix", &moved, "--resume", text(&kept)]).with_code(0);
    assert!(ended.stderr.contains("18 of 18 cells are there"), "{}", ended.stderr);
    keep_cells(&kept, 0);
    drivelab(&["matrix", &moved, "--resume", text(&kept)]).with_code(0);
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file of the result")
}

#[test]
fn results_are_opened_again_and_compared() {
    let folder = folder();
    let [slow, fast] = ["sim:hdd-7200", "sim:consistent"].map(|target| {
        let kept = folder.path().join(target.trim_start_matches("sim:"));
        let asked = ["matrix", target, "-o", text(&kept)];
        drivelab(&[&asked, &SIMULATED[2..]].concat()).with_code(0);
        kept
    });
    let page = read(&slow.join("report.html"));
    fs::remove_file(slow.join("report.html")).expect("the page");
    drivelab(&["report", text(&slow)]).with_code(0);
    assert_eq!(page, read(&slow.join("report.html")), "the page is made again from what was kept");
    let both = folder.path().join("both.html");
    let compared =
        drivelab(&["report", text(&slow), text(&fast), "--report", text(&both)]).with_code(0).stdout;
    assert!(compared.contains("the 4 cells that all of them have, sim:consistent is"), "{compared}");
    assert!(compared.contains('✓'), "the best of equal demands is marked: {compared}");
    assert!(read(&both).contains("matrix of two drives"));
    let documents = drivelab(&["report", text(&slow), text(&fast), "--json"]).with_code(0).json();
    documents.as_array().expect("a document for each result").iter().for_each(assert_fits);
    let tables = folder.path().join("tables");
    let files = ["--csv", text(&tables), "--svg", text(&tables), "--png", text(&tables)];
    drivelab(&[&["report", text(&slow)][..], &files].concat()).with_code(0);
    let csv = read(&tables.join("random-rates.csv"));
    assert_eq!(csv.lines().count(), 2, "a head and a kind of work: {csv}");
    assert!(read(&tables.join("rate-seq-read.svg")).contains("<svg"));
    assert!(tables.join("rate-seq-read.png").is_file());
    // A kill leaves a run without an outcome, which shows what it had.
    let run = slow.join("run.json");
    let mut killed: Value = serde_json::from_str(&read(&run)).expect("JSON");
    killed.as_object_mut().expect("a manifest").remove("outcome");
    fs::write(&run, killed.to_string()).expect("room");
    let shown = drivelab(&["report", text(&slow)]).with_code(1).stdout;
    assert!(shown.contains("was killed") && shown.contains("--resume") && shown.contains("MB/s"), "{shown}");
}

/// What must be as before: the loop devices of an image, mounts of loop devices, and every scheduler.
fn state(image: &Path) -> (String, Vec<String>, Vec<String>) {
    let loops = devices::run("losetup", &["--associated", text(image)]);
    let mounts = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    let mounts = mounts.lines().filter(|line| line.contains("/dev/loop")).map(str::to_owned).collect();
    let drives = fs::read_dir("/sys/block").expect("drives").flatten();
    let mut schedulers: Vec<String> = drives
        .filter_map(|drive| {
            let chosen = fs::read_to_string(drive.path().join("queue/scheduler")).ok()?;
            Some(format!("{} {chosen}", drive.file_name().to_string_lossy()))
        })
        .collect();
    schedulers.sort();
    (loops, mounts, schedulers)
}

/// Waits for longer: a few cells take a while on a machine that does other work, too.
fn patiently(mut is_so: impl FnMut() -> bool) -> bool {
    (0..3).any(|_| eventually(&mut is_so))
}

fn image(path: &Path, mebibytes: u64) {
    fs::File::create(path).and_then(|file| file.set_len(mebibytes << 20)).expect("an image");
}

/// A scheduler that loop devices can have and do not have by themselves.
fn another_scheduler() -> Option<String> {
    let device = devices::Loop::of_zeros(8);
    let name = device.node.file_name().expect("a name").to_string_lossy().into_owned();
    let offered = fs::read_to_string(format!("/sys/block/{name}/queue/scheduler")).ok()?;
    offered.split_whitespace().find(|name| !name.starts_with('[')).map(str::to_owned)
}

#[test]
fn five_file_systems_are_measured_through_a_kill_and_leave_nothing() {
    if !devices::loops_can_be_made() {
        return;
    }
    let Some(scheduler) = another_scheduler() else {
        return devices::skipped("loop devices have one scheduler here");
    };
    let folder = folder();
    let (drive, kept) = (folder.path().join("drive.img"), folder.path().join("kept"));
    image(&drive, 320);
    let before = state(&drive);
    let target = format!("image:{}", text(&drive));
    let asked = [
        &["matrix", &target, "--schedulers", &scheduler, "-o", text(&kept)][..],
        &["--threads", "2", "--work", "seq-write,delete", "--caching", "buffered,direct", "--runs", "1"],
        &["--cell-duration", "50ms", "--working-set", "4MiB", "--destroy-data", "--assume-unused"],
    ]
    .concat();
    let resume = ["matrix", &target, "--resume", text(&kept), "--destroy-data", "--json"];
    let is_working = |from: usize| measurements(&kept) >= from && state(&drive).2 != before.2;

    let running = Running::start(&asked);
    assert!(patiently(|| is_working(3)), "the scheduler is chosen while a cell works");
    running.kill();
    // What it chose is put back by the next start; the rest goes with the process.
    assert!(eventually(|| (state(&drive).0, state(&drive).1) == (before.0.clone(), before.1.clone())));

    let running = Running::start(&resume);
    assert!(patiently(|| is_working(6)));
    running.signal(Signal::INT);
    let ended = running.ends().with_code(130);
    assert!(ended.stderr.contains("goes on"), "{}", ended.stderr);
    assert!(eventually(|| state(&drive) == before), "{:?}", state(&drive));

    let running = Running::start(&resume);
    assert!(patiently(|| is_working(9)));
    running.signal(Signal::INT);
    pause(Duration::from_millis(300));
    // Ended by the first already, or given up by the second.
    running.signal(Signal::INT);
    running.ends().with_code(130);
    assert!(eventually(|| state(&drive) == before), "{:?}", state(&drive));

    let there = measurements(&kept);
    assert!((9..17).contains(&there), "{there}");
    let ended = drivelab(&resume).with_code(0);
    assert!(ended.stderr.contains(&format!("{there} of 17 cells are there")), "{}", ended.stderr);
    let document = ended.json();
    assert_eq!(measured(&document).len(), if devices::has("mkfs.btrfs") { 15 } else { 12 });
    assert_eq!(document["findings"]["failed"], json!([]));
    assert!(
        document["run"]["notices"].to_string().contains("Run 1 was cut off"),
        "{}",
        document["run"]["notices"]
    );
    assert!(eventually(|| state(&drive) == before), "{:?}", state(&drive));
    assert_machine_is_kept(&kept);
    assert_folder_confirms_nothing((&kept, &drive), &resume);
}

/// What the machine did at each start is there, and on the page.
fn assert_machine_is_kept(kept: &Path) {
    assert!(read(&kept.join("report.html")).contains("The machine and the drive during the test"));
    for machine in ["machine-1.csv", "machine.csv"] {
        let text = fs::read_to_string(kept.join(machine)).expect("what the machine did at each start");
        assert!(text.lines().count() > 1, "{text}");
    }
}

/// What is destroyed is named and confirmed by the user who starts it, and not by the folder.
fn assert_folder_confirms_nothing((kept, drive): (&Path, &Path), resume: &[&str]) {
    drivelab(&["matrix", "--resume", text(kept), "--destroy-data"])
        .fails_in_one_line(2, &["name the target"]);
    keep_cells(kept, 0);
    drivelab(&resume[..4]).with_code(4);
    // The cells of one image are not those of another that lies in its place.
    let other = drive.with_file_name("other.img");
    image(&other, 320);
    fs::rename(&other, drive).expect("renamed");
    drivelab(resume).fails_in_one_line(4, &["begun on", "begin a new run"]);
    let bytes = fs::read(drive).expect("an image");
    assert!(bytes.iter().all(|byte| *byte == 0), "it is as it was");
}

#[test]
fn a_run_does_not_go_on_with_another_file_behind_the_same_loop_device() {
    if !devices::loops_can_be_made() {
        return;
    }
    let folder = folder();
    let kept = folder.path().join("kept");
    let device = devices::Loop::of_zeros(64);
    let name = device.name();
    let options =
        ["--fs", "ext4", "--threads", "1", "--work", "create", "--runs", "1", "--cell-duration", "50ms"];
    let more = ["--destroy-data", "--serial", &name, "-o", text(&kept)];
    drivelab(&[&["matrix", text(&device.node)], &options[..], &more].concat()).with_code(0);
    let other = device.with_another_image(64, devices::make_ext4);
    let before = devices::checksum(&other.node);
    let resume = ["matrix", text(&other.node), "--resume", text(&kept), "--destroy-data", "--serial", &name];
    drivelab(&resume).fails_in_one_line(4, &["begun on", "begin a new run"]);
    assert_eq!(devices::checksum(&other.node), before);
}

/// A boot record with a partition of 32 MiB, which begins at 1 MiB, and one of 4 MiB, which begins at 34.
fn partitioned(path: &Path) {
    image(path, 40);
    let mut record = [0u8; 512];
    for (at, start, length) in [(446, 1u32, 32u32), (462, 34, 4)] {
        record[at + 4] = 0x83;
        record[at + 8..at + 12].copy_from_slice(&(start << 11).to_le_bytes());
        record[at + 12..at + 16].copy_from_slice(&(length << 11).to_le_bytes());
    }
    record[510..].copy_from_slice(&[0x55, 0xaa]);
    let file = fs::OpenOptions::new().write(true).open(path).expect("an image");
    file.write_all_at(&record, 0).and_then(|()| file.write_all_at(&[7; 4096], 33 << 20)).expect("a table");
}

#[test]
fn the_partitions_of_an_image_are_listed_and_attached_all_at_once() {
    let folder = folder();
    let drive = folder.path().join("drive.img");
    partitioned(&drive);
    let listed = || {
        let document = drivelab(&["image", "list", "--json", text(&drive)]).with_code(0).json();
        common::assert_fits(IMAGE_LIST, &document);
        document
    };
    let found = listed();
    let of = |number: usize, name: &str| found["partitions"][number][name].clone();
    assert_eq!(
        (of(0, "number"), of(0, "start"), of(0, "bytes")),
        (json!(1), json!(1 << 20), json!(32 << 20))
    );
    assert_eq!(
        (of(1, "number"), of(1, "start"), of(1, "bytes")),
        (json!(2), json!(34 << 20), json!(4 << 20))
    );
    let shown = drivelab(&["image", "list", text(&drive)]).with_code(0).stdout;
    assert!(shown.contains("2 partitions") && shown.contains("not attached"), "{shown}");
    let plain = folder.path().join("plain.img");
    image(&plain, 1);
    let shown = drivelab(&["image", "list", text(&plain)]).with_code(0).stdout;
    assert!(shown.contains("no partition table"), "{shown}");
    drivelab(&["image", "attach", "--partitions", text(&plain)])
        .fails_in_one_line(2, &["no partition table"]);
    let numbered = format!("{}:1", text(&drive));
    drivelab(&["image", "attach", "--partitions", &numbered]).fails_in_one_line(2, &["without a number"]);
    if !devices::loops_can_be_made() {
        return;
    }
    // One that is attached already lets none of the others be attached.
    drivelab(&["image", "attach", &format!("{}:2", text(&drive))]).with_code(0);
    drivelab(&["image", "attach", "--partitions", text(&drive)]).fails_in_one_line(4, &["detach"]);
    assert_eq!(listed()["partitions"][0]["attached"], json!([]));
    drivelab(&["image", "detach", text(&drive)]).with_code(0);
    let asked = ["image", "attach", "--partitions", "--read-only", "--json", text(&drive)];
    let document = drivelab(&asked).with_code(0).json();
    common::assert_fits(IMAGE, &document);
    let node =
        |number: usize| document["partitions"][number]["attached"].as_str().expect("a node").to_owned();
    let size = |node: &str| devices::run("blockdev", &["--getsize64", "--getro", node]);
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(words(size(&node(0))), [(32 << 20).to_string(), "1".to_owned()]);
    assert_eq!(words(size(&node(1))), [(4 << 20).to_string(), "1".to_owned()]);
    assert_eq!(listed()["partitions"][1]["attached"][0]["device"], json!(node(1)));
    drivelab(&["image", "detach", text(&drive)]).with_code(0);
    assert_eq!(listed()["partitions"][1]["attached"], json!([]));
}

#[test]
fn a_partition_of_an_image_is_measured_and_mounted_by_hand_and_nothing_beside_it_is_touched() {
    if !devices::loops_can_be_made() {
        return;
    }
    let folder = folder();
    let (drive, point) = (folder.path().join("drive.img"), folder.path().join("point"));
    partitioned(&drive);
    fs::create_dir(&point).expect("a folder");
    let beside = || {
        let file = fs::File::open(&drive).expect("an image");
        let mut bytes = [vec![0; 1 << 20], vec![0; 7 << 20]];
        file.read_exact_at(&mut bytes[0], 0)
            .and_then(|()| file.read_exact_at(&mut bytes[1], 33 << 20))
            .expect("bytes");
        bytes
    };
    let before = beside();
    let named = format!("{}:1", text(&drive));
    let target = format!("image:{named}");
    let quick = ["--threads", "2", "--work", "random-write,stat", "--runs", "1", "--cell-duration", "50ms"];
    let asked =
        [&["matrix", &target, "--json", "--fs", "ext4,xfs", "--working-set", "2MiB"], &quick[..]].concat();
    let document = drivelab(&asked).with_code(0).json();
    assert_eq!(measured(&document).len(), 3);
    assert_eq!(document["findings"]["left_out"][0]["what"], json!("xfs"));
    // What the run left is a file system, which only its own flag overrides.
    drivelab(&asked).with_code(4);
    let attached = drivelab(&["image", "attach", &named]).with_code(0).stdout;
    assert!(attached.contains("/dev/loop"), "{attached}");
    drivelab(&["image", "attach", text(&drive)]).fails_in_one_line(4, &["detach"]);
    drivelab(&["image", "attach", &named]).fails_in_one_line(4, &["detach"]);
    drivelab(&["image", "attach", &format!("{}:2", text(&drive))]).with_code(0);
    drivelab(&["image", "detach", text(&drive)]).with_code(0);
    let document =
        drivelab(&["image", "mount", "--read-only", "--json", &named, text(&point)]).with_code(0).json();
    common::assert_fits(IMAGE, &document);
    assert!(document["attached"].as_str().is_some_and(|node| node.starts_with("/dev/loop")), "{document:#}");
    assert!(fs::write(point.join("file"), "by hand").is_err(), "a read-only image was written to");
    let document = drivelab(&["image", "detach", "--json", &named]).with_code(0).json();
    common::assert_fits(IMAGE, &document);
    drivelab(&["image", "mount", &named, text(&point)]).with_code(0);
    fs::write(point.join("file"), "by hand").expect("a mounted file system");
    let open = fs::File::open(point.join("file")).expect("a file");
    drivelab(&["image", "detach", &named]).fails_in_one_line(3, &["busy"]);
    drop(open);
    drivelab(&["image", "detach", &named]).with_code(0);
    assert!(!point.join("file").exists());
    assert!(eventually(|| devices::run("losetup", &["--associated", text(&drive)]).is_empty()));
    drivelab(&["image", "detach", &named]).fails_in_one_line(2, &["not attached"]);
    drivelab(&["image", "attach", &format!("{}:3", text(&drive))]).fails_in_one_line(2, &["it has 1, 2"]);
    assert_eq!(beside(), before);
}

#[test]
fn what_cannot_be_is_refused_and_named() {
    let wrong: [(&[&str], &str); 5] = [
        (&["sim:consistent", "--runs", "0"], "--runs"),
        (&["sim:consistent", "--fs", "ext4"], "--fs"),
        (&["sim:consistent", "--threads", "2,2"], "twice"),
        (&["sim:consistent", "--threads", "64", "--working-set", "1MiB"], "--working-set"),
        (&["sim:consistent", "--block-size", "1000B"], "--block-size"),
    ];
    for (arguments, word) in wrong {
        drivelab(&[&["matrix"], arguments].concat()).fails_in_one_line(2, &[word]);
    }
    for (flag, value) in [("--fs", "ntfs"), ("--work", "sing"), ("--threads", "9..1")] {
        drivelab(&["matrix", "sim:consistent", flag, value]).fails_in_the_parser(&[flag]);
    }
    drivelab(&["matrix"]).with_code(2);
    let dry = drivelab(&["matrix", "sim:consistent", "--dry-run"]).with_code(0).stdout;
    assert!(dry.contains("32 cells") && dry.contains("170 measurements"), "{dry}");
    let folder = folder();
    let file = folder.path().join("file.img");
    image(&file, 1);
    drivelab(&["matrix", text(&file)]).fails_in_one_line(2, &["image:"]);
    let target = format!("image:{}:1", text(&file));
    drivelab(&["matrix", &target, "--dry-run"]).fails_in_one_line(2, &["no partition table"]);
    // What stands against the command is said before the image is made.
    let new = folder.path().join("new.img");
    let made = format!("image:{}", text(&new));
    let asked = ["matrix", &made, "--file-size", "64MiB", "--destroy-data"];
    for more in [["--openmetrics", text(&new)], ["--battery", "50"]] {
        drivelab(&[&asked[..], &more].concat()).fails_in_one_line(2, &[more[0]]);
        drivelab(&[&asked[..], &more, &["--dry-run"]].concat()).fails_in_one_line(2, &[more[0]]);
        assert!(!new.exists(), "{more:?}");
    }
    // A drive beside it must not be confirmed by chance.
    drivelab(&["matrix", &target, "--serial", "X"]).fails_in_one_line(2, &["--serial"]);
    assert!(drivelab(&["matrix", "--help"]).with_code(0).stdout.contains("Examples:"));
}
