//! Two kept tasks side by side.

use std::path::{Path, PathBuf};

use drivelab_record::{ENERGY_SCHEMA, EnergyDocument};
use drivelab_report::{EnergyComparisonDocument, energy_comparison_terminal};
use drivelab_runner::{ENERGY_FILE, Ending, Failure, output};

use crate::args::EnergyArgs;

/// Shows two kept tasks.
pub fn main(args: &EnergyArgs, folders: [&PathBuf; 2]) -> Result<Ending, Failure> {
    let [first, second] = [read(folders[0])?, read(folders[1])?];
    let names = folders.map(|folder| folder.display().to_string());
    let document =
        EnergyComparisonDocument::of([(&names[0], &first), (&names[1], &second)], args.meter.battery);
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else {
        output::print(&energy_comparison_terminal(&document, output::style()))?;
    }
    document.notices.iter().for_each(output::say);
    let is_known = document.sides.iter().all(|side| side.joules.is_some());
    Ok(if is_known { Ending::Passed } else { Ending::CheckFailed })
}

fn read(folder: &Path) -> Result<EnergyDocument, Failure> {
    let path = folder.join(ENERGY_FILE);
    let text = std::fs::read(&path).map_err(|error| {
        Failure::Usage(format!(
            "{} cannot be read ({error}): name the folder of a run with --meter, or of drivelab energy -o",
            path.display()
        ))
    })?;
    let not_ours =
        |why: String| Failure::Usage(format!("{} is no document of this program: {why}", path.display()));
    let document: EnergyDocument =
        serde_json::from_slice(&text).map_err(|error| not_ours(error.to_string()))?;
    if document.schema == ENERGY_SCHEMA { Ok(document) } else { Err(not_ours(document.schema)) }
}
