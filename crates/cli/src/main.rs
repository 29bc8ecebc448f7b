//! drivelab: how a storage drive behaves over time.

#![forbid(unsafe_code)]

mod args;
mod command_list;
mod commands;

use std::io::Write as _;
use std::process::ExitCode;

use args::{Command, ReviewArgs, StreamCommand};
use command_list::for_each_command;
use commands::attended::{Attendant, AttendedTask, EndedTask, FoundByTask, attend};
use drivelab_runner::{Ending, Failure, print_plans, say};
use drivelab_safety::{LOOK_COMMAND, tell_contents};

#[global_allocator]
static MEMORY: drivelab_uring::ReportingAllocator = drivelab_uring::ReportingAllocator;

fn main() -> ExitCode {
    if let Some(looked) = look_for_another() {
        return looked;
    }
    drivelab_uring::keep_freed_memory();
    // It starts itself as it is, also where its file was replaced meanwhile.
    drivelab_safety::look_by("/proc/self/exe".into());
    drivelab_runner::signals::report_file_size_limit();
    let Ok(attendant) = Attendant::of_this_process() else { return ExitCode::FAILURE };
    let mut cli = args::parse();
    if let Some(code) = attend(cli.command.as_mut(), &attendant) {
        return code;
    }
    let mut found = None;
    let done = match cli.command {
        None => commands::drives::show_start(),
        Some(command) => do_task(command, attendant.task(), &mut found),
    };
    let done = match done {
        Ok(Ending::Planned(plans)) => print_plans(&plans),
        other => other,
    };
    let (code, failure) = match done {
        Ok(ending) => (ending.exit_code(), None),
        Err(failure) => (failure.exit_code(), Some(failure)),
    };
    // Several complaints have a line each.
    if let Some(failure) = &failure {
        for line in failure.to_string().lines() {
            say!("drivelab: {line}");
        }
    }
    attendant.tell(&EndedTask { code, failure, found });
    ExitCode::from(code)
}

/// Does what this process was started for: the command itself, or a part of it, whose findings are for who waits for them.
fn do_task(
    command: Command,
    task: Option<&AttendedTask>,
    found: &mut Option<FoundByTask>,
) -> Result<Ending, Failure> {
    match (task, command) {
        (Some(AttendedTask::Step(step)), Command::Review(args)) => {
            commands::review::do_step(&args, step, dispatch)
        }
        (Some(AttendedTask::Contend(part)), Command::Stream(StreamCommand::Contend(args))) => {
            commands::stream::contend::do_part(&args, part, found)
        }
        (_, command) => dispatch(command),
    }
}

/// Looks at a drive, where that is what this program was started for, and gives its exit code then. The program starts itself as
/// `drivelab look-at-drive NAME NUMBER SOUGHT` to see what a drive holds: one that hangs keeps this process, and not the
/// one that wants to know. It is no command for users.
fn look_for_another() -> Option<ExitCode> {
    let mut words = std::env::args().skip(1);
    if words.next()? != LOOK_COMMAND {
        return None;
    }
    let (name, number, sought) = (words.next()?, words.next()?, words.next()?);
    // Whoever asked is gone: then nothing is to be seen. A look that is stuck in the kernel ends when the drive answers.
    let _ = rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL));
    let _ = rustix::thread::set_name(c"drivelab-look");
    let mut is_heard = true;
    let mut out = std::io::stdout().lock();
    tell_contents(&name, &number, &sought, &mut |line| {
        is_heard &= writeln!(out, "{line}").and_then(|()| out.flush()).is_ok();
    });
    Some(if is_heard { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Makes the function that runs a command.
macro_rules! dispatch {
    ($($(#[$about:meta])* $name:ident($args:ty): $of_test:ident => $run:path,)*) => {
        fn dispatch(command: Command) -> Result<Ending, Failure> {
            match command {
                $(Command::$name(args) => $run(&args),)*
            }
        }
    };
}

for_each_command!(dispatch);

/// A review runs the other commands.
fn review(args: &ReviewArgs) -> Result<Ending, Failure> {
    commands::review::main(args, dispatch)
}
