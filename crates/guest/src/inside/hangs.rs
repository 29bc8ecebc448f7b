//! Drives that hang: the device mapper keeps all that is asked of a drive, for a while or for as long as the machine runs.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::Test;
use crate::mapped::{Mapped, SECTORS};
use crate::program::{Ended, device_of, drivelab, ended, run, succeeds, wait_until, wait_until_begun};

/// The tests, in order.
pub const TESTS: &[Test] = &[
    ("a_run_on_a_drive_that_hangs_ends_at_its_limit", a_run_on_a_drive_that_hangs_ends_at_its_limit),
    ("a_run_on_a_drive_that_hangs_ends_when_its_user_wants_it", it_ends_when_its_user_wants_it),
    ("a_run_on_a_file_of_a_drive_that_hangs_ends_at_its_limit", a_run_on_a_file_ends_at_its_limit),
    ("a_hang_that_ends_is_a_hang_of_its_length", a_hang_that_ends_is_a_hang_of_its_length),
    ("a_recording_on_a_drive_that_hangs_ends_at_its_limit", a_recording_ends_at_its_limit),
    ("a_recording_on_a_drive_that_hangs_ends_when_its_user_wants_it", a_recording_ends_when_wanted),
    ("a_recording_ends_after_its_input_on_a_drive_that_hangs", a_recording_ends_after_its_input),
    ("a_recording_goes_on_when_the_drive_answers_again", a_recording_goes_on),
    ("a_drive_that_hangs_does_not_hang_the_list", a_drive_that_hangs_does_not_hang_the_list),
];

/// When the drive begins to hang, in the time of a run.
const HANGS_AT: Duration = Duration::from_secs(2);
/// How long it hangs where it answers again, or the user ends the run.
const HANGS_FOR: Duration = Duration::from_secs(8);
/// How much later than at its limit a run gives up at most, by its own clock.
const LATE_MAX: Duration = Duration::from_secs(2);
/// How long a program may take besides, to begin, to write its results and to end: its processor is an emulated one, and gets a
/// part of a real one. A minute that is waited for shows all the same.
const SLOW_MAX: Duration = Duration::from_secs(30);

/// A drive that can be made to hang. It answers again before it is taken down.
struct Hanging(Mapped);

impl Hanging {
    fn new() -> Result<Hanging> {
        let below = device_of("alpha")?;
        Ok(Hanging(Mapped::by_table("hangs", &format!("0 {SECTORS} linear {below} 0\n"))?))
    }

    fn hang(&self) -> Result<()> {
        run(&format!("dmsetup suspend --noflush --nolockfs {}", self.0.name)).map(drop)
    }

    fn answer(&self) -> Result<()> {
        run(&format!("dmsetup resume {}", self.0.name)).map(drop)
    }
}

impl Drop for Hanging {
    fn drop(&mut self) {
        let _ = self.answer();
        // What was given up ends now.
        thread::sleep(Duration::from_secs(1));
    }
}

fn started(words: &str) -> Result<Child> {
    Command::new("/bin/drivelab")
        .args(words.split_whitespace())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("drivelab cannot be run")
}

/// The folder of a run, the last word of its command.
fn folder_of(words: &str) -> &str {
    words.rsplit(' ').next().unwrap_or_default()
}

/// Has the drive hang some time after the run with this folder has begun.
fn hang_in(drive: &Hanging, folder: &str) -> Result<()> {
    wait_until_begun(folder)?;
    thread::sleep(HANGS_AT);
    drive.hang()
}

/// Runs a command with a limit, has its drive hang in the middle, and says how it ended.
fn hung(drive: &Hanging, words: &str, limit: Duration) -> Result<Ended> {
    println!("{words}");
    let began = Instant::now();
    let child = started(words)?;
    hang_in(drive, folder_of(words))?;
    let ended = end_of(child, drive, (limit + SLOW_MAX).saturating_sub(began.elapsed()))?;
    let took = began.elapsed();
    drive.answer()?;
    println!(
        "ended after {} ms: {:?}; {}",
        took.as_millis(),
        ended.code,
        ended.complaint.replace('\n', " | ")
    );
    Ok(ended)
}

/// Waits so long for the end of a program whose drive hangs. Where it takes longer, all that waits in the kernel is printed, and
/// the drive answers, so that it ends.
fn end_of(mut child: Child, drive: &Hanging, patience: Duration) -> Result<Ended> {
    let ends_in_time = wait_until(patience, "", || !matches!(child.try_wait(), Ok(None))).is_ok();
    if !ends_in_time {
        print_stuck()?;
        drive.answer()?;
    }
    let ended = ended(&child.wait_with_output()?);
    ensure!(ends_in_time, "it had not ended after {} s: {ended:?}", patience.as_secs());
    Ok(ended)
}

/// Prints every thread that waits uninterruptibly, with the functions of the kernel in which it does.
fn print_stuck() -> Result<()> {
    for process in fs::read_dir("/proc")?.flatten() {
        let Ok(threads) = fs::read_dir(process.path().join("task")) else { continue };
        for thread in threads.flatten().map(|entry| entry.path()) {
            let status = fs::read_to_string(thread.join("status")).unwrap_or_default();
            if status.lines().any(|line| line.starts_with("State:") && line.contains('D')) {
                let name = status.lines().next().unwrap_or_default();
                let stack = fs::read_to_string(thread.join("stack")).unwrap_or_default();
                println!("{} {name}: {}", thread.display(), stack.replace('\n', " < "));
            }
        }
    }
    Ok(())
}

/// What a document of a run says was given up: that there is something, and how long it had waited.
fn check_unanswered(found: &Value, least: Duration) -> Result<&Value> {
    let unanswered = found.pointer("/run/outcome/lapses/unanswered").context("nothing was given up")?;
    println!("{unanswered} {}", found["run"]["notices"]);
    ensure!(unanswered["count"].as_u64() >= Some(1), "{unanswered}");
    let longest = found.pointer("/findings/ios/summary/service_ns/max").and_then(Value::as_u64);
    let least = u64::try_from(least.as_nanos())?;
    ensure!(longest.is_none_or(|longest| longest >= least), "the longest took {longest:?} ns");
    Ok(unanswered)
}

/// Checks that a run gave up at its limit, with two seconds of mercy, and that its folder gives the same again.
fn check_limit(folder: &str, limit: Duration) -> Result<()> {
    let again = drivelab(&format!("report {folder} --json"))?;
    ensure!(again.code == Some(1), "{again:?}");
    let document = again.document()?;
    let unanswered = check_unanswered(&document, Duration::from_secs(5))?;
    let seconds = |place: &str| unanswered.pointer(place).and_then(Value::as_f64).context("a time");
    let took = Duration::from_secs_f64(seconds("/since/at_s")? + seconds("/waited_s")?);
    println!("given up {} ms after the limit", took.saturating_sub(limit).as_millis());
    ensure!((limit..limit + LATE_MAX).contains(&took), "given up after {} ms", took.as_millis());
    Ok(())
}

fn a_run_on_a_drive_that_hangs_ends_at_its_limit() -> Result<()> {
    let drive = Hanging::new()?;
    let (node, confirmed) = (&drive.0.node, drive.0.confirmed());
    let limit = Duration::from_secs(8);
    let loads = [
        format!("load {node} --rw randread --queue-depth 4 --duration 8s -o /tmp/hangs-1"),
        format!("load {node} --rw randread --queue-depth 1 --duration 8s -o /tmp/hangs-2"),
        format!("load {node} --rw randread --queue-depth 64 --rate 300/s --duration 8s -o /tmp/hangs-3"),
        format!("load {confirmed} --rw randwrite --queue-depth 4 --threads 2 --duration 8s -o /tmp/hangs-4"),
        format!("stalls {confirmed} --block-size 64KiB --rate 2MB/s --duration 8s -o /tmp/hangs-5"),
        format!("consistency {confirmed} --purge none --precondition none --duration 8s -o /tmp/hangs-6"),
    ];
    for words in loads {
        let ended = hung(&drive, &words, limit)?;
        ensure!(ended.code == Some(1), "{ended:?}");
        ensure!(ended.complaint.contains("has answered no I/O "), "no word: {ended:?}");
        ensure!(ended.output.contains("No answer since second"), "{ended:?}");
        check_limit(folder_of(&words), limit)?;
    }
    Ok(())
}

fn it_ends_when_its_user_wants_it() -> Result<()> {
    let drive = Hanging::new()?;
    let words =
        format!("load {} --rw randread --queue-depth 4 --duration 10min -o /tmp/hangs-7", drive.0.node);
    let child = started(&words)?;
    hang_in(&drive, folder_of(&words))?;
    thread::sleep(HANGS_FOR);
    let began = Instant::now();
    run(&format!("kill -INT {}", child.id()))?;
    let ended = end_of(child, &drive, SLOW_MAX)?;
    println!("ended after {} ms: {ended:?}", began.elapsed().as_millis());
    ensure!(ended.code == Some(130), "{ended:?}");
    let again = drivelab("report /tmp/hangs-7 --json")?;
    check_unanswered(&again.document()?, Duration::from_secs(7)).map(drop)
}

/// The file system needs its journal for what a file is asked, so that the kernel's own workers wait for the drive, too.
fn a_run_on_a_file_ends_at_its_limit() -> Result<()> {
    let drive = Hanging::new()?;
    run(&format!("mkfs.ext4 -q -F {}", drive.0.node))?;
    fs::create_dir_all("/tmp/hung-mount")?;
    run("modprobe ext4")?;
    run(&format!("mount -t ext4 {} /tmp/hung-mount", drive.0.node))?;
    let file = "/tmp/hung-mount/file";
    let mut result = Ok(());
    let loads = ["--rw randread", "--rw randwrite --file-size 64MiB --destroy-data"];
    for (number, load) in loads.into_iter().enumerate() {
        let words = format!("load {file} {load} --queue-depth 4 --duration 8s -o /tmp/hangs-file-{number}");
        let prepared =
            drivelab(&format!("load {file} --file-size 64MiB --rw write --bytes 64MiB --destroy-data"))?;
        println!("{:?} {}", prepared.code, prepared.complaint);
        let limit = Duration::from_secs(8);
        result = hung(&drive, &words, limit).and_then(|ended| {
            ensure!(ended.code == Some(1), "{ended:?}");
            ensure!(ended.output.contains("No answer since second"), "{ended:?}");
            check_limit(&format!("/tmp/hangs-file-{number}"), limit)
        });
        if result.is_err() {
            break;
        }
    }
    drive.answer()?;
    thread::sleep(Duration::from_secs(2));
    run("umount /tmp/hung-mount")?;
    result
}

fn a_hang_that_ends_is_a_hang_of_its_length() -> Result<()> {
    let drive = Hanging::new()?;
    let words =
        format!("load {} --rw randread --queue-depth 4 --duration 14s --json -o /tmp/hangs-8", drive.0.node);
    let child = started(&words)?;
    hang_in(&drive, folder_of(&words))?;
    thread::sleep(HANGS_FOR);
    drive.answer()?;
    let ended = ended(&child.wait_with_output()?);
    println!("{}", ended.complaint);
    ensure!(ended.complaint.contains("answers again"), "{ended:?}");
    let found = ended.document()?;
    let silence = found.pointer("/run/outcome/lapses/silence").context("no silence is kept")?;
    println!("{silence}");
    let longest = found.pointer("/findings/ios/summary/service_ns/max").and_then(Value::as_u64);
    ensure!(longest >= Some(7_000_000_000), "the longest took {longest:?} ns");
    ensure!(silence["lasted_s"].as_f64() >= Some(7.0), "{silence}");
    Ok(())
}

/// Where a recording says what is kept.
const KEPT: &str = "/tmp/hung-kept";
const CHANNEL: &str = "a=synthetic,size=100KB,rate=60/s";

/// Starts to record, and has the drive hang in the middle.
fn recording_that_hangs(drive: &Hanging, words: &str) -> Result<Child> {
    let _ = fs::remove_file(KEPT);
    let words =
        format!("stream record {} --kept {KEPT} --flush-after 100ms --json {words}", drive.0.confirmed());
    println!("{words}");
    let mut recorder = Command::new("/bin/drivelab");
    recorder.args(words.split_whitespace());
    let child = recorder.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let is_recorded = || fs::metadata(KEPT).is_ok_and(|kept| kept.len() > 0);
    if words.contains("fd:0") {
        return Ok(child);
    }
    wait_until(SLOW_MAX, "nothing is recorded", is_recorded)?;
    thread::sleep(HANGS_AT);
    drive.hang()?;
    Ok(child)
}

/// Checks how a recording ended whose drive hung, and that all that was reported as kept is there.
fn check_recording(drive: &Hanging, ended: &Ended, code: i32) -> Result<Duration> {
    println!("{:?}: {}", ended.code, ended.complaint.replace('\n', " | "));
    ensure!(ended.code == Some(code), "{ended:?}");
    ensure!(ended.complaint.contains("the drive has answered no I/O for 5."), "no word: {ended:?}");
    let document = ended.document()?;
    let lapses = &document["findings"]["lapses"];
    println!("{lapses}");
    ensure!(lapses["sentence"].as_str().is_some_and(|said| said.starts_with("No answer since second")));
    let seconds = |place: &str| lapses.pointer(place).and_then(Value::as_f64).context("a time");
    let took = seconds("/unanswered/since/at_s")? + seconds("/unanswered/waited_s")?;
    let channel = &document["findings"]["channels"][0];
    let kept = channel["last_kept"].as_u64().context("nothing is kept")?;
    ensure!(channel["produced"].as_u64() > channel["kept"].as_u64(), "{channel}");
    let lines = fs::read_to_string(KEPT)?;
    ensure!(lines.lines().last() == Some(&format!("a {kept}")), "{lines}");
    drive.answer()?;
    thread::sleep(Duration::from_secs(1));
    // At most what was in flight is missing.
    let checked = succeeds(&format!("stream check {}", drive.0.node))?;
    let proved = checked.pointer("/findings/channels/0/frames").and_then(Value::as_u64);
    println!("kept up to {kept}, {proved:?} frames are proved");
    ensure!(proved > Some(kept), "{checked}");
    Ok(Duration::from_secs_f64(took))
}

fn a_recording_ends_at_its_limit() -> Result<()> {
    let drive = Hanging::new()?;
    let limit = Duration::from_secs(9);
    for more in ["", "--durable", "--queue-depth 1 --cyclic"] {
        let words = format!("--channel {CHANNEL} --duration 9s {more}");
        let child = recording_that_hangs(&drive, &words)?;
        let ended = end_of(child, &drive, limit + SLOW_MAX)?;
        let took = check_recording(&drive, &ended, 1)?;
        println!("given up {} ms after the limit", took.saturating_sub(limit).as_millis());
        ensure!((limit..limit + LATE_MAX).contains(&took), "given up after {} ms", took.as_millis());
    }
    Ok(())
}

fn a_recording_ends_when_wanted() -> Result<()> {
    let drive = Hanging::new()?;
    let child = recording_that_hangs(&drive, &format!("--channel {CHANNEL}"))?;
    thread::sleep(HANGS_FOR);
    let began = Instant::now();
    run(&format!("kill -INT {}", child.id()))?;
    let ended = end_of(child, &drive, SLOW_MAX)?;
    println!("ended after {} ms", began.elapsed().as_millis());
    check_recording(&drive, &ended, 130).map(drop)
}

/// Frames come on the standard input for some seconds longer than the drive answers.
fn a_recording_ends_after_its_input() -> Result<()> {
    let drive = Hanging::new()?;
    let mut child = recording_that_hangs(&drive, "--channel a=fd:0")?;
    let mut input = child.stdin.take().context("it has an input")?;
    let mut frame = 50_000_u32.to_le_bytes().to_vec();
    frame.resize(50_004, 7);
    for number in 0..100 {
        input.write_all(&frame)?;
        thread::sleep(Duration::from_millis(100));
        if number == 30 {
            drive.hang()?;
        }
    }
    drop(input);
    let began = Instant::now();
    let ended = end_of(child, &drive, SLOW_MAX)?;
    println!("ended after {} ms", began.elapsed().as_millis());
    check_recording(&drive, &ended, 1).map(drop)
}

fn a_recording_goes_on() -> Result<()> {
    let drive = Hanging::new()?;
    let child = recording_that_hangs(&drive, &format!("--channel {CHANNEL},ring=128MiB --duration 14s"))?;
    thread::sleep(HANGS_FOR);
    drive.answer()?;
    let ended = end_of(child, &drive, Duration::from_secs(14) + SLOW_MAX)?;
    println!("{}", ended.complaint);
    ensure!(ended.code == Some(0) && ended.complaint.contains("the drive answers again, after"), "{ended:?}");
    let document = ended.document()?;
    ensure!(document["findings"].get("lapses").is_none(), "{document}");
    succeeds(&format!("stream check {}", drive.0.node)).map(drop)
}

fn a_drive_that_hangs_does_not_hang_the_list() -> Result<()> {
    let drive = Hanging::new()?;
    let name = drive.0.node.trim_start_matches("/dev/").to_owned();
    drive.hang()?;
    let refused = format!("load {} --rw randwrite --duration 5s --serial {name}", drive.0.node);
    let commands = [
        ("drives".to_owned(), 0),
        (String::new(), 0),
        (format!("{refused} --dry-run"), 4),
        (refused, 4),
        (format!("review {} --plan short --serial {name} --dry-run", drive.0.node), 4),
    ];
    for (words, code) in commands {
        let began = Instant::now();
        let ended = drivelab(&words)?;
        let took = began.elapsed();
        println!("drivelab {words}: {} ms, {:?}", took.as_millis(), ended.code);
        println!(
            "{}",
            ended.output.lines().chain(ended.complaint.lines()).take(12).collect::<Vec<_>>().join(" | ")
        );
        ensure!(ended.code == Some(code), "{words}: {ended:?}");
        ensure!(took < Duration::from_secs(45), "{words} took {} s", took.as_secs());
        let said = format!("{}{}", ended.output, ended.complaint);
        // The look of a command before, which waits for the drive still, is reason enough.
        let reasons = [format!("{name} does not answer"), format!("{name} is open for reading in process")];
        ensure!(reasons.iter().any(|reason| said.contains(reason)), "{words}: {ended:?}");
    }
    Ok(())
}
