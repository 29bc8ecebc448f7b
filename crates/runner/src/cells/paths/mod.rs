//! Cells of a comparison of paths.

mod machine;
mod measure;
mod raw;
mod simulated;
mod targets;

use drivelab_documents::Notice;
use drivelab_kinds::paths::{Cell, DataPath, Paths, PathsFindings, PathsPlan, rounded_lengths};
use drivelab_method::Interrupt;
use drivelab_uring::Clock;
use drivelab_workload::Seed;

use self::measure::PathMeasure;
use self::simulated::OnSimulated;
use self::targets::{PathTargets, TargetFacts};
use super::{CellTarget, MeasurableTest, MeasureCells, OpenedCells};
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
                let known = PathTargets::simulated().known(request.target);
                let measurer = Box::new(OnSimulated::new(plan.clone(), profile, request.seed, interrupt));
                return Ok(opened(known, plan, request, measurer, None));
            }
            CellTarget::Directory(path, _) => (Clock::start(), PathTargets::of_folder(path)?),
            CellTarget::Claimed(real) => {
                let directory = request.input.directory.as_ref().map(|directory| directory.path.as_path());
                (real.clock, PathTargets::of_real(*real, directory, plan.files)?)
            }
        };
        let plan = PathsPlan { paths: targets.paths(), ..plan };
        let limit = request.safety.temperature_limit;
        let watch = targets.real.as_ref().map(|real| Watch::start(real, limit, interrupt)).transpose()?;
        let surroundings = HostMonitors {
            device: targets.device(DataPath::Raw).or_else(|| targets.device(DataPath::FileBuffered)),
            clock,
            target: watch.unwrap_or_default(),
            meter: request.meter,
        };
        let known = targets.known(request.target);
        let measurer = Box::new(PathMeasure {
            plan: plan.clone(),
            targets,
            clock,
            idle: request.settings.idle(),
            seed: Seed::new(request.seed),
        });
        Ok(opened(known, plan, request, measurer, Some(surroundings)))
    }

    fn count(plan: &PathsPlan) -> Option<CellCount> {
        Some(CellCount { all: plan.cells().len(), there: 0 })
    }

    fn cell_name(cell: &Cell) -> Option<String> {
        Some(format!("{}, files of {}", cell.path.word(), cell.file))
    }
}

fn opened<'a>(
    known: TargetFacts,
    plan: PathsPlan,
    request: &TestRequest<'_, Paths>,
    measurer: Box<dyn MeasureCells<Paths>>,
    surroundings: Option<HostMonitors<'a>>,
) -> OpenedCells<'a, Paths> {
    let findings = PathsFindings::of_plan(&plan, known.left_out);
    let findings = PathsFindings { directory: known.directory, ..findings };
    let rounded = rounded_lengths(&request.settings, &plan).map(Notice::note);
    let notices = rounded.into_iter().chain(known.notices).collect();
    OpenedCells { plan, findings, notices, measurer, surroundings }
}
