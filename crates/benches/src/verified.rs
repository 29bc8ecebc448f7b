//! How fast blocks that describe themselves are written and read back, in sequence and at random, compared with fio and its
//! checksums.

use std::fs::File;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::fio;
use crate::ours;
use crate::rounds::{Lane, table};
use crate::zram::memory_folder;

const ROUNDS: usize = 5;
/// The length of the file.
const FILE: u64 = 2 << 30;
/// A block of either.
const BLOCK: u64 = 3 << 20;

/// What is compared of random writes: bytes of a block, in flight, of the file, and that are written.
const RANDOM_BLOCK: u64 = 4 << 10;
const RANDOM_DEPTH: u32 = 32;
// Half a second of reading back: in a tenth of that, the begin of either program shows in its rate.
const RANDOM_FILE: u64 = 2 << 30;
/// Twice the file, as random writes reach 63 % of as many blocks, and 86 % here: fio writes each block once, and reads all.
const RANDOM_BYTES: u64 = 2 * RANDOM_FILE;

/// Megabytes a second.
struct Rates {
    written: f64,
    verified: f64,
}

/// One of both programs: it writes to the file, and keeps its result in the folder.
type Program = fn(&Path, &Path) -> Result<Rates>;

/// A stream of both on the same file in memory, in turn.
pub fn bench() -> Result<String> {
    in_turn("stalls", FILE, stalls, |file, _| checked_writes(file))
}

/// Random writes of both on the same file in memory, in turn.
pub fn random_bench() -> Result<String> {
    in_turn("load", RANDOM_FILE, load, |file, _| checked_random_writes(file))
}

fn in_turn(command: &str, bytes: u64, own: Program, peer: Program) -> Result<String> {
    let folder = memory_folder()?;
    let file = folder.path().join("file");
    // Written once, so that neither pays for memory that the file did not have yet.
    std::io::copy(&mut std::io::Read::take(std::io::repeat(1), bytes), &mut File::create(&file)?)?;
    let mut mine =
        ["writing", "verifying"].map(|what| Lane::new(&format!("drivelab {command}, {what}"), None));
    let mut theirs =
        [Lane::new("fio, crc32c, writing", Some(1.0)), Lane::new("fio, crc32c, verifying", Some(1.0))];
    for round in 0..ROUNDS {
        let kept = folder.path().join(format!("run-{round}"));
        // Each goes first as often as the other.
        let (ours, fio) = if round % 2 == 0 {
            let ours = own(&file, &kept)?;
            (ours, peer(&file, &kept)?)
        } else {
            let fio = peer(&file, &kept)?;
            (own(&file, &kept)?, fio)
        };
        for (lanes, rates) in [(&mut mine, ours), (&mut theirs, fio)] {
            lanes[0].figures.push(rates.written);
            lanes[1].figures.push(rates.verified);
        }
    }
    let [writing, verifying] = mine;
    let [fio_writing, fio_verifying] = theirs;
    Ok(format!(
        "{}\n{}",
        table(&writing, &[fio_writing], "MB/s"),
        table(&verifying, &[fio_verifying], "MB/s")
    ))
}

/// One pass over the file, and what it holds read back.
fn stalls(file: &Path, kept: &Path) -> Result<Rates> {
    let mut command = ours::program();
    command.args(["stalls", "--destroy-data", "--verify", "end", "--json"]);
    command
        .arg(format!("--block-size={BLOCK}B"))
        .arg(format!("--bytes={FILE}B"))
        .arg(file)
        .arg("-o")
        .arg(kept);
    let document = ours::document(&mut command)?;
    let verified = verified(&document, kept, BLOCK)?;
    let written = &document["findings"]["stream"]["mb_s"];
    Ok(Rates { written: written.as_f64().context("no mb_s")?, verified })
}

/// Random writes, and what they left in the file read back.
fn load(file: &Path, kept: &Path) -> Result<Rates> {
    let mut command = ours::program();
    command.args(["load", "--rw", "randwrite", "--destroy-data", "--verify", "end", "--json"]);
    command
        .arg(format!("--block-size={RANDOM_BLOCK}B"))
        .arg(format!("--queue-depth={RANDOM_DEPTH}"))
        .arg(format!("--bytes={RANDOM_BYTES}B"))
        .arg(file)
        .arg("-o")
        .arg(kept);
    let document = ours::document(&mut command)?;
    let verified = verified(&document, kept, RANDOM_BLOCK)?;
    Ok(Rates { written: document["findings"]["mb_s"].as_f64().context("no mb_s")?, verified })
}

/// The rate at which blocks of `block` bytes were read back, all of which have to be as they were written.
fn verified(document: &Value, kept: &Path, block: u64) -> Result<f64> {
    let found = &document["findings"]["verification"];
    for kind in ["flipped", "torn", "misplaced", "stale", "missing", "unreadable", "left", "not_judged"] {
        ensure!(found[kind] == 0, "{kind} blocks: {found}");
    }
    let read = found["blocks"].as_f64().context("no blocks were read back")? * block as f64;
    let run: Value = serde_json::from_reader(File::open(kept.join("run.json"))?)?;
    let phase = run["phases"].as_array().and_then(|phases| phases.last()).context("the run has no phase")?;
    ensure!(phase["name"] == "read back", "the last phase is {}", phase["name"]);
    let time = |key: &str| phase[key].as_f64().with_context(|| format!("the phase has no {key}"));
    Ok(read / (time("ended_at_ns")? - time("started_at_ns")?) * 1e3)
}

/// Random writes by fio, each block once, and all of them read back, with as many in flight.
fn checked_random_writes(file: &Path) -> Result<Rates> {
    let mut command = Command::new("fio");
    command.args([
        "--name=job",
        "--ioengine=io_uring",
        "--direct=1",
        "--rw=randwrite",
        "--output-format=json",
    ]);
    command.arg(format!("--bs={RANDOM_BLOCK}")).arg(format!("--size={RANDOM_FILE}"));
    rates_of_fio(command.arg(format!("--iodepth={RANDOM_DEPTH}")), file)
}

/// The same by fio, one block after the other, as stalls has it.
fn checked_writes(file: &Path) -> Result<Rates> {
    let mut command = Command::new("fio");
    command.args(["--name=job", "--ioengine=psync", "--direct=1", "--rw=write", "--output-format=json"]);
    rates_of_fio(command.arg(format!("--bs={BLOCK}")).arg(format!("--size={FILE}")), file)
}

/// Runs a job of fio with checksums.
fn rates_of_fio(command: &mut Command, file: &Path) -> Result<Rates> {
    // It would leave a file of what it has verified in the folder that it is started in.
    command.args(["--verify=crc32c", "--do_verify=1", "--verify_state_save=0"]);
    let document = fio::document(command.arg(format!("--filename={}", file.display())))?;
    let rate = |way: &str| {
        let bytes = document["jobs"][0][way]["bw_bytes"].as_f64();
        bytes.map(|bytes| bytes / 1e6).with_context(|| format!("fio's JSON has no rate of {way}"))
    };
    Ok(Rates { written: rate("write")?, verified: rate("read")? })
}
