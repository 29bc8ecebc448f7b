//! `drivelab trace export`.

use std::io::ErrorKind;
use std::path::Path;

use drivelab_inspect::trace::TracePhases;
use drivelab_runner::{Ending, Failure, output, signals};
use drivelab_trace::{ExportFormat, Exported, TraceError, export};

use super::destination::TraceDestination;
use super::{of_run, opened};
use crate::args::TraceExportArgs;

/// The most of a name that fio reads.
const FIO_NAME_BYTES: usize = 256;

/// Writes the trace, and says what the format cannot hold.
pub fn main(args: &TraceExportArgs) -> Result<Ending, Failure> {
    let format = format(args)?;
    check_file(format, args.replay_on.as_deref())?;
    let source = opened::open(&args.trace, &args.phases.request())?.stretch(args.stretch.request())?;
    source.check_stretch()?;
    let interrupt = signals::interrupt()?;
    let mut destination = TraceDestination::open(args.file.as_deref())?;
    let mut keep_going = || !interrupt.is_raised();
    let exported =
        match export(&source, format, args.replay_on.as_deref(), destination.writer(), &mut keep_going) {
            Ok(exported) => exported,
            // A reader that went away (`| head`) has what it wanted.
            Err(TraceError::Output(error)) if error.kind() == ErrorKind::BrokenPipe => {
                return Ok(Ending::Passed);
            }
            Err(error) => return Err(destination.failed(error)),
        };
    if source.manifest().account.is_none() {
        output::say("The trace was not ended: what there is of it was exported.");
    }
    tell(&exported, format);
    if let Some(run) = source.run() {
        output::say(TracePhases::from_chosen(&run.chosen, exported.left_out).sentence("exported"));
    }
    if interrupt.is_raised() {
        let by = signals::stopped_in_words();
        output::say(format_args!("{by}: the first {} requests were exported", exported.requests));
        return Ok(Ending::Interrupted);
    }
    let gap = source
        .run()
        .filter(|_| source.within().is_none())
        .and_then(|run| of_run::gap(run, exported.requests + exported.left_out));
    gap.iter().for_each(output::say);
    Ok(if exported.faults.is_empty() && gap.is_none() { Ending::Passed } else { Ending::CheckFailed })
}

/// The format that was named.
fn format(args: &TraceExportArgs) -> Result<ExportFormat, Failure> {
    let Some(name) = &args.format else {
        let all = ExportFormat::ALL.map(ExportFormat::name).join(", ");
        let ending = args.file.as_deref().and_then(Path::extension).and_then(|ending| ending.to_str());
        let text = match ending.and_then(ending_of) {
            Some(format) => format!(
                "the format is not named: add --format {} for such a file; the formats are {all}",
                format.name()
            ),
            None => format!("the format is not named: add --format with one of {all}"),
        };
        return Err(Failure::Usage(text));
    };
    ExportFormat::from_name(name).ok_or_else(|| Failure::Usage(format!("--format {name}: no such format")))
}

/// The format of which files often have this ending.
fn ending_of(ending: &str) -> Option<ExportFormat> {
    match ending {
        "csv" => Some(ExportFormat::Csv),
        "fio" | "log" => Some(ExportFormat::Fio3),
        "load" => Some(ExportFormat::Blkreplay),
        "blkparse" | "txt" => Some(ExportFormat::Blkparse),
        _ => None,
    }
}

/// fio takes the first word for the name.
fn check_file(format: ExportFormat, file: Option<&str>) -> Result<(), Failure> {
    let Some(file) = file else { return Ok(()) };
    let wrong = |why: &str| Err(Failure::Usage(format!("--replay-on {file:?}: {why}")));
    if !format.names_files() {
        return wrong("only fio2 and fio3 name files: leave it out, or choose one of them with --format");
    }
    if file.is_empty() || file.contains(|letter: char| letter.is_whitespace() || letter.is_control()) {
        return wrong("fio reads one word without blanks: name a path without, perhaps a link");
    }
    if file.len() > FIO_NAME_BYTES {
        return wrong("fio reads 256 bytes of a name: name a shorter path, perhaps a link");
    }
    Ok(())
}

fn tell(exported: &Exported, format: ExportFormat) {
    for fault in &exported.faults {
        output::say(format_args!("The export lacks a part of the trace: {fault}."));
    }
    if !exported.losses.is_empty() {
        let losses: Vec<String> =
            exported.losses.iter().map(|(what, count)| format!("{what} ({count})")).collect();
        output::say(format_args!("What {} cannot hold: {}.", format.name(), losses.join("; ")));
    }
}
