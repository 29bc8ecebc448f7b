//! `drivelab fleet`: many drives and machines together.

use drivelab_export::fleet::{FleetError, FleetFolder, FleetSource, FleetStore, read_fleet};
use drivelab_inspect::InspectionDocument;
use drivelab_inspect::fleet::view;
use drivelab_runner::{Ending, Failure, check_page, environment, output, say, signals, usage};
use drivelab_view::Page;

use super::export::place;
use super::folders::is_page_of;
use crate::args::{ExportPlace, FleetCommand, FleetReportArgs};

/// How many things that are left out are named one by one on stderr.
const LEFT_OUT_SAID: usize = 20;

pub fn main(command: &FleetCommand) -> Result<Ending, Failure> {
    match command {
        FleetCommand::Report(args) => report(args),
    }
}

/// Answers the questions. What cannot be read is named, and the rest is shown.
fn report(args: &FleetReportArgs) -> Result<Ending, Failure> {
    if let Some(page) = &args.page.report {
        check_page(page, is_page_of(page, "fleet").then_some(page.as_path()))?;
    }
    let source = open(&args.place)?;
    let interrupt = signals::interrupt()?;
    let findings = match read_fleet(source.as_ref(), &mut || !interrupt.is_raised()) {
        Ok(findings) => findings,
        Err(FleetError::Interrupted) => return Ok(Ending::Interrupted),
        Err(error @ (FleetError::NoExport { .. } | FleetError::NotRead { .. })) => {
            return Err(usage!("{error}"));
        }
        Err(error @ (FleetError::Changed { .. } | FleetError::Store(_))) => {
            return Err(environment!("{error}"));
        }
    };
    let left_out = &findings.left_out;
    left_out.iter().take(LEFT_OUT_SAID).for_each(|why| say!("left out: {why}"));
    if left_out.len() > LEFT_OUT_SAID {
        say!("left out: {} more, which --json names", left_out.len() - LEFT_OUT_SAID);
    }
    findings.notes.iter().take(LEFT_OUT_SAID).for_each(output::say);
    let is_complete = findings.left_out.is_empty();
    let outputs = args.tables.outputs(args.page.report.as_deref(), args.json);
    let page = Page::from_view(view(&findings, &args.place.to_string()));
    outputs.make(&page, &[InspectionDocument::new(findings)])?;
    Ok(if is_complete { Ending::Passed } else { Ending::CheckFailed })
}

fn open(place: &ExportPlace) -> Result<Box<dyn FleetSource>, Failure> {
    match place {
        ExportPlace::Folder(folder) if !folder.is_dir() => {
            let text =
                "there is no such folder: name the one that `drivelab export` wrote to with --destination";
            Err(usage!("{}: {text}", folder.display()))
        }
        ExportPlace::Folder(folder) => Ok(Box::new(FleetFolder(folder.clone()))),
        ExportPlace::Store(address) => {
            let store = place::open_store(address)?;
            let source = FleetStore::new(store)
                .map_err(|error| Failure::not_written(&std::env::temp_dir(), &error))?;
            Ok(Box::new(source))
        }
    }
}
