//! `stream plan`: whether a drive can record some channels, held against a replay of the run's own writes.

#![expect(clippy::format_push_string, reason = "texts are short, and put together once")]

mod drawn;

use std::path::Path;

use crate::common::records::column;
use crate::common::{drivelab, folder, text};
use drawn::{Drawn, Judged};
use serde_json::Value;

/// Bytes of a write, and of a block of a recording with its header.
const WRITE: f64 = 256.0 * 1024.0;
const BLOCK: f64 = 1_048_576.0;
const HEADER: f64 = 4096.0;

fn stalls(drive: &str, bytes: &str, run: &Path) {
    let asked = ["stalls", drive, "--bytes", bytes, "--block-size", "256KiB", "--queue-depth", "1"];
    drivelab(&[&asked[..], &["--verify", "no", "-o", text(run)]].concat()).with_code(0);
}

fn plan(on: &str, channels: u32, rate: f64, seconds: f64) -> (i32, Value) {
    let (channels, rate, lasting) =
        (channels.to_string(), format!("{}MB/s", rate / 1e6), format!("{seconds}s"));
    let asked = ["stream", "plan", "--channels", &channels, "--rate", &rate, "--for", &lasting, "--on", on];
    let ended = drivelab(&[&asked[..], &["--json"]].concat());
    let document = ended.json();
    assert_eq!(document["schema"], "drivelab.stream-plan/1");
    (ended.code.expect("an exit code"), document["findings"].clone())
}

/// The largest backlog of a stream of this rate whose writes take as long as these, one after the other: each begins once its
/// bytes are there and the one before has ended.
fn replayed(writes_ns: &[i64], rate: f64) -> f64 {
    let (mut ended_s, mut largest) = (0.0f64, 0.0f64);
    for (number, write_ns) in (0u32..).zip(writes_ns) {
        let arrived_s = (f64::from(number) + 1.0) * WRITE / rate;
        ended_s = ended_s.max(arrived_s) + *write_ns as f64 / 1e9;
        largest = largest.max(rate * ended_s - f64::from(number) * WRITE);
    }
    largest
}

#[test]
fn the_buffers_hold_what_a_replay_of_the_writes_builds_up() {
    let folder = folder();
    let run = folder.path().join("run");
    stalls("sim:mx200-250?size=2GiB&delay_every=300MB&delay=400ms", "1.5GB", &run);
    let writes = column(&run, "latency_ns");
    let mut answers = Vec::new();
    for channels in [1, 2, 4, 5] {
        for total in [20e6, 60e6, 120e6, 180e6, 300e6] {
            let (code, found) = plan(text(&run), channels, total / f64::from(channels), 0.5);
            let written = total * BLOCK / (BLOCK - HEADER);
            let busy_s = writes.iter().sum::<i64>() as f64 / 1e9;
            let sustained = written * busy_s <= writes.len() as f64 * WRITE;
            let backlog = found["backlog_bytes"].as_f64();
            assert_eq!(backlog.is_some(), sustained, "{channels} x {total}: {found}");
            assert_eq!(code, i32::from(found["answer"] != "yes"));
            let Some(backlog) = backlog else { continue };
            let expected = replayed(&writes, written);
            assert!((backlog - expected).abs() <= 1e-6 * expected + 2.0, "{backlog} is not {expected}");
            let ring = found["ring_bytes"].as_f64().expect("a buffer");
            // A delay may be longer than those of the run.
            let longest = writes.iter().max().copied().unwrap_or(0);
            let longer =
                (found["longest_delay_ns"].as_f64().expect("delays") - longest as f64) / 1e9 * written;
            assert!(longer >= 0.0 && longer <= longest as f64 / 1e9 * written, "{found}");
            let needed = (expected + longer) / f64::from(channels) + 2e6 + BLOCK;
            assert!(ring >= needed && ring < 2.0 * needed.max(4e6), "{ring} for {needed}");
            answers.push(found["answer"].clone());
        }
    }
    assert!(answers.len() > 10 && answers.contains(&"yes".into()), "{answers:?}");
}

#[test]
fn four_channels_for_eight_hours_on_a_drive_with_a_cache_are_refused_for_both_reasons() {
    let folder = folder();
    let run = folder.path().join("run");
    stalls("sim:qlc-slc", "200GB", &run);
    let (code, found) = plan(text(&run), 4, 40e6, 28_800.0);
    let reasons = found["reasons"].as_array().expect("reasons");
    assert_eq!((code, &found["answer"], reasons.len()), (1, &"no".into(), 2));
    assert!(reasons[0].as_str().is_some_and(|reason| reason.contains("4.63 TB")), "{reasons:?}");
    assert!(
        reasons[1].as_str().is_some_and(|reason| reason.contains("takes more than 1.60 TB of buffer")),
        "{reasons:?}"
    );
}

#[test]
fn what_was_not_written_is_not_promised() {
    let folder = folder();
    let run = folder.path().join("run");
    stalls("sim:consistent?size=2GiB", "500MB", &run);
    let (code, found) = plan(text(&run), 1, 10e6, 100.0);
    assert_eq!((code, &found["answer"]), (1, &"not_shown".into()));
    let (_, found) = plan(text(&run), 1, 10e6, 10.0);
    assert_eq!(found["answer"], "not_shown", "five times as much was written, in a tenth of the time");
    assert_eq!(found["needed_run_ns"], 30_000_000_000_u64);
    assert_eq!(plan(text(&run), 1, 100e6, 0.3).0, 0, "as much was written, for as long");
    assert_eq!(plan(text(&run), 1, 10e6, 400.0).1["answer"], "no", "it does not fit");
    let (_, found) = plan("sim:consistent?size=2GiB", 1, 10e6, 100.0);
    assert_eq!(found["answer"], "not_shown", "nothing was measured");
    let asked = ["stream", "plan", "--rate", "10MB/s", "--for", "100s", "--on"];
    let shown = drivelab(&[&asked[..], &["sim:consistent?size=2GiB"]].concat()).with_code(1);
    assert!(shown.stdout.contains("To find out, type: drivelab stalls 'sim:consistent"), "{}", shown.stdout);
    drivelab(&[&asked[..], &[text(folder.path())]].concat())
        .fails_in_one_line(2, &["no result of drivelab stalls"]);
    drivelab(&["stream", "plan", "--rate", "10", "--for", "1h", "--on", "sim:consistent"])
        .fails_in_the_parser(&["10MB/s"]);
    let frames = [
        "stream",
        "plan",
        "--rate",
        "20/s",
        "--frame",
        "2MB",
        "--for",
        "1s",
        "--on",
        "sim:consistent",
        "--json",
    ];
    let document = drivelab(&frames).with_code(1).json();
    assert_eq!(document["findings"]["request"]["channel_bytes_s"], 40e6);
}

/// A cache that fills up, or a delay that comes with the time, is not seen by a run over a part of the drive, or by a short one.
#[test]
fn what_a_run_cannot_see_is_no_plain_yes() {
    let folder = folder();
    let run = folder.path().join("run");
    let part =
        ["stalls", "sim:consistent?size=2GiB", "--range", "0%-10%", "--bytes", "4GB", "-o", text(&run)];
    drivelab(&part).with_code(0);
    let (code, found) = plan(text(&run), 1, 10e6, 40.0);
    assert_eq!((code, &found["answer"]), (1, &"not_shown".into()));
    assert!(found["reasons"][0].as_str().is_some_and(|why| why.contains("10 % of the drive")), "{found}");
}

/// A hundredth less of either counts as the same: the last write is missing, and the headers of the recording's blocks.
#[test]
fn a_run_three_times_as_long_at_the_same_rate_is_long_enough() {
    let folder = folder();
    let stalls = |seconds: &str, run: &Path| {
        let asked = ["stalls", "sim:consistent?size=4GiB", "--rate", "20MB/s", "--duration", seconds];
        drivelab(&[&asked[..], &["--verify", "no", "-o", text(run)]].concat()).with_code(0);
    };
    let asked = |on: &Path, code| {
        let plan = ["stream", "plan", "--rate", "20MB/s", "--for", "20s", "--on", text(on)];
        drivelab(&plan).with_code(code).stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (seconds, mark) in [("60s", "Yes, by what the run shows"), ("142s", "Yes:")] {
        let run = folder.path().join(seconds);
        stalls(seconds, &run);
        let shown = asked(&run, 0);
        assert!(shown.contains(mark) && shown.contains("may not have been seen"), "{shown}");
    }
    let run = folder.path().join("short");
    stalls("20s", &run);
    let shown = asked(&run, 1);
    assert!(shown.contains("to find a delay that comes once in a recording"), "{shown}");
    assert!(shown.contains("--rate 20079kB/s --duration 60s"), "{shown}");
}

/// Delays of 2 s, one to three recordings apart. A run of little more than one recording cannot show them: it may end in
/// one, which makes the drive slow for that long, or meet none.
#[test]
fn one_delay_makes_no_drive_too_slow_and_none_makes_no_small_buffer() {
    let target = "sim:consistent?size=4GiB&delay_every=2GB&delay_every_deviation=1GB&delay=2s";
    let folder = folder();
    for seed in 1..=30 {
        let (run, seed) = (folder.path().join(format!("{seed}")), seed.to_string());
        let asked =
            ["stalls", target, "--rate", "101MB/s", "--duration", "10s", "--verify", "no", "--seed", &seed];
        let shown =
            drivelab(&[&asked[..], &["--stream-rate", "100MB/s", "-o", text(&run)]].concat()).with_code(0);
        assert!(!shown.stdout.contains("no buffer is large enough"), "seed {seed}: {}", shown.stdout);
        let (code, found) = plan(text(&run), 1, 100e6, 9.0);
        assert_eq!((code, &found["answer"]), (1, &"not_shown".into()), "seed {seed}: {found}");
        assert_eq!(found["needed_run_ns"].as_u64().map(|needed| needed >= 27_000_000_000), Some(true));
    }
    for seed in 1..=3 {
        let (run, seed) = (folder.path().join(format!("long {seed}")), seed.to_string());
        let asked =
            ["stalls", target, "--rate", "101MB/s", "--duration", "100s", "--verify", "no", "--seed", &seed];
        drivelab(&[&asked[..], &["-o", text(&run)]].concat()).with_code(0);
        let (_, found) = plan(text(&run), 1, 100e6, 9.0);
        assert_eq!(
            (&found["answer"], &found["ring_bytes"]),
            (&"yes".into(), &(256_u64 << 20).into()),
            "{found}"
        );
    }
}

/// A drive of 277 MB/s.
#[test]
fn a_recording_that_ends_needs_a_buffer_of_a_size() {
    let folder = folder();
    let run = folder.path().join("run");
    let target = "sim:mx200-250?size=4GiB";
    drivelab(&["stalls", target, "--bytes", "4GiB", "--verify", "no", "-o", text(&run)]).with_code(0);
    let (_, found) = plan(text(&run), 1, 600e6, 1.0);
    let takes = found["sustained_bytes_s"].as_f64().expect("a rate");
    let brings = found["total_bytes_s"].as_f64().expect("a rate");
    assert!(takes < brings && found["answer"] == "no", "{found}");
    let reason = found["reasons"][0].as_str().expect("a reason");
    let left = format!("a recording of 1 s takes more than {:.0} MB of buffer", (brings - takes) / 1e6);
    assert!(reason.ends_with(&left), "{left}: {found}");
}

#[test]
fn several_drives_have_an_answer_each_and_all_must_be_yes() {
    let folder = folder();
    let run = folder.path().join("run");
    stalls("sim:consistent?size=1GiB", "4GiB", &run);
    let asked = ["stream", "plan", "--rate", "20MB/s", "--for", "2s", "--on", text(&run)];
    let both = [&asked[..], &["--on", "sim:hdd-7200?size=1GiB"]].concat();
    drivelab(&asked).with_code(0);
    let documents = drivelab(&[&both[..], &["--json"]].concat()).with_code(1).json();
    let answers: Vec<&Value> =
        documents.as_array().expect("two").iter().map(|one| &one["findings"]["answer"]).collect();
    assert_eq!(answers, ["yes", "not_shown"]);
    let said = drivelab(&both).with_code(1).stdout;
    assert!(said.contains("on 2 drives") && said.contains("To find out on sim:hdd-7200?size=1GiB"), "{said}");
    let twice = drivelab(&[&asked[..], &["--on", text(&run)]].concat()).with_code(2);
    assert!(twice.stderr.contains("is named twice"), "{twice:?}");
}

/// `DRIVELAB_DRIVES` is how many drives are drawn.
#[test]
fn answers_hold_on_drives_drawn_at_random() {
    let drives = std::env::var("DRIVELAB_DRIVES").ok().and_then(|count| count.parse().ok()).unwrap_or(40_u64);
    let (mut yes, mut no, mut open) = (Vec::new(), Vec::new(), 0);
    for seed in 0..drives {
        let drive = Drawn::of(seed);
        let judged = drive.judge();
        if judged.wrong > 0.0 {
            let Judged { answer, wrong } = &judged;
            println!("{seed}: {answer} is wrong for {wrong} of recordings of {}", drive.described());
        }
        match judged.answer.as_str() {
            "yes" => yes.push(judged.wrong),
            "no" => no.push(judged.wrong),
            _ => open += 1,
        }
    }
    let wrong = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    let (wrong_yes, wrong_no) = (wrong(&yes), wrong(&no));
    println!("yes {}, wrong {wrong_yes}; no {}, wrong {wrong_no}; not shown {open}", yes.len(), no.len());
    assert!(yes.len() as u64 > drives / 6 && no.len() as u64 > drives / 12, "too few answers");
    assert!(wrong_yes <= 0.05 && wrong_no <= 0.05, "yes {wrong_yes}, no {wrong_no}");
}

#[test]
fn the_command_that_finds_out_leads_to_an_answer() {
    let folder = folder();
    let (run, target) = (folder.path().join("run"), "sim:consistent?size=2GiB");
    let asked = ["stream", "plan", "--rate", "10MB/s", "--for", "50s", "--on"];
    let shown = drivelab(&[&asked[..], &[target]].concat()).with_code(1).stdout;
    let (_, command) = shown.split_once("type: drivelab stalls").expect("a command");
    let option = |name| command.split_whitespace().skip_while(|word| *word != name).nth(1).expect("a value");
    let (rate, duration) = (option("--rate"), option("--duration"));
    drivelab(&["stalls", target, "--rate", rate, "--duration", duration, "-o", text(&run)]).with_code(0);
    let shown = drivelab(&[&asked[..], &[text(&run)]].concat()).with_code(0).stdout;
    assert!(shown.contains("A simulated drive keeps no data"), "{shown}");
}

#[test]
fn a_cyclic_recording_is_not_bound_by_the_capacity() {
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["stream", "plan", "--rate", "10MB/s", "--for", "150s", "--on", text(&run)];
    let at_its_rate = ["stalls", "sim:consistent?size=1GiB", "--rate", "10.1MB/s", "--verify", "no"];
    drivelab(&[&at_its_rate[..], &["--duration", "300s", "-o", text(&run)]].concat()).with_code(0);
    let shown = drivelab(&[&asked[..], &["--cyclic"]].concat()).with_code(1).stdout;
    assert!(shown.contains("Not shown") && shown.contains("--duration 450s"), "{shown}");
    std::fs::remove_dir_all(&run).expect("a run");
    drivelab(&[&at_its_rate[..], &["--duration", "450s", "-o", text(&run)]].concat()).with_code(0);
    drivelab(&asked).with_code(1);
    let shown = drivelab(&[&asked[..], &["--cyclic"]].concat()).with_code(0).stdout;
    assert!(shown.split_whitespace().any(|word| word == "newest"), "{shown}");
}

/// The drive rested between the writes: what it would take without those rests is not known.
#[test]
fn a_run_on_a_schedule_shows_no_more_than_it_asked_for() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&["stalls", "sim:hdd-7200", "--rate", "20MB/s", "--bytes", "1GB", "-o", text(&run)])
        .with_code(0);
    let (code, found) = plan(text(&run), 1, 15e6, 16.0);
    assert_eq!(code, 0);
    let most = found["sustained_bytes_s"].as_f64().expect("a rate");
    assert!((most / 20e6 - 1.0).abs() < 0.02, "{most}");
    assert_eq!(plan(text(&run), 1, 40e6, 10.0).1["answer"], "not_shown");
}

#[test]
fn a_result_is_found_in_its_review_and_what_no_recorder_has_is_refused() {
    let folder = folder();
    let review = folder.path().join("review");
    let file = folder.path().join("plan.toml");
    std::fs::write(&file, "[[step]]\ntest = \"stalls\"\nbytes = \"100MB\"\n").expect("a plan");
    let asked = ["review", "sim:consistent?size=1GiB", "--plan", text(&file), "-o", text(&review)];
    drivelab(&asked).with_code(0);
    let run = review.join("01-sim-consistent-size-1GiB/01-stalls");
    let (of_review, of_run) = (plan(text(&review), 1, 10e6, 1.0), plan(text(&run), 1, 10e6, 1.0));
    assert_eq!(of_review, of_run);
    let asked = |rate, on| ["stream", "plan", "--rate", rate, "--for", "1s", "--on", on];
    let manifest = run.join("run.json");
    drivelab(&asked("10MB/s", text(&manifest))).fails_in_one_line(2, &["name its folder", text(&run)]);
    drivelab(&asked("1e30MB/s", text(&run))).fails_in_the_parser(&["--rate"]);
    drivelab(&asked("1e12/s", text(&run))).fails_in_one_line(2, &["at most 1TB/s"]);
}
