//! A virtual machine: what it is made of, what its tests report, and what is done to it from outside.

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};

use crate::kernel::Kernel;

/// The emulated processor, without what costs an emulator time and drivelab never sees: string instructions that it emulates
/// byte by byte (`erms`), a fifth level of page tables (`la57`), and a check of each access of the kernel (`smap`).
const PROCESSOR: &str = "max,-erms,-la57,-smap";

/// What is booted.
pub struct Boot<'a> {
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The archive that holds the programs and tests.
    pub initramfs: &'a Path,
    /// The name of the scenario, which the tests find on the kernel's command line.
    pub scenario: &'a str,
    /// How often this scenario has booted before.
    pub number: u32,
    /// How often tests that depend on chance are repeated.
    pub rounds: u32,
    /// What its tests wanted to know after that.
    pub note: &'a str,
    /// Further parameters of the kernel.
    pub parameters: &'a str,
    /// QEMU's arguments for the scenario's devices.
    pub devices: Vec<String>,
    /// Where the console's log and the control socket go.
    pub folder: &'a Path,
}

/// A virtual machine that runs. It is killed where it is dropped.
pub struct Machine {
    process: Child,
    lines: Receiver<String>,
    control: PathBuf,
    console: PathBuf,
}

impl Machine {
    /// Boots it.
    ///
    /// # Errors
    /// Where QEMU cannot be run.
    pub fn boot(boot: &Boot) -> Result<Machine> {
        let control = boot.folder.join(format!("{}-{}.qmp", boot.scenario, boot.number));
        let console = boot.folder.join(format!("{}-{}.console", boot.scenario, boot.number));
        let _ = fs::remove_file(&control);
        let kernel_line = format!(
            "console=ttyS0 panic=-1 quiet loglevel=5 mitigations=off drivelab.scenario={} drivelab.boot={} \
             drivelab.note={} drivelab.rounds={} {}",
            boot.scenario, boot.number, boot.note, boot.rounds, boot.parameters
        );
        let mut process = Command::new("qemu-system-x86_64")
            // KVM is not to be had on every machine that tests; what is emulated is the same everywhere. The two
            // processors take turns in one thread: in threads of their own, one now and then runs an instruction of
            // which the kernel's code patching on the other has replaced a part, and the kernel panics.
            .args(["-M", "q35", "-accel", "tcg,thread=single", "-cpu", PROCESSOR, "-smp", "2", "-m", "2G"])
            .args(["-nodefaults", "-no-reboot", "-display", "none"])
            .arg("-serial")
            .arg(format!("file:{}", console.display()))
            .arg("-chardev")
            .arg(format!("stdio,id=tests,logfile={}", console.with_extension("tests").display()))
            .args(["-serial", "chardev:tests"])
            .arg("-qmp")
            .arg(format!("unix:{},server=on,wait=off", control.display()))
            .arg("-kernel")
            .arg(&boot.kernel.image)
            .arg("-initrd")
            .arg(boot.initramfs)
            .arg("-append")
            .arg(kernel_line)
            .args(&boot.devices)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(File::create(boot.folder.join(format!("{}.qemu", boot.scenario)))?)
            .spawn()
            .context("qemu-system-x86_64 cannot be run; install the package qemu-system-x86")?;
        let lines = read_lines(process.stdout.take().context("QEMU has an output")?);
        Ok(Machine { process, lines, control, console })
    }

    /// The next line that the tests print; none where the machine has ended.
    ///
    /// # Errors
    /// Where none comes in time: with the end of the kernel's console.
    pub fn line(&self, until: Instant) -> Result<Option<String>> {
        match self.lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(line) => Ok(Some(line)),
            Err(RecvTimeoutError::Disconnected) => Ok(None),
            Err(RecvTimeoutError::Timeout) => bail!("the tests took too long\n{}", self.end_of_console()),
        }
    }

    /// The last lines of the kernel's console.
    pub fn end_of_console(&self) -> String {
        let text = fs::read(&self.console).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(25)..].join("\n")
    }

    /// Unplugs a device by QEMU's name for it.
    ///
    /// # Errors
    /// Where QEMU refuses.
    pub fn unplug(&self, device: &str) -> Result<()> {
        self.ask(&json!({"execute": "device_del", "arguments": {"id": device}})).map(drop)
    }

    /// Pauses the machine, and lets it go on after this time.
    ///
    /// # Errors
    /// Where QEMU refuses.
    pub fn pause(&self, time: Duration) -> Result<()> {
        self.ask(&json!({"execute": "stop"}))?;
        thread::sleep(time);
        self.ask(&json!({"execute": "cont"})).map(drop)
    }

    /// Limits the I/Os that the file of a drive is asked for in a second; 0 takes the limit away.
    ///
    /// # Errors
    /// Where QEMU refuses.
    pub fn throttle(&self, drive: &str, iops: u32) -> Result<()> {
        let device = format!("{drive}-file");
        let limits = json!({"device": device, "iops": iops, "iops_rd": 0, "iops_wr": 0, "bps": 0, "bps_rd": 0, "bps_wr": 0});
        self.ask(&json!({"execute": "block_set_io_throttle", "arguments": limits})).map(drop)
    }

    /// How many bytes were read from the file of a drive since the machine was switched on.
    ///
    /// # Errors
    /// Where QEMU refuses, or knows no such drive.
    pub fn bytes_read(&self, drive: &str) -> Result<u64> {
        let counts = self.ask(&json!({"execute": "query-blockstats"}))?;
        let file = format!("{drive}-file");
        let of_drive =
            counts.as_array().and_then(|all| all.iter().find(|one| one["device"] == file.as_str()));
        let bytes = of_drive.and_then(|one| one["stats"]["rd_bytes"].as_u64());
        bytes.with_context(|| format!("QEMU has counted nothing of {file}"))
    }

    /// Gives QEMU a command of its machine protocol, and returns its answer.
    fn ask(&self, command: &Value) -> Result<Value> {
        let stream = UnixStream::connect(&self.control).context("QEMU's control socket")?;
        stream.set_read_timeout(Some(Duration::from_secs(20)))?;
        let mut answers = BufReader::new(stream.try_clone()?);
        let mut returned = Value::Null;
        for command in [&json!({"execute": "qmp_capabilities"}), command] {
            writeln!(&stream, "{command}")?;
            loop {
                let mut line = String::new();
                answers.read_line(&mut line)?;
                let mut answer: Value = serde_json::from_str(&line).context("QEMU's answer")?;
                if let Some(error) = answer.get("error") {
                    bail!("QEMU refuses: {error}");
                }
                if let Some(value) = answer.get_mut("return") {
                    returned = value.take();
                    break;
                }
            }
        }
        Ok(returned)
    }

    /// Cuts the power: whatever the guest had not given to a drive is gone.
    ///
    /// # Errors
    /// Where QEMU cannot be killed.
    pub fn cut_power(mut self) -> Result<()> {
        self.process.kill()?;
        self.process.wait()?;
        Ok(())
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn read_lines(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            let line = String::from_utf8_lossy(&line).trim_end_matches('\r').to_owned();
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    lines
}
