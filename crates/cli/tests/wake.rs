//! Reads after rests.

mod common;

use common::drivelab;
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
