//! How fast streams are recorded beside fio's best sequential writes, and what that costs.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::fio;
use crate::loop_device::LoopDevice;
use crate::ours;
use crate::rounds::{Lane, median, table};
use crate::zram::{Zram, memory_folder};

const ROUNDS: usize = 5;
/// The length of the device, which each lane writes over several times.
const DEVICE: u64 = 1 << 30;
/// What each lane writes in a round: enough that the first filling of the rings is little of it.
const BYTES: &str = "8GB";

/// On a zram device and on a loop device over memory.
pub fn bench() -> Result<String> {
    let mut text = String::new();
    let zram = Zram::empty(DEVICE)?;
    let _ = writeln!(text, "  zram\n{}", rounds(&zram.path())?);
    drop(zram);
    let folder = memory_folder()?;
    let device = LoopDevice::over(&folder.path().join("image"), DEVICE)?;
    let _ = writeln!(text, "  a loop device over tmpfs\n{}", rounds(device.path())?);
    Ok(text)
}

/// drivelab with four channels beside fio with its two block sizes, in turn.
fn rounds(device: &Path) -> Result<String> {
    let mut mine = Lane::new("drivelab stream record, four channels", None);
    let mut fio_1m = Lane::new("fio, sequential, 1 MiB, depth 8", Some(0.95));
    let mut fio_4m = Lane::new("fio, sequential, 4 MiB, depth 8", Some(0.95));
    let mut best = Lane::new("the better of the two in each round", Some(0.95));
    let mut user_a_gb = Vec::new();
    for round in 0..ROUNDS {
        // Each goes first as often as the other.
        let mut document = None;
        if round % 2 == 0 {
            document = Some(record(device)?);
        }
        let (one, four) = (sequential_writes(device, "1M")?, sequential_writes(device, "4M")?);
        let document = document.map_or_else(|| record(device), Ok)?;
        mine.figures.push(document["busy_mb_s"].as_f64().context("no busy_mb_s")?);
        fio_1m.figures.push(one);
        fio_4m.figures.push(four);
        best.figures.push(one.max(four));
        let bytes = document["kept_bytes"].as_f64().context("no kept_bytes")?;
        user_a_gb.push(document["user_cpu_s"].as_f64().context("no user_cpu_s")? / (bytes / 1e9));
    }
    let mut text = table(&mine, &[fio_1m, fio_4m, best], "MB/s");
    let _ = writeln!(text, "  {:.3} core-seconds of its own (user mode) a GB; goal 0.1", median(&user_a_gb));
    Ok(text)
}

/// Frames of 1 and 2 MB, as fast as the device takes them, none of them lost.
fn record(device: &Path) -> Result<Value> {
    let name = device.file_name().context("a device")?.to_string_lossy().into_owned();
    let (target, serial) = (device.display().to_string(), format!("--serial={name}"));
    let block = std::env::var("BLOCK_SIZE").unwrap_or_else(|_| "1MiB".to_owned());
    let mut arguments = vec!["stream", "record", &target, &serial, "--destroy-data", "--cyclic"];
    arguments.extend(["--bytes", BYTES, "--block-size", &block]);
    for channel in [
        "--channel=a=synthetic,size=1MB,ring=32MiB",
        "--channel=b=synthetic,size=2MB,ring=32MiB",
        "--channel=c=synthetic,size=1MB,ring=32MiB",
        "--channel=d=synthetic,size=2MB,ring=32MiB",
    ] {
        arguments.push(channel);
    }
    let document = ours::run(&arguments)?["findings"].clone();
    for channel in document["channels"].as_array().context("no channels")? {
        ensure!(channel["kept"] == channel["produced"], "frames were lost: {channel}");
    }
    Ok(document)
}

/// fio's best way to write in sequence: registered buffers and file, and data that differ.
fn sequential_writes(device: &Path, block: &str) -> Result<f64> {
    let mut command = Command::new("fio");
    command
        .args([
            "--name=job",
            "--ioengine=io_uring",
            "--direct=1",
            "--rw=write",
            "--iodepth=8",
            "--refill_buffers",
        ])
        .args(["--fixedbufs", "--registerfiles", "--output-format=json"])
        .arg(format!("--bs={block}"))
        .arg(format!("--io_size={BYTES}"))
        .arg(format!("--filename={}", device.display()));
    let document = fio::document(&mut command)?;
    let rate = document["jobs"][0]["write"]["bw_bytes"].as_f64().context("fio's JSON has no rate")?;
    Ok(rate / 1e6)
}
