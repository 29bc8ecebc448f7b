//! A job file of fio as a load.

mod common;

use std::fs;

use common::{drivelab, folder, text};

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
