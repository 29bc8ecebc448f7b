//! Arguments that make no sense: one line that names them and the mend, and nothing is written.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{self, drivelab, folder, records, run_folders, text};
use tempfile::TempDir;

const SIM: &str = "sim:sm2246en?size=1GiB";
const SIM_4K: &str = "sim:sm2246en?size=1GiB&logical_block=4096";

/// An empty place where a run would be kept, which must not be there after a refusal.
struct Place {
    _folder: TempDir,
    path: PathBuf,
}

impl Place {
    fn new() -> Place {
        let folder = folder();
        let path = folder.path().join("runs");
        Place { _folder: folder, path }
    }

    /// Runs `consistency` and `load` with the same arguments; both say the same words in one line.
    #[track_caller]
    fn both_refuse(&self, target: &str, arguments: &[&str], code: i32, words: &[&str]) {
        self.consistency_refuses(target, arguments, code, words);
        let all = [&["load", target, "--output", text(&self.path)][..], arguments].concat();
        drivelab(&all).fails_in_one_line(code, words);
        assert!(!self.path.exists(), "{all:?} left something");
    }

    #[track_caller]
    fn consistency_refuses(&self, target: &str, arguments: &[&str], code: i32, words: &[&str]) {
        let all = [&["consistency", target, "-o", text(&self.path)][..], arguments].concat();
        drivelab(&all).fails_in_one_line(code, words);
        assert!(!self.path.exists(), "{all:?} left something");
    }
}

#[test]
fn a_simulated_drive_is_named_by_a_profile_and_keys_that_exist() {
    let place = Place::new();
    place.both_refuse("sim:granite", &[], 2, &["granite", "sm2246en", "drivelab profiles"]);
    for slip in ["sim:sm2246", "sim:SM2246EN", "sim:sm2264en?size=1GiB"] {
        place.both_refuse(slip, &[], 2, &["did you mean sim:sm2246en?", "drivelab profiles"]);
    }
    place.both_refuse("sm2246en?size=1GiB", &[], 2, &["write sim:sm2246en?size=1GiB"]);
    drivelab(&["profiles", "consistant"]).fails_in_one_line(2, &["did you mean sim:consistent?"]);
    place.both_refuse("sim:", &[], 2, &["sm2246en"]);
    place.both_refuse("sim:nowhere.toml", &[], 2, &["nowhere.toml"]);
    place.both_refuse("sim:sm2246en?granite=3", &[], 2, &["granite"]);
    place.both_refuse("sim:sm2246en?size", &[], 2, &["size"]);
    place.both_refuse("sim:sm2246en?size=0", &[], 2, &["size", "64MiB"]);
    place.both_refuse("sim:sm2246en?size=8", &[], 2, &["size", "without a unit", "64GiB"]);
    place.both_refuse("sim:sm2246en?size=-1GiB", &[], 2, &["size"]);
    place.both_refuse("sim:sm2246en?over_provisioning=NaN%", &[], 2, &["over_provisioning"]);
}

#[test]
fn a_block_size_suits_the_drive() {
    let place = Place::new();
    drivelab(&["load", SIM, "--block-size", "4096"]).fails_in_the_parser(&["--block-size", "4096B"]);
    for size in ["513B", "100B"] {
        place.both_refuse(SIM, &["--block-size", size], 2, &["--block-size", "512"]);
    }
    for size in ["512B", "3KiB", "4097B"] {
        place.both_refuse(SIM_4K, &["--block-size", size], 2, &["--block-size", "4096"]);
    }
    place.both_refuse(SIM, &["--block-size", "3GiB"], 2, &["--block-size", "1 GiB"]);
}

#[test]
fn something_is_in_flight_and_somebody_works() {
    let place = Place::new();
    place.both_refuse(SIM, &["--queue-depth", "0"], 2, &["--queue-depth"]);
    for workers in ["0", "1025", "100000"] {
        drivelab(&["load", SIM, "--threads", workers]).fails_in_the_parser(&["--threads", "from 1 to 1024"]);
    }
    drivelab(&["load", SIM, "--cpus", "99999"]).fails_in_one_line(2, &["--cpus", "99999"]);
    drivelab(&["load", SIM, "--cpus", "first"]).fails_in_the_parser(&["--cpus", "first"]);
}

#[test]
fn an_address_range_lies_on_the_drive_and_holds_something() {
    let place = Place::new();
    place.both_refuse(SIM, &["--range", "0-2GiB"], 2, &["--range"]);
    place.both_refuse(SIM, &["--range", "3GiB-4GiB"], 2, &["--range"]);
    place.both_refuse(SIM, &["--range", "513B-1GiB"], 2, &["--range", "513"]);
    place.both_refuse(SIM, &["--range", "0-2KiB"], 2, &["range"]);
    for wrong in ["0-101%", "half", "0", "-5%-10%", "0-NaN%"] {
        let argument = format!("--range={wrong}");
        drivelab(&["load", SIM, &argument]).fails_in_the_parser(&["--range"]);
    }
}

#[test]
fn a_reserve_leaves_something_to_write() {
    let place = Place::new();
    for wrong in ["100%", "250%", "-1%", "NaN", "a quarter"] {
        let argument = format!("--over-provisioning={wrong}");
        drivelab(&["consistency", SIM, &argument, "-o", text(&place.path)])
            .fails_in_the_parser(&["--over-provisioning"]);
    }
    // The shell makes two words of a list with a space.
    drivelab(&["consistency", SIM, "--over-provisioning", "0%,", "25%"])
        .fails_in_the_parser(&["--over-provisioning", "0%,25%"]);
    place.consistency_refuses(SIM, &["--over-provisioning", "99.9999%"], 2, &["range"]);
    place.consistency_refuses(
        SIM,
        &["--over-provisioning", "0%,25%,0%"],
        2,
        &["--over-provisioning", "0% twice"],
    );
}

#[test]
fn a_target_is_tested_once() {
    let place = Place::new();
    place.consistency_refuses(SIM, &[SIM_4K, SIM], 2, &[SIM, "named before"]);
    let file = folder();
    let (path, winding) = (file.path().join("disk"), file.path().join(".").join("disk"));
    fs::write(&path, vec![0; 1 << 20]).expect("room");
    place.consistency_refuses(text(&path), &[text(&winding)], 2, &["named before"]);
}

#[test]
fn times_and_rates_are_above_zero() {
    for wrong in ["0", "0s", "-5s", "NaN", "inf", "soon", "1e400"] {
        let [duration, round] = ["--duration", "--window"].map(|flag| format!("{flag}={wrong}"));
        drivelab(&["consistency", SIM, &duration]).fails_in_the_parser(&["--duration"]);
        drivelab(&["consistency", SIM, &round]).fails_in_the_parser(&["--window"]);
        drivelab(&["load", SIM, &duration]).fails_in_the_parser(&["--duration"]);
    }
    for wrong in ["0", "5000", "-1/s", "NaN/s", "inf/s", "fast"] {
        drivelab(&["load", SIM, &format!("--rate={wrong}")]).fails_in_the_parser(&["--rate", "/s for I/Os"]);
    }
    drivelab(&["load", SIM, "--rate=1e12/s"]).fails_in_one_line(2, &["--rate"]);
    drivelab(&["load", SIM, "--arrivals", "poisson"]).fails_in_the_parser(&["--rate"]);
    drivelab(&["load", SIM, "--read-percent", "50%"]).fails_in_one_line(2, &["--read-percent", "randrw"]);
    drivelab(&["load", SIM, "--rw", "flush", "--bytes", "1MiB"])
        .fails_in_one_line(2, &["--bytes", "--duration"]);
    for metered in [&["load", SIM, "--meter", "sim"][..], &["energy", "--meter", "csv:watts.csv"]] {
        let asked =
            [metered, &["--volts", "5"], if metered[0] == "energy" { &["--", "true"] } else { &[] }].concat();
        drivelab(&asked).fails_in_one_line(2, &["--volts", "hwmon"]);
    }
}

#[test]
fn a_target_holds_at_least_one_block() {
    let folder = folder();
    let place = Place::new();
    for (name, bytes) in [("tiny", 100), ("half", 2048)] {
        let file = folder.path().join(name);
        fs::write(&file, vec![0; bytes]).expect("room");
        place.both_refuse(text(&file), &["--destroy-data"], 2, &["block"]);
        assert_eq!(fs::read(&file).expect("the file"), vec![0; bytes]);
    }
    let empty = folder.path().join("empty");
    fs::write(&empty, []).expect("room");
    drivelab(&["load", text(&empty)]).fails_in_one_line(2, &["empty"]);
    drivelab(&["load", text(&empty), "--rw", "write"]).fails_in_one_line(2, &["empty"]);
}

#[test]
fn a_target_is_a_drive_or_a_file() {
    let folder = folder();
    let place = Place::new();
    let missing = folder.path().join("missing");
    place.both_refuse(text(folder.path()), &[], 2, &["folder"]);
    place.both_refuse("/dev/null", &[], 2, &["character device"]);
    place.both_refuse("/dev/nosuch", &[], 3, &["/dev/nosuch", "drivelab drives"]);
    drivelab(&["load", text(&missing)])
        .fails_in_one_line(3, &["missing", "drivelab drives", "sim:consistent"]);
    drivelab(&["load", text(&missing), "--rw", "write"]).fails_in_one_line(2, &["missing", "1GiB"]);
    place.consistency_refuses(text(&missing), &[], 2, &["missing", "1GiB"]);
    assert!(!missing.exists());
    // A later target that is wrong is found before the first one is touched.
    place.consistency_refuses(SIM, &["sim:granite"], 2, &["granite"]);
}

#[test]
fn an_output_folder_is_never_overwritten() {
    let folder = folder();
    fs::write(folder.path().join("thesis.txt"), "mine").expect("room");
    let there = text(folder.path());
    drivelab(&["consistency", SIM, "-o", there]).fails_in_one_line(2, &["not empty"]);
    drivelab(&["load", SIM, "--output", there]).fails_in_one_line(2, &["not empty"]);
    let file = folder.path().join("thesis.txt");
    drivelab(&["consistency", SIM, "-o", text(&file)]).fails_in_one_line(2, &["thesis.txt", "is a file"]);
    assert_eq!(fs::read_to_string(file).expect("the file"), "mine");
    assert_eq!(common::tree(folder.path()).len(), 1);
}

#[test]
fn a_place_that_takes_no_files_is_named_with_what_to_do() {
    let folder = folder();
    let file = folder.path().join("thesis.txt");
    fs::write(&file, "mine").expect("room");
    let below = file.join("runs");
    for place in ["/proc/foo", "/sys/foo/bar"] {
        drivelab(&["consistency", SIM, "-o", place]).fails_in_one_line(3, &[place, "belongs to the kernel"]);
        drivelab(&["load", SIM, "--output", place]).fails_in_one_line(3, &[place, "belongs to the kernel"]);
    }
    drivelab(&["load", SIM, "--output", text(&below)])
        .fails_in_one_line(2, &["below a file", "name a folder"]);
    // What is missing of a folder's path is made.
    let deep = folder.path().join("runs/today");
    drivelab(&["load", SIM, "--duration", "1s", "--output", text(&deep)]).with_code(0);
    let nowhere = folder.path().join("nope");
    let page = nowhere.join("x.html");
    drivelab(&["report", text(&deep), "--report", text(&page)])
        .fails_in_one_line(3, &["x.html", "make it first"]);
    assert!(!nowhere.exists(), "the folder of a file is not made");
    for flag in ["--svg", "--png", "--csv"] {
        drivelab(&["report", text(&deep), flag, text(&file)])
            .fails_in_one_line(3, &["thesis.txt", "name a folder"]);
        drivelab(&["report", text(&deep), flag, text(&below)])
            .fails_in_one_line(3, &["runs", "name a folder"]);
        drivelab(&["report", text(&deep), flag, text(&nowhere.join(flag))]).with_code(0);
    }
    drivelab(&["report", text(&deep), "--report", text(folder.path())]).fails_in_one_line(2, &[".html"]);
    drivelab(&["man", "--output", text(&file)]).fails_in_one_line(3, &["thesis.txt", "name a folder"]);
    assert_eq!(fs::read_to_string(file).expect("the file"), "mine");
}

#[test]
fn a_report_wants_the_folder_of_a_run() {
    let folder = folder();
    let [missing, empty, file] = ["missing", "empty", "file"].map(|name| folder.path().join(name));
    fs::create_dir(&empty).expect("a folder");
    fs::write(&file, "no run").expect("room");
    for path in [&missing, &empty, &file] {
        drivelab(&["report", text(path)]).fails_in_one_line(2, &[text(path), "run"]);
    }
    drivelab(&["report"]).fails_in_the_parser(&["DIR"]);
    assert!(common::tree(&empty).is_empty(), "a report that fails leaves no page");
}

/// A run of two segments that a test may damage.
fn kept_run(folder: &Path) -> PathBuf {
    let run = folder.join("run");
    let asked = ["load", SIM, "--rw", "randwrite", "--bytes", "4608MiB", "--output", text(&run)];
    drivelab(&asked).with_code(0);
    assert_eq!(records::segments(&run).len(), 2);
    run
}

#[test]
fn a_damaged_segment_is_named_with_what_to_do() {
    let folder = folder();
    let run = kept_run(folder.path());
    let segment = &records::segments(&run)[0];
    let whole = fs::read(segment).expect("a segment");
    let mut flipped = whole.clone();
    flipped[..4096].fill(0x5a);
    let garbage: Vec<u8> = (0..=250).cycle().take(whole.len()).collect();
    let damages = [&whole[..whole.len() / 2], &whole[..whole.len() - 1], &[], &garbage, &flipped];
    for damage in damages {
        fs::write(segment, damage).expect("room");
        let ended = drivelab(&["report", text(&run)]).with_code(1);
        assert!(ended.stderr.contains("000000.parquet is damaged"), "{}", ended.stderr);
        assert!(ended.stderr.contains("put back"), "{}", ended.stderr);
        assert!(!ended.stderr.contains("move"), "without the segment every figure would be wrong");
    }
    // What the message says to do works.
    fs::write(segment, whole).expect("room");
    drivelab(&["report", text(&run)]).with_code(0);
}

#[test]
fn a_damaged_manifest_is_named() {
    let folder = folder();
    let runs = folder.path().join("runs");
    let asked = ["consistency", SIM, "--duration", "2s", "--window", "1s", "-o", text(&runs)];
    drivelab(&asked).with_code(0);
    let run = &run_folders(&runs)[0];
    let path = run.join("run.json");
    let whole = fs::read_to_string(&path).expect("a manifest");
    let damages = [
        whole[..whole.len() / 2].to_owned(),
        String::new(),
        "[]".to_owned(),
        "\u{0}\u{1}garbage".repeat(100),
        whole.replace("drivelab.run/3", "drivelab.run/99"),
        whole.replace("\"phases\"", "\"pauses\""),
    ];
    for damage in damages {
        fs::write(&path, &damage).expect("room");
        drivelab(&["report", text(run)]).fails_in_one_line(2, &["run.json"]);
        drivelab(&["report", text(&runs), "--json"]).fails_in_one_line(2, &["run.json"]);
    }
}

#[test]
fn a_command_and_a_shell_have_to_exist() {
    drivelab(&["frobnicate"]).fails_in_the_parser(&["frobnicate"]);
    drivelab(&["completions", "abacus"]).fails_in_the_parser(&["abacus", "bash"]);
    drivelab(&["load"]).fails_in_the_parser(&["TARGET"]);
    drivelab(&["consistency", "-o", "runs"]).fails_in_the_parser(&["TARGET"]);
    drivelab(&["quick", SIM, SIM_4K])
        .fails_in_the_parser(&["quick takes one target", "drivelab report DIR DIR"]);
    drivelab(&["load", SIM, "randread"]).fails_in_the_parser(&["write '--rw randread'"]);
    drivelab(&["load", SIM, "-bs", "4k"]).fails_in_the_parser(&["write '--block-size'"]);
    drivelab(&["quick"]).fails_in_the_parser(&["sim:sm2246en", "lists the drives"]);
    drivelab(&["trace", "show"]).fails_in_the_parser(&["drivelab trace import"]);
    drivelab(&["report"]).fails_in_the_parser(&["lists those in this folder"]);
    // A target alone is no command.
    drivelab(&[SIM]).fails_in_the_parser(&["a command comes first: drivelab quick 'sim:"]);
    drivelab(&["zero"]).fails_in_the_parser(&["drivelab quick /dev/zero reads"]);
    drivelab(&["nothing-of-this-name"]).fails_in_the_parser(&["unrecognized subcommand"]);
    drivelab(&["show", "desktop"]).fails_in_the_parser(&["drivelab trace show"]);
    drivelab(&["load", SIM, "--seed", "abc"]).fails_in_the_parser(&[
        "'abc'",
        "--seed",
        "give a whole number",
    ]);
}

#[test]
fn an_option_of_another_command_is_answered_with_that_of_this_one() {
    for (typed, meant) in [
        (["matrix", SIM, "--bytes=1GiB"], "'--working-set'"),
        (["pts", SIM, "--duration=5s"], "'--cell-duration'"),
        (["report", "runs", "-o"], "'--report'"),
    ] {
        drivelab(&typed).fails_in_the_parser(&[&format!("write {meant}")]);
    }
}

#[test]
fn an_option_of_another_program_is_answered_with_what_to_do_here() {
    for (typed, meant) in [
        (&["report", "runs", "--html=x.html"][..], "write '--report FILE'"),
        (&["load", SIM, "--html", "x.html"], "write '--output DIR'"),
        (&["report", "runs", "--pdf", "x.pdf"], "open it in a browser"),
        (&["load", "--filename=/dev/sdb"], "write 'drivelab load TARGET'"),
        (&["load", SIM, "--verbose"], "no option for more or less output"),
        (&["load", SIM, "--duration", "-1h"], "write '1h' in place of '-1h'"),
        (&["quick", SIM, "-bs", "4k"], "quick has none"),
        (&["energy", "sleep", "1"], "drivelab energy -- sleep 1"),
        (&["label", "runs", "My drive"], "write '--label 'My drive''"),
        (&["drives", "/dev/vda"], "drivelab quick /dev/vda"),
        (&["trace", "import", "/dev/null"], "drivelab trace import /dev/null -o"),
        (&["report", "--csv", "data"], "drivelab report DIR --csv data"),
        (&["report", "runs", "--csv"], "write a value after it"),
    ] {
        let ended = drivelab(typed);
        assert!(!ended.stderr.contains("similar"), "{}", ended.stderr);
        ended.fails_in_the_parser(&[meant]);
    }
}

#[test]
fn a_replay_whose_arguments_were_swapped_is_told_their_order() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&["load", SIM, "--duration", "1s", "-o", text(&run)]).with_code(0);
    let order = format!("drivelab replay {} {SIM}", text(&run));
    drivelab(&["replay", SIM, text(&run)]).fails_in_one_line(2, &[&order]);
}
