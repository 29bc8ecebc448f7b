//! drivelab: how a storage drive behaves over time.

#![forbid(unsafe_code)]

mod args;
mod commands;

use std::process::ExitCode;

use args::{Command, StreamArgs, StreamCommand};
use commands::attended::{Attendant, AttendedTask, EndedTask, FoundByTask, attend};
use drivelab_runner::{Ending, Failure, output, print_plans, set_live};

#[global_allocator]
static MEMORY: drivelab_uring::ReportingAllocator = drivelab_uring::ReportingAllocator;

fn main() -> ExitCode {
    if let Some(looked) = commands::look_at_drive::look_for_another() {
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
        None => commands::start::main(),
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
        output::say(format_args!("drivelab: {line}"));
    }
    attendant.tell(&EndedTask { code, why, found });
    ExitCode::from(code)
}

/// Does what this process was started for: the command itself, or a part of it, whose findings are for who waits for them.
fn do_task(
    mut command: Command,
    task: Option<&AttendedTask>,
    found: &mut Option<FoundByTask>,
) -> Result<Ending, Failure> {
    commands::live_file::checked(&mut command)?.into_iter().for_each(set_live);
    match (task, command) {
        (Some(AttendedTask::Step(step)), Command::Review(args)) => {
            commands::review::do_step(&args, step, dispatch)
        }
        (
            Some(AttendedTask::Contend(part)),
            Command::Stream(StreamArgs { command: StreamCommand::Contend(args) }),
        ) => commands::stream::contend::do_part(&args, part, found),
        (_, command) => dispatch(command),
    }
}

fn dispatch(command: Command) -> Result<Ending, Failure> {
    match command {
        Command::Consistency(args) => commands::consistency::main(&args),
        Command::Review(args) => commands::review::main(&args, dispatch),
        Command::Fill(args) => commands::fill::main(&args),
        Command::Load(args) => commands::load::main(&args),
        Command::Paths(args) => commands::paths::main(&args),
        Command::Matrix(args) => commands::matrix::main(&args),
        Command::Image(args) => commands::image::main(&args),
        Command::Pts(args) => commands::pts::main(&args),
        Command::Quick(args) => commands::quick::main(&args),
        Command::Energy(args) => commands::energy::main(&args),
        Command::Lifetime(args) => commands::lifetime::main(&args),
        Command::Replay(args) => commands::replay::main(&args),
        Command::Stalls(args) => commands::stalls::main(&args),
        Command::Trim(args) => commands::trim::main(&args),
        Command::WorkingSet(args) => commands::working_set::main(&args),
        Command::OfferedLoad(args) => commands::offered_load::main(&args),
        Command::Wake(args) => commands::wake::main(&args),
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
        Command::Profiles(args) => commands::profiles::main(&args),
        Command::Completions(args) => commands::completions::main(&args),
        Command::Man(args) => commands::man::main(&args),
    }
}
