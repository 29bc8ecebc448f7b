//! drivelab, as its users run it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

/// Where `cargo build --release` puts it.
const PROGRAM: &str = "target/release/drivelab";

/// Where `make bench` puts the ring that measures nothing.
const BARE_RING: &str = "target/release/examples/bare_ring";

/// The program, without arguments.
pub fn program() -> Command {
    Command::new(std::env::var("DRIVELAB").unwrap_or_else(|_| PROGRAM.to_owned()))
}

/// Runs drivelab with `--json` and gives back its document.
pub fn run(arguments: &[&str]) -> Result<Value> {
    document(program().args(arguments).arg("--json"))
}

/// Runs drivelab, which has to be asked for JSON, and gives back its document.
pub fn document(command: &mut Command) -> Result<Value> {
    let output = command.output().with_context(|| format!("{PROGRAM} (run `make build` first)"))?;
    ensure!(output.status.success(), "drivelab: {}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Random reads with every I/O recorded into `records`.
pub fn recorded_reads(device: &Path, seconds: u32, records: &Path) -> Result<Value> {
    let device = device.display().to_string();
    let (duration, records) = (format!("{seconds}s"), records.display().to_string());
    let document = run(&[
        "load",
        &device,
        "--rw",
        "randread",
        "--queue-depth",
        "32",
        "--cpus",
        "0",
        "--duration",
        &duration,
        "--output",
        &records,
    ])?;
    let lost = &document["findings"]["ios"]["records"]["lost"];
    ensure!(*lost == 0, "records were lost: {lost}");
    Ok(document)
}

/// The IOPS of the same reads through a ring and nothing else, on processor 0.
pub fn bare_ring(device: &Path, seconds: u32) -> Result<f64> {
    let program = std::env::var("BARE_RING").unwrap_or_else(|_| BARE_RING.to_owned());
    // With the policy that drivelab gives itself on named processors: without it a ring is less than half as fast.
    let output = Command::new("chrt")
        .args(["--batch", "0", "taskset", "-c", "0", &program])
        .arg(device)
        .arg(seconds.to_string())
        .output()
        .with_context(|| format!("{program} (run `make bench`)"))?;
    ensure!(output.status.success(), "bare ring: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim().parse()?)
}
