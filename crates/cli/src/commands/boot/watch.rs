//! Looks at the processors until the boot is over.

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use drivelab_boot::ProcessorSample;
use drivelab_runner::{Failure, monotonic};

use super::systemctl::manager_times;

/// How often the processors are looked at.
const EVERY: Duration = Duration::from_millis(100);
/// A boot that takes longer has a job that hangs: what there is of it is kept. In nanoseconds.
const LONGEST: u64 = 900 * 1_000_000_000;
/// Samples between two tries to wait for systemd, which does not answer in its first moments.
const RETRY: u32 = 10;

/// What was seen until the boot was over.
pub struct WatchedBoot {
    /// How the processors spent their time.
    pub processors: Vec<ProcessorSample>,
    /// Whether the boot came to its end.
    pub has_finished: bool,
}

/// Looks at the processors until systemd has done all jobs of the boot.
pub fn until_finished() -> Result<WatchedBoot, Failure> {
    let mut processors = Vec::new();
    let mut waiting = WaitingProgram::default();
    loop {
        let now = monotonic();
        let text = std::fs::read_to_string("/proc/stat").unwrap_or_default();
        processors.extend(ProcessorSample::parse(now, &text));
        let has_finished = waiting.has_finished()?;
        if has_finished || now > LONGEST {
            return Ok(WatchedBoot { processors, has_finished });
        }
        rest();
    }
}

#[expect(clippy::disallowed_methods, reason = "the machine boots meanwhile")]
fn rest() {
    std::thread::sleep(EVERY);
}

/// A program that ends with the boot, so that systemd is not asked again and again while it is busy.
#[derive(Default)]
struct WaitingProgram {
    child: Option<Child>,
    samples: u32,
}

impl WaitingProgram {
    fn has_finished(&mut self) -> Result<bool, Failure> {
        if let Some(child) = &mut self.child {
            // Its exit code is that of a system with failed units, or without.
            if !matches!(child.try_wait(), Ok(None)) {
                self.child = None;
                return Ok(manager_times()?.is_some_and(|times| times.finish_us.is_some()));
            }
            return Ok(false);
        }
        if self.samples.is_multiple_of(RETRY) {
            let mut command = Command::new("systemctl");
            command.args(["is-system-running", "--wait"]).stdin(Stdio::null());
            let command = command.stdout(Stdio::null()).stderr(Stdio::null());
            self.child = command.spawn().ok();
        }
        self.samples += 1;
        Ok(false)
    }
}

impl Drop for WaitingProgram {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
