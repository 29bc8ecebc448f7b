//! Results of a review that are damaged, and files that are others than the review was begun on.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::devices::eventually;
use crate::common::running::Running;
use crate::common::{drivelab, folder, text};

/// A plan in a file of this folder.
fn plan(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("plan.toml");
    fs::write(&path, text).expect("a plan");
    path
}

const READS: &str = "[[step]]\ntest = \"quick\"\n\n[[step]]\ntest = \"load\"\nduration = \"1s\"\n";

#[test]
fn a_damaged_result_is_named_and_no_drive_is_called_better_without_it() {
    let folder = folder();
    let (plan, review) = (plan(folder.path(), READS), folder.path().join("review"));
    let drives = ["sim:sm2246en?size=1GiB", "sim:consistent?size=1GiB"];
    let asked = [&["review"], &drives[..], &["--plan", text(&plan), "-o", text(&review)]].concat();
    let whole = drivelab(&asked).with_code(0).stdout;
    assert!(whole.contains("For reads and short writes, as on a desktop"), "{whole}");
    let page = fs::read_to_string(review.join("report.html")).expect("a page");
    let run = review.join("01-sim-sm2246en-size-1GiB/02-load/run.json");
    let text_of_run = fs::read_to_string(&run).expect("a run");
    fs::write(&run, &text_of_run[..100]).expect("damaged");
    let shown = drivelab(&["report", text(&review)]).with_code(1);
    let complaint = "02-load/run.json: damaged";
    assert!(
        shown.stderr.contains(complaint) && shown.stdout.contains("is not said: not all results"),
        "{shown:?}"
    );
    assert!(!shown.stdout.contains("as on a desktop"), "{}", shown.stdout);
    // The page that was made from all of them is kept.
    assert_eq!(fs::read_to_string(review.join("report.html")).expect("the page"), page);
    let resumed = drivelab(&["review", "--resume", text(&review)]).with_code(1);
    assert!(
        resumed.stderr.contains("Nothing is left to do") && resumed.stderr.contains(complaint),
        "{resumed:?}"
    );
    fs::write(&run, &text_of_run).expect("mended");
    assert!(drivelab(&["report", text(&review)]).with_code(0).stdout.contains("as on a desktop"));
    // Of records that are damaged, the rest is shown.
    let records = fs::read_dir(run.with_file_name("segments")).expect("segments").next().expect("one");
    let records = records.expect("an entry").path();
    fs::OpenOptions::new().write(true).open(&records).and_then(|file| file.set_len(1_000)).expect("cut");
    let shown = drivelab(&["report", text(&review)]).with_code(1);
    assert!(shown.stdout.contains("is not said: not all results"), "{shown:?}");
}

/// Neither the random writes of `consistency` nor the few long blocks of a stream show a drive that flips a bit now and then.
#[test]
fn the_short_plan_reads_small_random_writes_back() {
    let folder = folder();
    let review = folder.path().join("review");
    let asked = |drive| ["review", drive, "--plan", "short", "-o", text(&review)];
    let ended = drivelab(&asked("sim:hdd-7200?size=1GiB&flip_every=2000")).with_code(1).stdout;
    let words = ended.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("blocks that were read back is not as written (1 with flipped bits)"), "{ended}");
    assert!(words.contains("1 failed (load)"), "{ended}");
    // Of a drive that holds more blocks than can be kept in mind, one in a few is written.
    let large = "sim:hdd-7200?size=10TiB";
    fs::remove_dir_all(&review).expect("a review");
    drivelab(&[&asked(large)[..], &["--dry-run"]].concat()).with_code(0);
    let load = ["load", large, "--rw", "randwrite", "--block-size", "16KiB", "--verify", "end", "--dry-run"];
    let planned = drivelab(&load).with_code(0);
    let words = format!("{}{}", planned.stdout, planned.stderr);
    assert!(words.contains("at one place in 5 of the range"), "{words}");
}

/// A file as large as its predecessor, in its place, is another one.
#[test]
fn a_review_goes_on_with_no_file_that_took_the_place_of_its_own() {
    let folder = folder();
    let steps = "[[step]]\ntest = \"load\"\nrw = \"randwrite\"\nduration = \"200ms\"\n\n[[step]]\ntest = \"load\"\n\
                 rw = \"randread\"\nduration = \"1min\"\n";
    let (plan, review) = (plan(folder.path(), steps), folder.path().join("review"));
    let (file, away) = (folder.path().join("file"), folder.path().join("away"));
    // The second step reads what the first one makes.
    let asked = ["review", text(&file), "--plan", text(&plan), "-o", text(&review), "--file-size", "64MiB"];
    let running = Running::start(&[&asked[..], &["--destroy-data"]].concat());
    let record = review.join("review.json");
    let has_ended = || fs::read_to_string(&record).is_ok_and(|text| text.contains("\"exit_code\""));
    assert!(eventually(has_ended), "the first step goes on");
    running.kill();
    let resume = ["review", "--resume", text(&review), "--destroy-data", "--dry-run"];
    drivelab(&resume).with_code(0);
    fs::rename(&file, &away).expect("moved");
    drivelab(&resume).fails_in_one_line(4, &["is not there now", "put the file back"]);
    for _ in 0..2 {
        // A new file may get the inode of one that was removed.
        fs::write(&file, vec![0; 64 << 20]).expect("room");
        drivelab(&resume).fails_in_one_line(4, &["another file is there now", "put the file back"]);
        fs::remove_file(&file).expect("removed");
    }
    fs::rename(&away, &file).expect("moved");
    drivelab(&resume).with_code(0);
}
