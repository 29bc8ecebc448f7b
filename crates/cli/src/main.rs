//! drivelab: how a storage drive behaves over time.

#![forbid(unsafe_code)]

mod args;
mod commands;

use std::io::Write as _;
use std::process::ExitCode;

use args::{Command, StreamCommand};
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
    let (code, why) = match done {
        Ok(ending) => (ending.exit_code(), None),
        Err(failure) => (failure.exit_code(), Some(failure.to_string())),
    };
    // Several complaints have a line each.
    for line in why.iter().flat_map(|why| why.lines()) {
        say!("drivelab: {line}");
    }
    attendant.tell(&EndedTask { code, why, found });
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

fn dispatch(command: Command) -> Result<Ending, Failure> {
    match command {
        Command::Consistency(args) => commands::consistency::main(&args),
        Command::Review(args) => commands::review::main(&args, dispatch),
        Command::Fill(args) => commands::drive_tests::run_fill(&args),
        Command::Load(args) => commands::load::main(&args),
        Command::Paths(args) => commands::paths::main(&args),
        Command::Matrix(args) => commands::matrix::main(&args),
        Command::Image(args) => commands::image::main(&args),
        Command::Pts(args) => commands::drive_tests::run_pts(&args),
        Command::Quick(args) => commands::drive_tests::run_quick(&args),
        Command::Energy(args) => commands::energy::main(&args),
        Command::Lifetime(args) => commands::lifetime::main(&args),
        Command::Replay(args) => commands::replay::main(&args),
        Command::Stalls(args) => commands::drive_tests::run_stalls(&args),
        Command::Trim(args) => commands::drive_tests::run_trim(&args),
        Command::WorkingSet(args) => commands::drive_tests::run_working_set(&args),
        Command::OfferedLoad(args) => commands::drive_tests::run_offered_load(&args),
        Command::Wake(args) => commands::drive_tests::run_wake(&args),
        Command::Trace(args) => commands::trace::main(&args),
        Command::Boot(args) => commands::boot::main(&args),
        Command::Decode(args) => commands::decode::main(&args),
        Command::Stream(args) => commands::stream::main(&args),
        Command::Purge(args) => commands::purge::main(&args),
        Command::Drives(args) => commands::drives::main(&args),
        Command::Report(args) => commands::report::main(&args),
        Command::Index(args) => commands::index::main(&args),
        Command::Export(args) => commands::export::main(&args),
        Command::Fleet(args) => commands::fleet::main(&args),
        Command::Label(args) => commands::label::main(&args),
        Command::Profiles(args) => commands::program::print_profiles(&args),
        Command::Completions(args) => commands::program::print_completions(&args),
        Command::Man(args) => commands::program::print_manual(&args),
    }
}
