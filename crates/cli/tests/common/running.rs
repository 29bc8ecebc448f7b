//! A command that goes on while the test does something else.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::devices::eventually;
use super::{Ended, program};

/// A run under way, ended with the test.
pub struct Running {
    child: Child,
}

impl Running {
    /// Starts the program.
    pub fn start(arguments: &[&str]) -> Running {
        let mut command = program();
        command.args(arguments);
        Running::of(command)
    }

    /// Starts a command of the program.
    pub fn of(mut command: Command) -> Running {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        Running { child: command.spawn().expect("drivelab starts") }
    }

    /// The number of its process.
    pub fn process(&self) -> String {
        self.child.id().to_string()
    }

    /// The number of the process that measures: a run on a real drive has one of its own.
    pub fn measuring_process(&self) -> String {
        let path = format!("/proc/{0}/task/{0}/children", self.process());
        let children = std::fs::read_to_string(path).unwrap_or_default();
        let is_own = |child: &&str| {
            std::fs::read_to_string(format!("/proc/{child}/comm")).is_ok_and(|name| name.trim() == "drivelab")
        };
        children.split_whitespace().find(is_own).map_or_else(|| self.process(), str::to_owned)
    }

    /// Sends it a signal; the process that measures is stopped. One that has ended takes it as well, until somebody waits for it.
    pub fn signal(&self, signal: Signal) {
        let process = if [Signal::STOP, Signal::CONT].contains(&signal) {
            self.measuring_process()
        } else {
            self.process()
        };
        let pid = process.parse().ok().and_then(Pid::from_raw).expect("the number of a process");
        kill_process(pid, signal).expect("the process is there");
    }

    /// Kills it as no program can notice.
    pub fn kill(mut self) -> ExitStatus {
        self.child.kill().and_then(|()| self.child.wait()).expect("the process ends")
    }

    /// The same, and waits until the process that works on the drive for it is gone, too: it has the same output, and is killed
    /// by the kernel a moment later.
    pub fn kill_to_the_last_process(mut self) {
        let output = self.child.stdout.take();
        self.kill();
        let _ = output.map(|mut output| std::io::copy(&mut output, &mut std::io::sink()));
    }

    /// Waits for its end.
    pub fn ends(mut self) -> Ended {
        assert!(eventually(|| self.child.try_wait().expect("a process").is_some()), "the run goes on");
        // What it printed fits into the pipes, so nothing waits for a reader.
        let mut output = [String::new(), String::new()];
        let read = |from: &mut dyn std::io::Read, to: &mut String| from.read_to_string(to).expect("text");
        read(self.child.stdout.as_mut().expect("stdout"), &mut output[0]);
        read(self.child.stderr.as_mut().expect("stderr"), &mut output[1]);
        let [stdout, stderr] = output;
        let code = self.child.wait().expect("a status").code();
        assert!(!stderr.contains("panicked"), "{stderr}");
        Ended { code, stdout, stderr }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Lets it go on for a while.
pub fn pause(length: Duration) {
    #[expect(clippy::disallowed_methods, reason = "a test lets the run go on for a while")]
    std::thread::sleep(length);
}
