//! Random reads of growing parts of a drive.

use crate::common::drivelab;

#[test]
fn a_disk_is_slower_the_farther_its_head_has_to_go_and_flash_is_not() {
    let found = |drive: &str| {
        let document =
            drivelab(&["working-set", drive, "--cell-duration", "10s", "--json"]).with_code(0).json();
        document["findings"].clone()
    };
    let disk = found("sim:hdd-7200?size=64GiB");
    let sizes: Vec<u64> =
        disk["parts"].as_array().expect("parts").iter().filter_map(|part| part["bytes"].as_u64()).collect();
    assert_eq!(sizes, [1 << 30, 4 << 30, 16 << 30, 64 << 30]);
    let rates: Vec<f64> =
        disk["parts"].as_array().expect("parts").iter().filter_map(|part| part["iops"].as_f64()).collect();
    assert!(rates.windows(2).all(|pair| pair[1] < pair[0]), "{rates:?}");
    assert!(disk["fall"].is_object(), "{disk}");
    let flash = found("sim:consistent?size=4GiB");
    assert!(flash["fall"].is_null(), "{flash}");
}

/// Of a drive that maps 64 GiB in memory, made smaller.
#[test]
fn reads_are_slower_where_the_map_no_longer_fits() {
    let drive = "sim:hmb-nvme?size=16GiB&map_cache=1GiB";
    let document = drivelab(&["working-set", drive, "--cell-duration", "2s", "--json"]).with_code(0).json();
    let fall = &document["findings"]["fall"];
    assert_eq!((&fall["after_bytes"], &fall["from_bytes"]), (&(1_u64 << 30).into(), &(4_u64 << 30).into()));
}

#[test]
fn what_has_no_parts_or_would_write_unasked_is_refused() {
    let refused = |more: &[&str], words: &[&str]| {
        drivelab(&[&["working-set"], more].concat()).fails_in_one_line(2, words);
    };
    refused(&["sim:consistent?size=1GiB", "--range", "0B-100KiB"], &["too small", "--range"]);
    let asked = ["working-set", "sim:consistent?size=1GiB", "--precondition", "random:5s"];
    drivelab(&asked).fails_in_the_parser(&["none or fill"]);
}

#[test]
fn a_part_that_is_read_too_briefly_is_not_judged_and_that_is_said_before_and_after() {
    let asked = ["working-set", "sim:consistent?size=1GiB", "--cell-duration", "1ms"];
    let shown = drivelab(&asked).with_code(0);
    assert!(shown.stderr.contains("--cell-duration 1s"), "{}", shown.stderr);
    let words = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("Not shown:") && words.contains("write --cell-duration 1s or more"), "{words}");
}
