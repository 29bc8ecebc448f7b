//! `drivelab report`: kept runs, side by side.

use std::fs;
use std::path::{Path, PathBuf};

use drivelab_record::is_run_folder;
use drivelab_report::{Comparison, ConsistencyDocument, csv, html, png_pictures, svg_pictures, terminal};

use super::output;
use crate::args::ReportArgs;
use crate::exit::{Ending, Failure};
use crate::kept::KeptRun;

/// Reads the runs back and writes what was asked for.
pub fn main(args: &ReportArgs) -> Result<Ending, Failure> {
    let mut folders = Vec::new();
    for path in &args.runs {
        folders.extend(run_folders(path)?);
    }
    let runs = folders.iter().map(|folder| KeptRun::read(folder)).collect::<Result<Vec<_>, _>>()?;
    let comparison = compare(&runs)?;
    let page = args.output.clone().unwrap_or_else(|| args.runs[0].join("report.html"));
    output::write_file(&page, html(&comparison).as_bytes())?;
    write_pictures(args, &comparison)?;
    if args.json {
        return output::print_json(&ConsistencyDocument::of(&comparison));
    }
    output::print(&terminal(&comparison, output::style()))?;
    output::say(format_args!("report: {}", page.display()));
    Ok(Ending::Passed)
}

/// Writes the pictures and tables that were asked for, each into its folder.
fn write_pictures(args: &ReportArgs, comparison: &Comparison<'_>) -> Result<(), Failure> {
    if let Some(folder) = &args.svg {
        write_all(folder, &svg_pictures(comparison))?;
    }
    if let Some(folder) = &args.png {
        let pictures = png_pictures(comparison).map_err(|error| Failure::Environment(error.to_string()))?;
        write_all(folder, &pictures)?;
    }
    if let Some(folder) = &args.csv {
        write_all(folder, &csv(comparison))?;
    }
    Ok(())
}

fn write_all(folder: &Path, files: &[(String, impl AsRef<[u8]>)]) -> Result<(), Failure> {
    output::make_folder(folder)?;
    files.iter().try_for_each(|(name, contents)| output::write_file(&folder.join(name), contents.as_ref()))
}

/// Runs as one comparison.
pub fn compare(runs: &[KeptRun]) -> Result<Comparison<'_>, Failure> {
    let reports = runs.iter().map(KeptRun::report).collect::<Result<Vec<_>, _>>()?;
    let mut targets: Vec<&str> = runs.iter().map(|run| run.manifest.target.as_str()).collect();
    targets.dedup();
    Ok(Comparison { title: targets.join(", "), runs: reports })
}

/// The folder itself where it is that of a run, else the folders of runs in it, in the order of their names.
fn run_folders(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if is_run_folder(path) {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => Failure::Usage(format!(
            "{} is not the folder of a run: name a folder that -o or --records made",
            path.display()
        )),
        _ => Failure::io(&path.display().to_string(), &error),
    })?;
    let mut folders: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(|path| is_run_folder(path)).collect();
    folders.sort();
    if folders.is_empty() {
        return Err(Failure::Usage(format!(
            "{} holds no run (a folder with a run.json): name a folder that -o or --records made",
            path.display()
        )));
    }
    Ok(folders)
}
