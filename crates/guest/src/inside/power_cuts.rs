//! The power is cut at a random moment while several commands work, each on a drive of its own. After the next boot everything
//! that was promised before the cut has to be there.
//!
//! Results are kept on a drive with a volatile cache, which loses what was not flushed.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::Test;
use crate::program::{device_of, drivelab, from_command_line, run, wait_until};
use crate::protocol::Message;

/// The tests, in order.
pub const TESTS: &[Test] = &[("what_was_promised_is_there", what_was_promised_is_there)];

/// A command that is cut off.
struct Cut {
    name: &'static str,
    /// Whether it reports what is kept by itself, and so promises all of that.
    is_reported: bool,
    /// Starts it.
    start: fn() -> Result<Child>,
    /// What it has promised, which is asked at the moment of the cut.
    promised: fn(&mut Child) -> Result<u64>,
    /// Checks after the next boot that it is there.
    check: fn(u64) -> Result<()>,
}

/// What is cut off together, boot after boot in turn: no more at once than two emulated processors carry.
const CUTS: &[&[Cut]] = &[RECORDERS, TESTS_OF_DRIVES];

const RECORDERS: &[Cut] = &[
    Cut {
        name: "stream record",
        is_reported: true,
        start: || recording("safe", ""),
        promised: last_kept_frame,
        check: |last| frames_are_there("safe", last),
    },
    Cut {
        name: "stream record --durable",
        is_reported: true,
        start: || recording("lossy", "--durable"),
        promised: last_kept_frame,
        check: |last| frames_are_there("lossy", last),
    },
    Cut {
        name: "trace record",
        is_reported: false,
        start: traced,
        promised: |_| traced_requests(),
        check: |count| at_least(count, traced_requests()?),
    },
];

const TESTS_OF_DRIVES: &[Cut] = &[
    Cut {
        name: "stalls",
        is_reported: true,
        start: || kept("stalls", "stalls", "--duration 60s"),
        // Each write that was acknowledged: the records say which.
        promised: |_| Ok(1),
        check: |_| acknowledged_writes_are_there("stalls", "stalls"),
    },
    Cut {
        name: "load --verify",
        is_reported: true,
        // Its drive loses what was not flushed.
        start: || kept("load", "lossy", "--rw randwrite --verify end --flush-every 500 --duration 60s"),
        promised: |_| Ok(1),
        check: |_| acknowledged_writes_are_there("load", "lossy"),
    },
    Cut {
        name: "consistency",
        is_reported: false,
        start: || kept("consistency", "consistency", "--duration 60s --range 0%-25%"),
        promised: |_| completions(),
        check: |count| at_least(count, completions()?),
    },
    Cut {
        name: "matrix",
        is_reported: false,
        start: || kept("matrix", "matrix", MATRIX),
        promised: |_| cells(),
        check: |count| at_least(count, cells()?),
    },
];

const MATRIX: &str = "--fs ext2,ext4 --threads 1 --caching direct --work seq-read,seq-write --runs 5 --cell-duration 100ms \
                      --working-set 8MiB";

/// What a power cut may cost of what was not reported as kept.
const LAST_SECOND: Duration = Duration::from_secs(1);

/// The least time before a cut: a recorder and `stalls` have written something then.
const EARLIEST: Duration = Duration::from_secs(9);
/// How long the other commands have until there is something to lose.
const PATIENCE: Duration = Duration::from_secs(180);

fn what_was_promised_is_there() -> Result<()> {
    let number: usize = from_command_line("drivelab.boot")?.context("the number of the boot")?.parse()?;
    mount_results(number == 0)?;
    let rounds: usize = from_command_line("drivelab.rounds")?.context("the number of rounds")?.parse()?;
    if let Some(before) = number.checked_sub(1).map(|before| CUTS[before % CUTS.len()]) {
        check(before)?;
    }
    if number == rounds * CUTS.len() {
        return Ok(());
    }
    let next = CUTS[number % CUTS.len()];
    let mut processes = next.iter().map(|cut| (cut.start)()).collect::<Result<Vec<Child>>>()?;
    thread::sleep(EARLIEST);
    for (cut, process) in next.iter().zip(&mut processes).filter(|(cut, _)| !cut.is_reported) {
        wait_for_something(cut, process)?;
    }
    thread::sleep(Duration::from_millis(random()? % 4_000));
    let mut promised = vec![0; next.len()];
    for is_reported in [false, true] {
        for (place, cut) in next.iter().enumerate().filter(|(_, cut)| cut.is_reported == is_reported) {
            promised[place] = (cut.promised)(&mut processes[place])
                .with_context(|| format!("{} before the cut", cut.name))?;
        }
        if !is_reported {
            // What another program can read already may not be on the disk yet: the last second is not promised.
            thread::sleep(LAST_SECOND);
        }
    }
    let promised: Vec<String> = promised.iter().map(u64::to_string).collect();
    println!("{}", Message::Note(promised.join(",")));
    println!("{}", Message::CutPower);
    thread::sleep(Duration::from_secs(60));
    bail!("the power was not cut")
}

/// Waits until a command has kept something that a cut could take away.
fn wait_for_something(cut: &Cut, process: &mut Child) -> Result<()> {
    // Before it has begun there is nothing that could be read.
    let promised = || (cut.promised)(process).is_ok_and(|count| count > 0);
    wait_until(PATIENCE, &format!("{}: nothing was promised", cut.name), promised)
}

/// Checks after the next boot that everything is there that was promised, which the command line of this boot tells.
fn check(cuts: &[Cut]) -> Result<()> {
    let note = from_command_line("drivelab.note")?.context("what was promised")?;
    let promised = note.split(',').map(|count| Ok(count.parse()?)).collect::<Result<Vec<u64>>>()?;
    ensure!(promised.len() == cuts.len(), "{note}: not a count for each command");
    for (cut, promised) in cuts.iter().zip(promised) {
        let name = cut.name;
        ensure!(promised > 0, "{name}: nothing was promised before the cut");
        (cut.check)(promised).with_context(|| format!("{name}, of which {promised} were promised"))?;
        println!("{name}: the {promised} that were promised are there");
    }
    Ok(())
}

fn mount_results(is_first: bool) -> Result<()> {
    let drive = device_of("results")?;
    if is_first {
        run(&format!("mkfs.ext4 -q {drive}"))?;
    }
    fs::create_dir_all("/results")?;
    run(&format!("mount -t ext4 {drive} /results"))?;
    Ok(())
}

fn random() -> Result<u64> {
    let mut bytes = [0; 8];
    std::io::Read::read_exact(&mut fs::File::open("/dev/urandom")?, &mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

fn spawn(words: &str) -> Result<Child> {
    // Its line of progress would stand before the messages to the program outside.
    let mut command = Command::new("/bin/drivelab");
    let process = command.args(words.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    process.with_context(|| words.to_owned())
}

fn recording(serial: &str, more: &str) -> Result<Child> {
    let drive = device_of(serial)?;
    let channel = "a=synthetic,size=20KB,rate=100/s";
    spawn(&format!(
        "stream record {drive} --serial {serial} --destroy-data --duration 60s --kept - --channel {channel} {more}"
    ))
}

/// The frame that was reported last, in all that the recorder has printed until now.
fn last_kept_frame(process: &mut Child) -> Result<u64> {
    let lines = BufReader::new(process.stdout.take().context("an output")?).lines();
    let mut last = None;
    // Everything that is in the pipe, and then one line more.
    let until = Instant::now() + Duration::from_millis(500);
    for line in lines {
        last = line?.split_whitespace().nth(1).and_then(|number| number.parse().ok()).or(last);
        if Instant::now() > until {
            break;
        }
    }
    last.context("no frame was reported")
}

fn frames_are_there(serial: &str, last: u64) -> Result<()> {
    let frames = found(&format!("stream check {}", device_of(serial)?), "/findings/channels/0/frames")?;
    // Frames are numbered from 0.
    at_least(last + 1, frames)
}

/// A count in the document of a command, which may end with a failed check.
fn found(words: &str, pointer: &str) -> Result<u64> {
    let document = drivelab(&format!("{words} --json"))?.document()?;
    let count = document.pointer(pointer).and_then(Value::as_u64);
    count.with_context(|| format!("no {pointer}: {}", document["findings"]))
}

fn at_least(promised: u64, left: u64) -> Result<()> {
    ensure!(left >= promised, "{left} are left");
    Ok(())
}

fn kept(command: &str, serial: &str, own: &str) -> Result<Child> {
    let drive = device_of(serial)?;
    let _ = fs::remove_dir_all(format!("/results/{command}"));
    spawn(&format!("{command} {drive} {own} --serial {serial} --destroy-data -o /results/{command}"))
}

/// The records of a run that is under way, or was cut off.
fn completions() -> Result<u64> {
    found("report /results/consistency", "/findings/records/completions")
}

fn traced_requests() -> Result<u64> {
    found("trace show /results/trace", "/findings/requests/read")
}

fn cells() -> Result<u64> {
    found("report /results/matrix", "/findings/measured")
}

fn acknowledged_writes_are_there(command: &str, serial: &str) -> Result<()> {
    let drive = device_of(serial)?;
    let again = format!("{command} {drive} --verify-after-crash /results/{command}");
    let mut verified = drivelab(&again)?;
    // The kernel may have numbered the drives anew, which have no world-wide name: the message says how to name this one.
    let flag = verified.complaint.split_whitespace().find(|word| word.starts_with("--serial="));
    if let Some(flag) = flag.filter(|_| verified.code == Some(4)) {
        verified = drivelab(&format!("{again} {flag}"))?;
    }
    println!("{}", verified.output);
    ensure!(
        verified.code == Some(0),
        "ended with {:?}: {}{}",
        verified.code,
        verified.output,
        verified.complaint
    );
    Ok(())
}

fn traced() -> Result<Child> {
    let drive = device_of("traced")?;
    let _ = fs::remove_dir_all("/results/trace");
    let load = format!("load {drive} --rw randread --rate 200/s --duration 60s");
    Command::new("/bin/drivelab")
        .args(load.split_whitespace())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    spawn(&format!("trace record --device {drive} --duration 60s --output /results/trace"))
}
