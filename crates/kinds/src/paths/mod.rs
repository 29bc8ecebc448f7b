//! The same data by several paths: which path from a program to a drive is the fastest, and where the time goes.
//!
//! Its drives are written through plain system calls as well as through the engine, so it is a test in cells.

mod cells;
mod data_path;
mod findings;
mod notices;
mod plan;
mod processors;
mod settings;
mod view;
mod work;

use std::path::PathBuf;

use drivelab_block::{ByteCount, Geometry};
use drivelab_record::MeasuredPhases;
use drivelab_view::{Better, KeyFigure, Quantity, View};
use drivelab_workload::Seed;

pub use cells::{PathCell, PathRun, TimeShares};
pub use data_path::DataPath;
pub use findings::{PathLeftOut, PathsFindings};
pub use notices::rounded_lengths;
pub use plan::{Cell, FileWrites, PathsPlan, REQUEST};
pub use processors::{ProcessorShares, ProcessorUse, Window, Windows};
pub use settings::{FileLocation, PathsSettings};
pub use work::WrittenCell;

use crate::{
    Comparison, Outline, PlanError, PlannedTime, ResultKind, StandstillRule, StoredResult, Test, TestNeeds,
    TestRules,
};

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Paths;

impl ResultKind for Paths {
    const NAME: &'static str = "paths";
    const WORDS: &'static str = "comparison of paths";
    const VERSION: u32 = 3;
    const STANDSTILLS: StandstillRule = StandstillRule::Include;
    type Settings = PathsSettings;
    type Findings = PathsFindings;

    fn key_figures(kept: &StoredResult<Paths>) -> Vec<KeyFigure> {
        let found = &kept.findings;
        let Some(longest) = found.file_lengths().into_iter().max() else { return Vec::new() };
        let rate = |path: DataPath| {
            let rate = found.cell(path, longest)?.rate_mb_s;
            let name = format!("Writing by {}", path.word());
            let value = rate.value(Quantity::BytesPerSecond, 1e6);
            (rate.runs > 0).then_some(KeyFigure::of_value(name, value, Better::High))
        };
        found.paths().into_iter().filter_map(rate).collect()
    }

    fn view(compared: &Comparison<'_, Paths>) -> View {
        view::view(compared)
    }
}

/// What is known of the target before it is claimed.
#[derive(Clone, Debug)]
pub struct PathsInput {
    /// The paths by which it may be reached.
    pub paths: Vec<DataPath>,
    /// The directory that is named besides a drive; none where none is named.
    pub directory: Option<FileDirectory>,
}

/// A directory in which the file-system paths have their files.
#[derive(Clone, Debug)]
pub struct FileDirectory {
    /// Where it is.
    pub path: PathBuf,
    /// The room in it.
    pub room: ByteCount,
}

impl Test for Paths {
    type Plan = PathsPlan;
    type Input = PathsInput;

    const RULES: TestRules = TestRules { takes_directories: true, ..TestRules::USUAL };

    fn needs(_: &PathsSettings, _: &PathsInput) -> TestNeeds {
        TestNeeds::new(true, MeasuredPhases::Every)
    }

    fn comparable(settings: PathsSettings, geometry: Geometry) -> PathsSettings {
        settings.on_capacity(geometry.capacity)
    }

    fn plan(
        settings: &PathsSettings,
        input: &PathsInput,
        geometry: Geometry,
        seed: Seed,
    ) -> Result<PathsPlan, PlanError> {
        let plan = PathsPlan::new(settings, &geometry, input.paths.clone(), seed)?;
        if let Some(directory) = &input.directory {
            plan.check_directory(directory.room)?;
        }
        Ok(plan)
    }

    fn outline(plan: &PathsPlan) -> Outline {
        let words: Vec<&str> = plan.paths.iter().map(|path| path.word()).collect();
        let made_anew = match plan.files {
            FileLocation::NewExt4 => ", on an ext4 made anew for each cell of the first two",
            FileLocation::Target | FileLocation::Directory => "",
        };
        let sentence = format!("{} cells by {}{made_anew}", plan.cells().len(), words.join(", "));
        let time = PlannedTime { unpaced: plan.all_bytes(), ..PlannedTime::default() };
        Outline { sentences: vec![sentence], written: Some(plan.all_bytes()), time: Some(time) }
    }
}
