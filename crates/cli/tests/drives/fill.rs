//! Fills of simulated drives, whose caches are known.

use std::fs;

use crate::common::{self, drivelab, folder, text};
use serde_json::Value;

/// A drive whose dies alone take time, with a static cache of this size, which is emptied while the drive rests.
fn cached(cache: &str) -> String {
    format!(
        "sim:qlc-slc?size=16GiB&over_provisioning=120%&dies=4&planes=2&page=8KiB&pages_per_block=256&slc_cache={cache}\
         &slc_kind=static&slc_full=fold&collect_pool=0&write_buffer=1MiB&controller_noise=0%&command_time=0s&unit_time=0s\
         &link=90GB/s&bus=90GB/s"
    )
}

fn fill(drive: &str, more: &[&str]) -> Value {
    drivelab(&[&["fill", drive, "--json"], more].concat()).with_code(0).json()["findings"].clone()
}

fn assert_near(found: &Value, expected: f64, error: f64) {
    let found = found.as_f64().unwrap_or_else(|| panic!("{found} is no number"));
    assert!((found / expected - 1.0).abs() <= error, "{found} instead of {expected}");
}

#[test]
fn the_knee_is_where_the_cache_is_full_and_the_plateaus_have_the_rates_of_the_flash() {
    for (cache, bytes) in [("512MiB", 512_u64 << 20), ("2GiB", 2 << 30), ("4GiB", 4 << 30)] {
        let found = fill(&cached(cache), &[]);
        assert_eq!(found["knees"].as_array().map(Vec::len), Some(1), "{cache}: {}", found["knees"]);
        assert_near(&found["knees"][0]["at_bytes"], bytes as f64, 0.02);
        // Four dies write 16 KiB each in 200 us in SLC mode; later each such program is folded: a read, a dense program, and an
        // erase for each 1 MiB.
        let die = 4.0 * 16_384.0 / 1e6;
        assert_near(&found["plateaus"][0]["mean_mb_s"], die / 200e-6, 0.05);
        assert_near(&found["plateaus"][1]["mean_mb_s"], die / (200e-6 + 80e-6 + 2.2e-3 + 5e-3 / 64.0), 0.05);
    }
}

#[test]
fn a_drive_without_a_cache_has_no_knee() {
    // The rate of a disk falls to half from its outer tracks to its inner ones.
    for drive in ["sim:hdd-7200?size=4GiB", "sim:consistent?size=4GiB", "sim:sm2246en?size=4GiB"] {
        let found = fill(drive, &["--rests", "1s"]);
        assert_eq!(found["knees"], Value::Array(Vec::new()), "{drive}");
        assert_eq!(found["plateaus"].as_array().map(Vec::len), Some(1), "{drive}");
        assert_eq!(found["no_recovery"], "no_fall", "{drive}");
    }
}

#[test]
fn what_the_drive_has_emptied_while_it_rested_is_fast_again() {
    let found = fill(&cached("2GiB"), &["--rests", "0s,5min", "--filled", "0%,50%"]);
    let recovery = found["recovery"].as_array().expect("rests");
    assert_eq!(recovery.len(), 4, "{recovery:?}");
    for of_level in recovery.chunks(2) {
        let [without, rested] = of_level else { panic!("two rests at each level: {recovery:?}") };
        assert!(without["fast_bytes"].as_u64() < Some(64 << 20), "{without}");
        assert_near(&rested["fast_bytes"], (2_u64 << 30) as f64, 0.05);
        assert_eq!(rested["at_least"], false);
    }
}

/// Each rest finds the same state, whatever was before it.
#[test]
fn what_is_fast_again_does_not_depend_on_the_order_of_the_rests() {
    let recovered = |rests: &str| {
        let found = fill("sim:tlc-nvme?size=32GiB", &["--rests", rests, "--filled", "50%"]);
        let rests = found["recovery"].as_array().expect("rests").iter();
        let mut rests: Vec<(u64, f64, f64)> = rests
            .map(|one| {
                assert_eq!(one["filling_fell"], true, "the cache is full before the rest: {one}");
                let bytes = |name: &str| one[name].as_f64().expect("bytes");
                let rest = one["rest_ns"].as_u64().expect("a rest");
                (rest, bytes("fast_bytes"), bytes("filling_fast_bytes"))
            })
            .collect();
        rests.sort_by_key(|(rest, ..)| *rest);
        rests
    };
    let (up, down) = (recovered("0s,8s,12s,2min"), recovered("2min,12s,8s,0s"));
    assert!(up[0].1 < up[1].1 && up[1].1 < up[2].1 && up[2].1 < up[3].1, "{up:?}");
    // A step of the curve is 1 % of what is fast in an empty drive.
    let step = 0.3 * (32_u64 << 30) as f64 / 100.0;
    for (one, other) in up.iter().zip(&down) {
        assert!((one.1 - other.1).abs() <= step && (one.2 - other.2).abs() <= step, "{up:?} and {down:?}");
    }
}

/// A cache of 30 % of the free space, then the dense cells, then folding.
#[test]
fn a_cache_that_follows_the_free_space_is_smaller_the_fuller_the_drive() {
    let found = fill("sim:tlc-nvme?size=64GiB", &["--rests", "1min", "--filled", "50%,75%"]);
    assert_eq!(found["knees"].as_array().map(Vec::len), Some(2), "{}", found["knees"]);
    let size = (64_u64 << 30) as f64;
    assert_near(&found["knees"][0]["at_bytes"], 0.3 * size, 0.02);
    assert_near(&found["recovery"][0]["fast_bytes"], 0.3 * 0.5 * size, 0.05);
}

#[test]
fn what_would_show_nothing_is_refused() {
    let refused = |more: &[&str], words: &[&str]| {
        let asked = [&["fill", "sim:consistent?size=1GiB"], more].concat();
        drivelab(&asked).fails_in_one_line(2, words);
    };
    refused(&["--range", "0%-10%"], &["too few", "larger --range", "smaller --block-size"]);
    refused(&["--range", "0%-0.001%"], &["too few", "at least 320 MiB", "larger --range"]);
    refused(&["--bytes", "100MiB"], &["too few", "--bytes"]);
    refused(&["--bytes", "2GiB"], &["--bytes", "more than the 1.1 GB of the range", "leave --bytes out"]);
    refused(&["--rests", "25h"], &["--rests", "24h"]);
    refused(&["--rests", "5s,5s"], &["--rests names a value twice"]);
    refused(&["--rests", "5s", "--filled", "99%"], &["--filled 99%", "95%"]);
    refused(&["--rests", "5s", "--purge", "none"], &["--purge none"]);
}

/// Each write is in the records, and so all that a killed fill has found out until then.
#[test]
fn a_killed_fill_is_shown_as_its_records_have_it() {
    let folder = folder();
    let run = folder.path().join("fill");
    let drive = cached("2GiB");
    let whole =
        drivelab(&["fill", &drive, "-o", text(&run), "--json"]).with_code(0).json()["findings"].clone();
    let (path, findings) = (run.join("run.json"), run.join("findings.json"));
    let mut manifest = common::manifest(&run);
    manifest["outcome"] = Value::Null;
    fs::write(&path, manifest.to_string()).expect("room on disk");
    fs::remove_file(&findings).expect("findings");
    let killed = drivelab(&["report", text(&run), "--json"]).with_code(1).json()["findings"].clone();
    assert_eq!(killed, whole);
}
