//! Response times at offered loads.

use crate::common::drivelab;

/// A drive of one controller that takes 100 us for each read, and nothing else that takes time.
const ONE_SERVER: &str = "sim:consistent?size=256MiB&read_command_time=100us&unit_time=0s&controller_noise=0%&read=0s\
                          &bus=90GB/s&link=90GB/s";

/// The p99 of the response times of a queue with random arrivals and a constant service time of 1, at this utilisation (M/D/1),
/// by Lindley's recursion over ten million arrivals.
fn p99_of_queue(utilisation: f64) -> f64 {
    let mut state = 7_u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    };
    let mut wait = 0.0_f64;
    let mut responses: Vec<f64> = (0..10_000_000)
        .map(|_| {
            let response = wait + 1.0;
            wait = (response + draw().ln() / utilisation).max(0.0);
            response
        })
        .collect();
    let place = responses.len() / 100 * 99;
    *responses.select_nth_unstable_by(place, f64::total_cmp).1
}

#[test]
fn the_p99_at_each_load_is_that_of_the_queue() {
    let asked = ["--loads", "20%,50%,80%,90%", "--cell-duration", "200s", "--limit", "500us", "--json"];
    let document = drivelab(&[&["offered-load", ONE_SERVER], &asked[..]].concat()).with_code(0).json();
    let found = &document["findings"];
    let peak = found["peak_iops"].as_f64().expect("a peak");
    assert!((peak / 10_000.0 - 1.0).abs() < 0.01, "{peak}");
    for load in found["loads"].as_array().expect("loads") {
        let percent = load["percent"].as_f64().expect("a share");
        let expected = p99_of_queue(percent / 100.0) * 100e3;
        let p99 = load["response_ns"]["p99"].as_f64().expect("a percentile");
        assert!((p99 / expected - 1.0).abs() < 0.05, "{p99} instead of {expected} at {percent} %");
        assert_eq!(load["schedule"], "kept", "{load}");
    }
    assert_eq!(
        (&found["within_limit_percent"], &found["beyond_limit_percent"]),
        (&50.0.into(), &80.0.into())
    );
}

#[test]
fn loads_are_asked_and_answered_in_iops_and_in_per_cent() {
    let asked = ["--loads", "80%,2000/s,5000/s", "--cell-duration", "100s", "--limit", "300us"];
    let asked = [&["offered-load", ONE_SERVER], &asked[..]].concat();
    let found = drivelab(&[&asked[..], &["--json"]].concat()).with_code(0).json()["findings"].clone();
    let peak = found["peak_iops"].as_f64().expect("a peak");
    let loads = found["loads"].as_array().expect("loads");
    let offered: Vec<f64> = loads.iter().filter_map(|load| load["offered_iops"].as_f64()).collect();
    assert_eq!(offered, [2_000.0, 5_000.0, peak * 80.0 / 100.0], "in rising order");
    let share = loads[1]["percent"].as_f64().expect("a share");
    assert!((share - 5_000.0 / peak * 100.0).abs() < 1e-9, "{share}");
    assert_eq!(loads[1]["asked"]["iops"], 5_000.0, "{found}");
    // A queue with a constant service time of 100 us (M/D/1): the p99 is 2.4 of it at a fifth of the peak, 4.3 at half.
    assert_eq!(found["within_limit_iops"], 2_000.0, "{found}");
    let shown = drivelab(&asked).with_code(0).stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("is at most 300 us up to 2,000 IOPS (20 % of the peak)"), "{shown}");
}

#[test]
fn more_than_the_drive_can_take_is_overload() {
    let asked = ["offered-load", ONE_SERVER, "--loads", "120%", "--cell-duration", "20s", "--json"];
    let document = drivelab(&asked).with_code(0).json();
    let load = &document["findings"]["loads"][0];
    assert_eq!(load["schedule"], "overloaded");
    let (offered, answered) = (load["offered_iops"].as_f64(), load["answered_iops"].as_f64());
    assert!(answered < offered.map(|offered| offered * 0.9), "{load}");
}

#[test]
fn what_is_no_load_is_refused() {
    let refused = |more: &[&str], words: &[&str]| {
        drivelab(&[&["offered-load", "sim:consistent?size=1GiB"], more].concat()).fails_in_one_line(2, words);
    };
    let wrong = |more: &[&str], words: &[&str]| {
        drivelab(&[&["offered-load", "sim:consistent?size=1GiB"], more].concat()).fails_in_the_parser(words);
    };
    wrong(&["--loads", "0%"], &["--loads", "1% to 200%"]);
    wrong(&["--loads", "10%,5000"], &["5000/s"]);
    wrong(&["--rate", "5000/s"], &["'--rate' is '--loads' here"]);
    refused(&["--rw", "flush"], &["--rw", "randread"]);
    refused(&["--read-percent", "30%"], &["--rw randrw"]);
}

/// The first lines of a test with a limit, on one line.
fn limited(drive: &str, more: &[&str]) -> String {
    let shown = drivelab(&[&["offered-load", drive, "--limit", "1ms"], more].concat()).with_code(0).stdout;
    let words = shown.split("Response time by load").next().unwrap_or_default().to_owned();
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn low_loads_that_wake_the_drive_hide_no_higher_ones() {
    let more = ["--loads", "5/s,1000/s,50%", "--cell-duration", "60s"];
    let shown = limited("sim:hmb-nvme?size=1GiB", &more);
    assert!(shown.contains("is at most 1.00 ms from 1,000 IOPS up to 64,"), "{shown}");
    assert!(shown.contains("and longer at 5 IOPS. ") && shown.contains("drivelab wake measures"), "{shown}");
}

#[test]
fn what_an_overloaded_drive_does_not_answer_is_not_shown_to_last() {
    let more = ["--rw", "randwrite", "--cell-duration", "5s"];
    let shown = limited("sim:qlc-nvme?size=32GiB", &more);
    assert!(shown.contains("Up to 7,611 IOPS for 5 s: "), "{shown}");
    assert!(shown.contains("are not shown to last: overloaded, the drive answered 4,"), "{shown}");
}

#[test]
fn a_few_ios_have_no_p99() {
    let shown = limited("sim:hmb-nvme?size=1GiB", &["--loads", "1/s,10/s", "--cell-duration", "2s"]);
    assert!(
        shown.contains("Not shown: Whether the p99 response time is at most 1.00 ms is not shown"),
        "{shown}"
    );
    assert!(shown.contains("Fewer than 100 I/Os were answered at 1 IOPS, 10 IOPS"), "{shown}");
}
