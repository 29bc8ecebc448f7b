//! `drivelab trace`: traces of block I/O.

mod analysed;
mod export;
mod record;
mod rollup;
mod show;

use std::path::{Path, PathBuf};

use drivelab_runner::{Ending, Failure, keep_private, output, signals};
use drivelab_trace::{Format, TraceError, TraceFolder, import};

pub use show::report;

use crate::args::{TraceCommand, TraceImportArgs};

/// Does what was asked with traces. They name programs and what these did, so all files are their owner's
/// alone.
pub fn main(command: &TraceCommand) -> Result<Ending, Failure> {
    let mask = keep_private();
    match command {
        TraceCommand::Record(args) => record::main(args, mask),
        TraceCommand::Import(args) => import_traces(args),
        TraceCommand::Show(args) => show::show_traces(args),
        TraceCommand::Export(args) => export::main(args),
    }
}

/// The file that an argument names: `-` is stdin.
fn named(file: &Path) -> PathBuf {
    if file == Path::new("-") { PathBuf::from("/dev/stdin") } else { file.to_owned() }
}

/// Imports the files, and shows what came of them.
fn import_traces(args: &TraceImportArgs) -> Result<Ending, Failure> {
    let interrupt = signals::interrupt()?;
    let format = args.format.as_deref().and_then(Format::of_word);
    let mut keep_going = || !interrupt.is_raised();
    let version = env!("CARGO_PKG_VERSION");
    let files: Vec<PathBuf> = args.files.iter().map(|file| named(file)).collect();
    let manifest = match import(&files, format, &args.output, version, &mut keep_going) {
        Err(interrupted @ TraceError::Interrupted) => {
            output::say(interrupted);
            return Ok(Ending::Interrupted);
        }
        imported => imported?,
    };
    if let Some(label) = args.label.text() {
        TraceFolder::label(&args.output, label)?;
    }
    let shown = show::made(&args.output, args.json.is_asked())?;
    if interrupt.is_raised() {
        output::say(format_args!("trace: {} (what was read until now)", args.output.display()));
        return Ok(Ending::Interrupted);
    }
    let account = manifest.account.unwrap_or_default();
    for damage in account.damage_told() {
        output::say(format_args!("damaged: {damage}"));
    }
    if account.requests == 0 {
        // Nothing to keep, and in the way of the next try.
        std::fs::remove_dir_all(&args.output)
            .map_err(|error| Failure::io(&args.output.display().to_string(), &error))?;
        if account.unwritten > 0 {
            let text =
                format!("nothing is kept in {}: make room there, or name another -o", args.output.display());
            return Err(Failure::Environment(text));
        }
        let hint = if format.is_some() { "; without --format it is found out" } else { "" };
        output::say(format_args!("no I/O was found: nothing is kept{hint}"));
        return Ok(Ending::CheckFailed);
    }
    if !account.damage.is_empty() {
        output::say("what was read until the damage is in the trace");
    }
    output::say(format_args!("trace: {}", args.output.display()));
    Ok(if account.damage.is_empty() { shown } else { Ending::CheckFailed })
}
