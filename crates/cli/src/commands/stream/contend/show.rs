//! What a contention prints.

use drivelab_inspect::InspectionDocument;
use drivelab_inspect::contend::{ContendFindings, MechanismFindings, view};
use drivelab_kinds::Outline;
use drivelab_runner::{Ending, Failure, Outputs, PlannedTest};
use drivelab_view::Page;

use super::drive::SharedDrive;
use super::mechanism::Mechanism;
use super::verdict::{Tried, are_enough, recommended};
use crate::args::StreamContendArgs;

/// Prints what was found.
pub fn show(args: &StreamContendArgs, drive: &SharedDrive, tried: &[Tried]) -> Result<Ending, Failure> {
    let found = findings(args, drive, tried);
    let page = Page::from_view(view(&found));
    let outputs = Outputs { json: args.json.is_asked(), ..Outputs::default() };
    outputs.make(&page, &[InspectionDocument::new(found)])?;
    Ok(Ending::Passed)
}

fn findings(args: &StreamContendArgs, drive: &SharedDrive, tried: &[Tried]) -> ContendFindings {
    let best = recommended(tried);
    let mechanism = |one: &Tried| MechanismFindings {
        name: one.mechanism.name.clone(),
        contended: one.mechanism.contended,
        scheduler: one.mechanism.scheduler.clone(),
        priority: one.mechanism.priority,
        competitor_held_by: one.mechanism.hold,
        longest_write_ns: one.longest(),
        dropped: one.dropped(),
        runs: one.runs.clone(),
    };
    ContendFindings {
        target: args.target.display().to_string(),
        beside: args.competitor_directory.display().to_string(),
        drive: drive.name.clone(),
        stream_mb_s: args.bytes_per_second() / 1e6,
        mechanisms: tried.iter().map(mechanism).collect(),
        recommended: best.map(|(one, _)| one.mechanism.name.clone()),
        stall_factor: best.map(|(_, factor)| factor),
        has_enough_runs: are_enough(u32::from(args.runs), tried.len().saturating_sub(2)),
    }
}

/// What would be done.
pub fn outline(args: &StreamContendArgs, drive: &SharedDrive, mechanisms: &[Mechanism]) -> PlannedTest {
    let names: Vec<&str> = mechanisms.iter().map(|mechanism| mechanism.name.as_str()).collect();
    let sentence = format!(
        "{} runs of {} each would be made, and what {} holds would be lost: {}",
        mechanisms.len() as u64 * u64::from(args.runs),
        args.cell_duration,
        args.target.display(),
        names.join("; ")
    );
    let outline = Outline { sentences: vec![sentence], written: None, time: None };
    PlannedTest {
        label: drive.name.clone(),
        ..PlannedTest::new(&args.target.display().to_string(), Some(outline))
    }
}
