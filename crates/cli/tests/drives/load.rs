//! Loads: whether an open loop kept its schedule, and which loads are ranked.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{drivelab, folder, manifest, text};
use serde_json::Value;

/// A short load of a simulated drive, kept in a folder of this name.
fn load(folder: &Path, name: &str, drive: &str, more: &[&str]) -> PathBuf {
    let output = folder.join(name);
    let always = ["load", drive, "--rw", "randwrite", "--queue-depth", "1", "--range", "0-1GiB"];
    drivelab(&[&always[..], &["--duration", "3s", "-o", text(&output)], more].concat()).with_code(0);
    output
}

/// What the terminal shows of kept loads, on one line.
fn shown(runs: &[&Path]) -> String {
    let runs: Vec<&str> = runs.iter().map(|run| text(run)).collect();
    let shown = drivelab(&[&["report"], &runs[..]].concat()).stdout;
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_page_says_once_whether_an_open_loop_kept_its_schedule() {
    let folder = folder();
    let pages = ["5000/s", "54400/s", "80000/s"].map(|rate| {
        let name = rate.trim_end_matches("/s");
        shown(&[&load(folder.path(), name, "sim:consistent", &["--rate", rate])])
    });
    let kept_up = pages.each_ref().map(|page| page.contains("The drive kept up with the schedule"));
    let fell_behind = pages.each_ref().map(|page| page.contains("did not keep up"));
    assert_eq!((kept_up, fell_behind), ([true, true, false], [false, false, true]), "{pages:#?}");
    // One request is always in flight here: what was never sent is short of the threshold of 1 %, and makes bounds all the same.
    let never_sent = pages.each_ref().map(|page| page.contains("were due and never sent"));
    let bounds =
        pages.each_ref().map(|page| page.split("Figures").next().unwrap_or("").matches("at least").count());
    assert_eq!((never_sent, bounds), ([false, true, true], [0, 4, 4]), "{pages:#?}");
}

#[test]
fn loads_are_ranked_where_all_are_complete_and_no_rate_was_set() {
    let folder = folder();
    let of = |name, drive, more: &[&str]| load(folder.path(), name, drive, more);
    let (one, other) = (of("one", "sim:consistent", &[]), of("other", "sim:sm2246en", &[]));
    assert!(shown(&[&one, &other]).contains('✓'));
    // One keeps the schedule and the other does not: the rate of the first is that of the schedule.
    let rate = ["--rate", "40000/s"];
    let (kept, late) = (of("kept", "sim:consistent", &rate), of("late", "sim:sm2246en", &rate));
    let page = shown(&[&kept, &late]);
    assert!(page.contains("No rate is marked as the best, since it is the one asked for"), "{page}");
    let path = one.join("run.json");
    let mut run = manifest(&one);
    run["outcome"]["interrupted"] = true.into();
    fs::write(&path, run.to_string()).expect("room on disk");
    let page = shown(&[&one, &other]);
    let why = "Not all did what was asked for to its end (sim:consistent, interrupted): no value is marked as the best.";
    assert!(page.contains(why) && !page.contains('✓'), "{page}");
    // One that a failure of the drive ended before its time has an outcome like any other.
    run["outcome"]["interrupted"] = false.into();
    run["phases"][0]["ended_at_ns"] =
        (run["phases"][0]["started_at_ns"].as_u64().expect("a time") + 2_000_000_000).into();
    fs::write(&path, run.to_string()).expect("room on disk");
    let page = shown(&[&one, &other]);
    assert!(page.contains("Not all did what was asked for to its end (sim:consistent):"), "{page}");
}

#[test]
fn a_mean_over_the_cache_of_a_drive_is_said_to_be_one() {
    let words = |drive: &str| {
        let shown = drivelab(&["load", drive, "--rw", "randwrite", "--duration", "20s"]).with_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let cached = words("sim:tlc-nvme?size=32GiB");
    assert!(cached.contains("IOPS before the cliff to"), "{cached}");
    let small = words("sim:tlc-nvme?size=8GiB");
    assert!(small.contains("IOPS in the first second to"), "{small}");
    assert!(!words("sim:consistent").contains("MB/s on average"));
}

/// A drive that hangs for ever.
const HANGS: &str = "sim:consistent?size=1GiB&hang_at=4s";

/// A load of a drive that hangs at second 4 of 12, for ever by its own clock; its words are those of the terminal, and its
/// manifest is that of the folder.
fn hung(folder: &Path, name: &str, more: &[&str]) -> (String, Value) {
    let output = folder.join(name);
    let always = ["load", HANGS, "--rw", "randwrite", "--duration", "12s", "-o", text(&output)];
    let ended = drivelab(&[&always[..], more].concat()).with_code(1);
    // The loop looks every tenth of a second at least, and says what it has seen by then: 5.00 s to 5.10 s.
    let line = "the drive has answered no I/O for 5.0";
    assert!(ended.stderr.contains(line), "{}", ended.stderr);
    let words = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(shown(&[&output]), words, "the records give the same again");
    (words, manifest(&output))
}

#[test]
fn a_drive_that_hangs_for_ever_ends_a_run_two_seconds_after_its_limit_and_is_its_answer() {
    let folder = folder();
    for (name, more, count) in [
        ("four", &["--queue-depth", "4"][..], Some(4)),
        ("one", &["--queue-depth", "1"], Some(1)),
        ("open", &["--queue-depth", "64", "--rate", "1000/s"], None),
        ("threads", &["--queue-depth", "4", "--threads", "2"], Some(8)),
    ] {
        let (words, kept) = hung(folder.path(), name, more);
        // Behind the title and the drive.
        let first = format!(
            "Load of {HANGS} {HANGS}, simulated consistent, 1.07 GB Hung: No answer since second 4.00 of"
        );
        assert!(words.starts_with(&first) && words.matches("Hung").count() == 1, "it comes first: {words}");
        assert_eq!(kept["outcome"]["broke_off"], true);
        let (phase, unanswered) = (&kept["phases"][0], &kept["outcome"]["lapses"]["unanswered"]);
        let since = unanswered["since"]["at_s"].as_f64().expect("a moment");
        let until = since + unanswered["waited_s"].as_f64().expect("a time");
        assert!((3.99..=4.0).contains(&since), "{unanswered}");
        assert!((13.5..=14.0).contains(&until), "{unanswered}");
        assert!(count.is_none_or(|count| unanswered["count"] == count), "{unanswered}");
        assert!(
            phase.get("silences").is_none() && phase.get("unanswered").is_none(),
            "it is in one place: {phase}"
        );
        assert!(words.contains("the longest at least "), "{words}");
        let document = drivelab(&["report", text(&folder.path().join(name)), "--json"]).json();
        let longest = &document["findings"]["ios"]["summary"]["service_ns"]["max"];
        assert!(
            longest.as_u64() >= Some(9_400_000_000),
            "what was given up counts with what it waited: {longest}"
        );
        let failed = &document["run"]["outcome"]["failed"];
        assert_eq!(failed, &unanswered["count"], "nothing else failed");
    }
}

#[test]
fn a_hang_that_ends_is_the_first_that_is_said_and_no_failure() {
    let folder = folder();
    let output = folder.path().join("hang");
    let drive = "sim:consistent?size=1GiB&hang_at=4s&hang_for=6s";
    let load = ["load", drive, "--rw", "randwrite", "--duration", "20s", "-o", text(&output)];
    let ended = drivelab(&load).with_code(0);
    assert!(ended.stderr.contains("the drive answers again, after 6.00 s"), "{}", ended.stderr);
    assert!(ended.stdout.contains("The drive answered nothing for 6"), "{}", ended.stdout);
    let kept = manifest(&output);
    let lapses = &kept["outcome"]["lapses"];
    assert!(lapses.get("unanswered").is_none() && lapses["silence"]["count"] == 1, "{lapses}");
    assert!(kept["phases"][0].get("silences").is_none(), "it has ended, and is in the records: {kept}");
}

/// A drive that freezes for 40 s of each minute, and then works off what has waited, has the mean that was asked for.
#[test]
fn a_drive_that_freezes_has_not_kept_up_with_its_schedule() {
    let drive = "sim:consistent?size=2GiB&freeze_every=60s&freeze_for=40s";
    let words =
        drivelab(&["load", drive, "--rw", "randwrite", "--rate", "2000/s", "--duration", "200s"]).stdout;
    assert!(words.contains("did not keep up") && !words.contains("The drive kept up"), "{words}");
}

/// A command's words on one line; it ends with exit code 1.
fn words_of(command: &[&str]) -> String {
    let shown = drivelab(command).with_code(1).stdout;
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// It has been silent for a second at the end of its time, and a slow drive may be.
#[test]
fn a_drive_that_falls_silent_just_before_the_end_is_waited_for_and_its_times_are_lower_bounds() {
    let folder = folder();
    let output = folder.path().join("late");
    let drive = "sim:consistent?size=1GiB&hang_at=9s";
    let words = words_of(&["load", drive, "--rw", "randread", "--duration", "10s", "-o", text(&output)]);
    assert!(words.contains("No answer since second 9.00"), "{words}");
    assert!(words.contains("the service time is at least"), "{words}");
    assert!(words.contains("the longest at least 5.00 s."), "{words}");
    let unanswered = &manifest(&output)["outcome"]["lapses"]["unanswered"];
    let seconds = |of: &Value| of.as_f64().expect("seconds");
    let given_up_s = seconds(&unanswered["since"]["at_s"]) + seconds(&unanswered["waited_s"]);
    assert!((14.0..=14.2).contains(&given_up_s), "{unanswered}");
    let document = drivelab(&["report", text(&output), "--json"]).json();
    let summary = &document["findings"]["ios"]["summary"];
    let from = summary["service_ns"]["at_least_from"].as_u64().expect("those that were given up");
    assert!((4_990_000_000..=5_010_000_000).contains(&from), "{summary}");
    assert_eq!(summary["service_at_least"], true, "{summary}");
    assert!(summary["service_ns"]["p99"].as_u64() < Some(from), "{summary}");
    let table = drivelab(&["report", text(&output), "--markdown"]).stdout;
    let row = |name: &str| table.lines().find(|line| line.contains(name)).expect("a row").to_owned();
    assert!(row("| max").contains('≥') && !row("| p50").contains('≥'), "{table}");
    let even = folder.path().join("even");
    let asked = ["consistency", drive, "--duration", "10s", "--window", "1s", "-o", text(&even)];
    let evenness = words_of(&asked);
    assert!(evenness.contains("the longest takes at least"), "{evenness}");
    let stream = words_of(&["stalls", "sim:consistent?size=1GiB&hang_at=2s", "--verify", "no"]);
    assert!(stream.contains("1 delay of at least 300 s on average"), "{stream}");
}

#[test]
fn a_drive_that_is_gone_has_not_kept_up_with_its_schedule() {
    let drive = "sim:consistent?size=1GiB&gone_at=1s";
    let words = words_of(&["load", drive, "--rw", "randread", "--rate", "2000/s", "--duration", "5s"]);
    assert!(words.contains("The drive was gone from second 1.00"), "{words}");
    assert!(words.contains("did not keep up") && !words.contains("kept up with"), "{words}");
    assert!(
        words.contains("Random reads run at 500 IOPS of 2,000 asked for"),
        "its time is four seconds: {words}"
    );
}

/// Of 2,000 reads a second each is answered within 100 us, or fails at once.
#[test]
fn failures_put_no_wait_of_the_program_into_response_times() {
    let folder = folder();
    for (name, fault) in [("from", "fail_from=64MiB"), ("every", "fail_every=3")] {
        let output = folder.path().join(name);
        let drive = format!("sim:consistent?size=1GiB&{fault}");
        let load = ["load", &drive, "--rw", "randread", "--rate", "2000/s", "--duration", "2s"];
        drivelab(&[&load[..], &["-o", text(&output)]].concat()).with_code(1);
        let document = drivelab(&["report", text(&output), "--json"]).json();
        let summary = &document["findings"]["ios"]["summary"];
        assert_eq!(summary["response_ns"]["max"], summary["service_ns"]["max"], "{fault}: {summary}");
    }
    let drive = "sim:consistent?size=1GiB&fail_from=64MiB";
    let words = words_of(&["offered-load", drive, "--cell-duration", "1s"]);
    assert!(!words.contains("machine"), "a simulated drive is on none: {words}");
}

#[test]
fn a_second_without_an_answer_is_said_before_the_rate() {
    let drive = "sim:consistent?size=1GiB&freeze_every=3s&freeze_for=1s";
    let load = ["load", drive, "--rw", "randrw", "--rate", "3000/s", "--arrivals", "poisson", "--duration"];
    let shown = drivelab(&[&load[..], &["4s", "--threads", "2"]].concat()).stdout;
    let words = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let (empty, rate) =
        (words.find("answered nothing").expect("said"), words.find("IOPS of").expect("a rate"));
    assert!(empty < rate && !words.contains("Below the rate"), "{words}");
}

#[test]
fn what_failed_is_not_said_again_of_the_others() {
    let others = "Of the I/Os that did not fail:";
    let fails = "sim:consistent?size=512MiB&fail_every=1";
    for command in [
        &["load", fails, "--rw", "randread", "--duration", "1s"][..],
        &["working-set", fails, "--cell-duration", "1s"],
        &["wake", fails, "--rests", "1ms,2ms", "--runs", "6"],
        &["pts", fails, "--tests", "throughput"],
        &["trim", fails, "--precondition", "random:1s", "--runs", "2"],
        &["quick", fails],
        &["offered-load", fails, "--cell-duration", "1s"],
        &["matrix", fails, "--runs", "1", "--cell-duration", "1s"],
    ] {
        let words = words_of(command);
        assert!(!words.contains(others), "{command:?}: {words}");
    }
    let some = words_of(&["quick", "sim:consistent?size=512MiB&fail_from=64MiB"]);
    let figures = some.split_once(others).expect("figures of the others").1;
    assert!(figures.contains("of 100 places") && !figures.contains("average over the drive"), "{some}");
}

#[test]
fn what_could_not_be_written_is_not_called_unread() {
    let words = words_of(&["stalls", "sim:consistent?size=1GiB&fail_from=400MiB", "--bytes", "512MiB"]);
    assert!(words.contains("all are as they were written"), "{words}");
    assert!(words.contains("not judged: the last write had failed"), "{words}");
    assert!(!words.contains("unreadable") && !words.contains("written and not read back"), "{words}");
}
