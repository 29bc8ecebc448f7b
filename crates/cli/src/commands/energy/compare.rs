//! The energies of two kept results side by side.

use std::path::{Path, PathBuf};

use drivelab_kinds::ResultKind as _;
use drivelab_kinds::energy::{Energy, EnergyComparisonDocument, EnergySide, comparison_view};
use drivelab_record::RunFolder;
use drivelab_runner::{Ending, Failure, open_result, output};
use drivelab_view::Page;

use crate::args::EnergyArgs;

/// Shows the energies of two kept results.
pub fn main(args: &EnergyArgs, folders: [&PathBuf; 2]) -> Result<Ending, Failure> {
    let sides = [read(folders[0])?, read(folders[1])?];
    let battery = args.meter.battery;
    if args.json.is_asked() {
        output::print_json(&EnergyComparisonDocument::from_sides(&sides, battery))?;
    } else {
        output::print_page(&Page::from_view(comparison_view(&sides, battery)))?;
    }
    let is_known = sides.iter().all(|side| side.energy.joules.is_some());
    Ok(if is_known { Ending::Passed } else { Ending::CheckFailed })
}

fn read(folder: &Path) -> Result<EnergySide, Failure> {
    let (_, run) = RunFolder::open(folder)?;
    let is_command = run.method == Energy::NAME;
    let kept = is_command.then(|| open_result::<Energy>(folder)).transpose()?;
    let task = if is_command { run.label.clone() } else { format!("{} of {}", run.method, run.label) };
    let energy = run.outcome.and_then(|outcome| outcome.energy);
    let energy = energy.ok_or_else(|| {
        Failure::Usage(format!(
            "{}: no meter was read: name the folder of a result with --meter, or of drivelab energy -o",
            folder.display()
        ))
    })?;
    // More runs are no other task.
    let same_task = kept.as_ref().map(|kept| serde_json::to_value(Energy::ranked_by(&kept.settings)));
    let settings = same_task.and_then(Result::ok).unwrap_or(run.settings);
    let (asked, findings) = ((run.method, settings), kept.map(|kept| kept.findings));
    Ok(EnergySide { folder: folder.display().to_string(), task, asked, findings, energy })
}
