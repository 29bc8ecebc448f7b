//! The command whose energy is measured.

use std::io;
use std::os::fd::AsFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use drivelab_method::Interrupt;
use drivelab_runner::{Failure, monotonic_s, usage};
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// How often an interrupt is looked for.
const GLANCE: Duration = Duration::from_millis(100);
/// How long a command that was interrupted may take to end by itself: Ctrl-C went to it as well.
const GRACE_S: f64 = 2.0;

/// The program of a command. It is looked for before the first idle time, which would be wasted otherwise.
pub fn find(command: &[String]) -> Result<PathBuf, Failure> {
    let name = command.first().map(String::as_str).unwrap_or_default();
    let listed = std::env::var_os("PATH").unwrap_or_default();
    let found = if name.contains('/') {
        Some(PathBuf::from(name)).filter(|path| path.is_file())
    } else {
        std::env::split_paths(&listed).map(|folder| folder.join(name)).find(|path| path.is_file())
    };
    found.ok_or_else(|| usage!("{name}: there is no such command"))
}

/// Runs a command, and gives its exit code; none where a signal ended it. Its output goes where the program's own goes, or all of
/// it to stderr. `meanwhile` is called several times a second.
pub fn run(
    program: &Path,
    command: &[String],
    all_to_stderr: bool,
    interrupt: &Interrupt,
    mut meanwhile: impl FnMut(),
) -> Result<Option<i32>, Failure> {
    let not_run = |error: io::Error| usage!("{}: {error}", command[0]);
    let mut runs = Command::new(program);
    runs.args(&command[1..]);
    if all_to_stderr {
        runs.stdout(Stdio::from(io::stderr().as_fd().try_clone_to_owned().map_err(not_run)?));
    }
    let child = runs.spawn().map_err(not_run)?;
    let pid = child.id();
    let ended = waited_for(child).map_err(not_run)?;
    let mut raised_s = None;
    loop {
        if let Ok(exit_code) = ended.recv_timeout(GLANCE) {
            return Ok(exit_code);
        }
        meanwhile();
        if interrupt.is_raised() && monotonic_s() - *raised_s.get_or_insert_with(monotonic_s) > GRACE_S {
            end(pid);
        }
    }
}

/// Waits on a thread of its own, so that the end is known to the moment.
fn waited_for(mut child: Child) -> io::Result<Receiver<Option<i32>>> {
    let (tell, ended) = channel();
    let wait = move || {
        let status = child.wait();
        let _ = tell.send(status.ok().and_then(|status| status.code()));
    };
    std::thread::Builder::new().name("command".to_owned()).spawn(wait)?;
    Ok(ended)
}

fn end(pid: u32) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw);
    if let Some(Ok(process)) = pid.map(|pid| pidfd_open(pid, PidfdFlags::empty())) {
        let _ = pidfd_send_signal(&process, Signal::TERM);
    }
}
