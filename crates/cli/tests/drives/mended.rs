//! Mistakes that were found by using the program, each shown by what should have happened.

use crate::common::devices::{self, Loop};
use crate::common::{drivelab, folder, notices, run_folders, text};

const SIM: &str = "sim:consistent?size=1GiB";

#[test]
fn a_drive_that_takes_no_discards_is_tested_as_it_is() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = Loop::without_discards(16);
    let folder = folder();
    let runs = folder.path().join("runs");
    let timing = ["--duration", "1s", "--window", "1s", "-o", text(&runs)];
    drivelab(&[&["consistency", text(&device.node), &device.serial()][..], &timing].concat()).with_code(0);
    assert!(notices(&run_folders(&runs)[0]).contains("was not purged"));
}

#[test]
fn flushes_and_discards_have_a_service_time_and_flushes_move_no_bytes() {
    let folder = folder();
    let file = folder.path().join("drive.bin");
    std::fs::write(&file, vec![0; 1 << 20]).expect("room");
    let flushes = ["load", text(&file), "--rw", "flush", "--duration", "50ms", "--json"];
    let document = drivelab(&flushes).with_code(0).json();
    assert_eq!(document["findings"]["mb_s"].as_f64(), Some(0.0));
    assert!(document["findings"]["ios"]["summary"]["service_ns"]["max"].as_u64() > Some(0), "{document}");
    // A flush with nothing to do costs a simulated controller a command, too.
    let flushes = ["load", SIM, "--rw", "flush", "--duration", "50ms", "--json"];
    let document = drivelab(&flushes).with_code(0).json();
    assert!(document["findings"]["iops"].as_f64() < Some(1e6), "{document}");
    let discards = ["load", SIM, "--rw", "discard", "--duration", "50ms", "--json"];
    let document = drivelab(&discards).with_code(0).json();
    assert!(document["findings"]["ios"]["summary"]["service_ns"]["max"].as_u64() > Some(0), "{document}");
}

#[test]
fn a_queue_deeper_than_memory_is_refused() {
    let folder = folder();
    let place = folder.path().join("run");
    for depth in ["32769", "100000", "4294967295"] {
        drivelab(&["load", SIM, "--queue-depth", depth]).fails_in_one_line(2, &["--queue-depth"]);
        drivelab(&["consistency", SIM, "--queue-depth", depth, "-o", text(&place)])
            .fails_in_one_line(2, &["--queue-depth"]);
        assert!(!place.exists());
    }
    drivelab(&["load", SIM, "--threads", "3", "--queue-depth", "2000000000"])
        .fails_in_one_line(2, &["--queue-depth"]);
}

#[test]
fn nothing_to_do_is_no_success() {
    drivelab(&["load", SIM, "--bytes", "0"]).with_code(2);
    drivelab(&["load", SIM, "--bytes", "1000B", "--block-size", "1MiB"])
        .fails_in_one_line(2, &["--bytes 1000", "--block-size 1048576"]);
    let more = drivelab(&["load", SIM, "--bytes", "5000B"]).with_code(0);
    let shown = more.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("8192 are asked for"), "{shown}");
}

#[test]
fn requests_that_were_due_and_never_sent_are_in_the_document() {
    let asked = ["load", SIM, "--rate", "1000000/s", "--duration", "100ms", "--json"];
    let document = drivelab(&asked).with_code(0).json();
    let missed = document["findings"]["missed_sends"].as_u64().expect("a count");
    // Most were never sent, so that the median is that of requests which waited until the end.
    assert!(
        missed > document["findings"]["ios"]["records"]["completions"].as_u64().expect("a count"),
        "{document}"
    );
    assert_eq!(document["findings"]["ios"]["summary"]["response_at_least"].as_bool(), Some(true));
    let folder = folder();
    let records = folder.path().join("run");
    let shown = drivelab(&[&asked[..asked.len() - 1], &["--output", text(&records)]].concat()).with_code(0);
    let shown = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("of 1,000,000 asked for") && shown.contains("≥ "), "{shown}");
    // What was never sent left no record, and is in the figures of the kept run all the same.
    let page = folder.path().join("page.html");
    drivelab(&["report", text(&records), "--report", text(&page)]).with_code(0);
    assert!(std::fs::read_to_string(&page).expect("a page").contains('≥'));
}
