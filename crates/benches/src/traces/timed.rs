//! What a program took.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

/// What a program took, as `/usr/bin/time` tells.
#[derive(Clone, Copy, Debug)]
pub struct Taken {
    /// Seconds by the clock.
    pub wall: f64,
    /// Seconds of processor time, its own and the kernel's for it.
    pub cpu: f64,
    /// The most memory that it held, in bytes.
    pub memory: f64,
}

/// Runs a program on these processors to its end; what it prints is thrown away.
pub fn run(command: &Command, cpus: &str) -> Result<Taken> {
    let folder = tempfile::tempdir()?;
    let figures = folder.path().join("figures");
    let mut timed = Command::new("taskset");
    timed.args(["-c", cpus, "/usr/bin/time", "-f", "%e %U %S %M", "-o"]).arg(&figures);
    // By its whole path, where it has one: it runs in a folder of its own, since btt leaves files where it is.
    let program = Path::new(command.get_program());
    let program = if program.components().count() > 1 { program.canonicalize()? } else { program.to_owned() };
    timed.arg(program).args(command.get_args()).current_dir(folder.path());
    let status = timed.stdout(Stdio::null()).stderr(Stdio::null()).status().context("taskset")?;
    let name = command.get_program().display();
    ensure!(status.success(), "{name} failed, or taskset or /usr/bin/time is not there");
    let text = std::fs::read_to_string(figures)?;
    let figures: Vec<f64> = text.split_whitespace().filter_map(|figure| figure.parse().ok()).collect();
    let [wall, user, system, kilobytes] = figures[..] else { anyhow::bail!("/usr/bin/time: {text}") };
    Ok(Taken { wall, cpu: user + system, memory: kilobytes * 1024.0 })
}
