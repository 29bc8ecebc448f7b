//! Cells of a comparison of paths.

mod machine;
mod measure;
mod raw;
mod simulated;
mod targets;

use drivelab_documents::Notice;
use drivelab_kinds::paths::{Cell, DataPath, Paths, PathsFindings, PathsPlan, REQUEST, rounded_lengths};
use drivelab_method::Interrupt;
use drivelab_uring::Clock;
use drivelab_workload::Seed;

use self::measure::PathMeasure;
use self::simulated::OnSimulated;
use self::targets::PathTargets;
use super::{CellTarget, MeasurableTest, OpenedCells};
use crate::cell_line::CellCount;
use crate::{Failure, HostMonitors, TestRequest, Watch};

impl MeasurableTest for Paths {
    fn open<'a>(
        target: CellTarget<'a>,
        plan: PathsPlan,
        request: &TestRequest<'a, Paths>,
        interrupt: &Interrupt,
    ) -> Result<OpenedCells<'a, Paths>, Failure> {
        let (clock, targets) = match target {
            CellTarget::Simulated(profile) => {
                let (findings, notices) = known(&PathTargets::simulated(), &plan, request);
                let measurer = Box::new(OnSimulated::new(plan.clone(), profile, request.seed, interrupt));
                return Ok(OpenedCells { plan, findings, notices, measurer, surroundings: None });
            }
            CellTarget::Directory(path, _) => (Clock::start(), PathTargets::of_folder(path)?),
            CellTarget::Claimed(real) => {
                let directory = request.input.directory.as_ref().map(|directory| directory.path.as_path());
                (real.clock, PathTargets::of_real(*real, directory, plan.files)?)
            }
        };
        let plan = PathsPlan { paths: targets.paths(), ..plan };
        let limit = request.safety.temperature_limit();
        let watch = targets.real.as_ref().map(|real| Watch::start(real, limit, interrupt)).transpose()?;
        let surroundings = HostMonitors {
            device: targets.device(DataPath::Raw).or_else(|| targets.device(DataPath::FileBuffered)),
            clock,
            target: watch.unwrap_or_default(),
            meter: request.meter,
        };
        let (findings, notices) = known(&targets, &plan, request);
        let measurer = Box::new(PathMeasure {
            plan: plan.clone(),
            targets,
            clock,
            idle: request.settings.idle(),
            seed: Seed::new(request.seed),
        });
        Ok(OpenedCells { plan, findings, notices, measurer, surroundings: Some(surroundings) })
    }

    fn count(plan: &PathsPlan) -> Option<CellCount> {
        Some(CellCount { all: plan.cells().len(), there: 0 })
    }

    fn cell_name(cell: &Cell) -> Option<String> {
        Some(format!("{}, files of {}", cell.path.word(), cell.file))
    }
}

/// What is known before the first cell, and what the reader of the result has to know.
fn known(
    targets: &PathTargets,
    plan: &PathsPlan,
    request: &TestRequest<'_, Paths>,
) -> (PathsFindings, Vec<Notice>) {
    let findings = PathsFindings {
        request_bytes: REQUEST.get(),
        directory: targets.files.as_ref().map(|files| files.parent.display().to_string()),
        paths_left_out: targets.left_out.clone(),
        cell_runs_asked: plan.cells().len() as u64,
        cells: Vec::new(),
    };
    let rounded = rounded_lengths(&request.settings, plan).map(Notice::note);
    (findings, rounded.into_iter().chain(targets.notices(request.target)).collect())
}
