//! `drivelab look-at-drive NAME NUMBER [SEED|answer]`, which the program itself starts to see what a drive holds: one that hangs
//! keeps this process, and not the one that wants to know. It is no command for users.

use std::io::Write as _;
use std::process::ExitCode;

use drivelab_safety::{LOOK_COMMAND, tell_contents};

/// Looks at a drive, where that is what this program was started for, and gives its exit code then.
pub fn look_for_another() -> Option<ExitCode> {
    let mut words = std::env::args().skip(1);
    if words.next()? != LOOK_COMMAND {
        return None;
    }
    let (name, number, sought) = (words.next()?, words.next()?, words.next());
    // Whoever asked is gone: then nothing is to be seen. A look that is stuck in the kernel ends when the drive answers.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let _ = rustix::thread::set_name(c"drivelab-look");
    let mut is_heard = true;
    let mut out = std::io::stdout().lock();
    tell_contents(&name, &number, sought.as_deref(), &mut |line| {
        is_heard &= writeln!(out, "{line}").and_then(|()| out.flush()).is_ok();
    });
    Some(if is_heard { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
