//! Reads after rests.

use crate::common::drivelab;
use serde_json::Value;

#[test]
fn a_drive_that_never_sleeps_has_no_step() {
    for drive in ["sim:consistent?size=1GiB", "sim:hdd-7200?size=1GiB"] {
        let found = drivelab(&["wake", drive, "--json"]).with_code(0).json();
        let found = &found["findings"];
        assert_eq!(found["rests"].as_array().map(Vec::len), Some(11), "{drive}");
        assert_eq!(found["steps"], Value::Array(Vec::new()), "{drive}");
        let longest = found["rests"][10].clone();
        assert_eq!((&longest["rest_ns"], &longest["reads"]), (&60_000_000_000_u64.into(), &6.into()));
        for read in found["reads"].as_array().expect("reads") {
            assert!(read["rested_ns"].as_u64() >= read["rest_ns"].as_u64(), "{read}");
        }
    }
}

/// The model enters a state that takes 2 ms to leave after 100 ms, and one that takes 15 ms after 2 s.
#[test]
fn each_power_state_is_a_step_between_the_rests_that_it_lies_between() {
    let found = drivelab(&["wake", "sim:tlc-nvme?size=4GiB", "--json"]).with_code(0).json();
    let steps = found["findings"]["steps"].as_array().expect("steps");
    let of = |step: &Value| {
        let ms = |name: &str| step[name].as_f64().map(|ns| (ns / 1e6).round());
        (ms("after_ns"), ms("from_ns"), ms("longer_ns"))
    };
    let expected = [(Some(30.0), Some(100.0), Some(2.0)), (Some(1_000.0), Some(3_000.0), Some(13.0))];
    assert_eq!(steps.iter().map(of).collect::<Vec<_>>(), expected);
    let states = found["findings"]["power_states"].as_array().expect("states");
    let of = |state: &Value| ["number", "entered_after_ns", "exit_ns"].map(|name| state[name].as_u64());
    let expected = [[1, 100_000_000, 2_000_000], [2, 2_000_000_000, 15_000_000]].map(|state| state.map(Some));
    assert_eq!(states.iter().map(of).collect::<Vec<_>>(), expected);
}

/// A drive that goes away while it rests is noticed when it is read next, which may be a minute later.
#[test]
fn a_drive_that_went_away_in_a_rest_is_not_said_to_have_done_so_when_it_was_read() {
    let wake = |fault: &str| {
        let drive = format!("sim:hdd-7200?size=1GiB&{fault}");
        let shown = drivelab(&["wake", &drive, "--rests", "60s", "--runs", "6"]).with_code(1).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let rested = wake("gone_at=200s");
    let words = "came after a rest of 60 s, in which nothing was asked of the drive: it may have failed at any moment since its \
                 last answer";
    assert!(rested.contains(words), "{rested}");
    assert!(
        !wake("fail_every=3").contains("at any moment since"),
        "a drive that fails now and then has not gone away"
    );
}

/// The rest that follows the fill is no matter of the first read that is measured.
#[test]
fn a_single_read_after_a_short_rest_meets_a_drive_that_is_awake() {
    for seed in ["1", "2", "3", "4"] {
        let asked =
            ["wake", "sim:hmb-nvme?size=4GiB", "--runs", "1", "--rests", "1ms,1s", "--seed", seed, "--json"];
        let found = drivelab(&asked).with_code(0).json();
        let short = found["findings"]["rests"][0]["median_ns"].as_f64().expect("a time");
        assert!(short < 1e6, "{short} ns with the seed {seed}");
    }
}

#[test]
fn the_sentence_has_the_rule_and_the_rise_that_it_was_judged_by() {
    let shown = drivelab(&["wake", "sim:consistent?size=1GiB", "--rests", "1ms,10ms"]).with_code(0);
    let words = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("No step: A read takes"), "{words}");
    assert!(words.contains("by at least 20 % and at least 10.0 us"), "{words}");
    assert!(words.contains("The profile of this simulated drive has no power states"), "{words}");
}

#[test]
fn too_few_reads_are_said_before_the_test_begins() {
    let asked = ["wake", "sim:consistent?size=1GiB", "--rests", "1ms,10ms", "--runs"];
    let few = drivelab(&[&asked[..], &["5"]].concat()).with_code(0);
    assert!(few.stderr.contains("write --runs 6 or more") && few.stdout.contains("Not shown"), "{few:?}");
    let enough = drivelab(&[&asked[..], &["6"]].concat()).with_code(0);
    assert!(!enough.stderr.contains("--runs"), "{}", enough.stderr);
}

#[test]
fn what_can_be_no_rest_is_refused() {
    let asked = ["wake", "sim:consistent?size=1GiB", "--rests", "2h"];
    drivelab(&asked).fails_in_one_line(2, &["--rests", "1h"]);
    let refused = |more: &[&str], words: &[&str]| {
        drivelab(&[&["wake", "sim:consistent?size=1GiB"], more].concat()).fails_in_the_parser(words);
    };
    refused(&["--rests", "0s"], &["--rests"]);
    refused(&["--rests", "5"], &["5s"]);
}

#[test]
fn the_state_that_is_entered_before_every_rest_is_named() {
    let shown = |rests| {
        let asked = ["wake", "sim:tlc-nvme?size=1GiB", "--rests", rests];
        let shown = drivelab(&asked).with_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let (short, long, all) = (shown("200ms,1s"), shown("3s,10s"), shown("10ms,1s"));
    assert!(short.contains("enters power state 1 after 100 ms, before each of these rests"), "{short}");
    assert!(long.contains("enters power state 2 after 2 s, before each of these rests"), "{long}");
    assert!(!all.contains("before each of these rests"), "{all}");
}
