//! fio, as its users run it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// What every job has in common: `io_uring`, direct, 4 KiB random reads, 32 in flight, on processor 0.
const JOB: [&str; 9] = [
    "--name=job",
    "--ioengine=io_uring",
    "--direct=1",
    "--rw=randread",
    "--bs=4k",
    "--iodepth=32",
    "--time_based",
    "--norandommap",
    "--output-format=json",
];

/// The options by which fio is fastest here while it still times each I/O.
pub const FASTEST: [&str; 5] = [
    "--fixedbufs",
    "--registerfiles",
    "--iodepth_batch_submit=32",
    "--iodepth_batch_complete_min=32",
    "--iodepth_batch_complete_max=32",
];

/// Runs a job of `seconds` in `folder` and gives back its document.
pub fn run(device: &Path, seconds: u32, options: &[&str], folder: &Path) -> Result<Value> {
    let mut command = Command::new("taskset");
    command
        .args(["-c", "0", "fio"])
        .args(JOB)
        .arg(format!("--filename={}", device.display()))
        .arg(format!("--runtime={seconds}"))
        .args(options)
        .current_dir(folder);
    document(&mut command)
}

/// Runs fio, which has to be asked for JSON, and gives back its document.
pub fn document(command: &mut Command) -> Result<Value> {
    let output = command.output().context("fio (package fio)")?;
    ensure!(output.status.success(), "fio: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let start = text.find('{').context("fio printed no JSON")?;
    Ok(serde_json::from_str(&text[start..])?)
}

/// The IOPS of its only job.
pub fn iops(document: &Value) -> Result<f64> {
    document["jobs"][0]["read"]["iops"].as_f64().context("fio's JSON has no IOPS")
}
