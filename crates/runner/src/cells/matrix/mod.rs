//! Cells of a matrix.

mod drive;
mod kept;
mod simulated;
#[cfg(test)]
mod tests;

use drivelab_block::{ByteCount, Caching, Work};
use drivelab_kinds::matrix::{
    CellOutcome, Matrix, MatrixSettings, MatrixSteps, PlannedCell, cell_name, notices_of_plan, prepared,
};
use drivelab_record::Notice;
use drivelab_workload::Seed;

use self::drive::DriveCells;
pub use self::kept::Begun;
use self::kept::KeptCells;
use self::simulated::SimulatedCells;
use super::{CellContext, CellCount, CellTarget, MeasurableTest, MeasureCells, OpenedCells, no_directory};
use crate::{ENERGY_FILE, Failure, HostMonitors, Real, Served, Watch, output, unwatched_simulated};

/// Cells that fail one after the other before the run is given up: nothing is left that works.
const FAILURES_MAX: u32 = 10;

impl MeasurableTest for Matrix {
    fn open<'a>(
        target: CellTarget<'a>,
        mut plan: MatrixSteps,
        context: &CellContext<'a, '_, Matrix>,
    ) -> Result<OpenedCells<'a, Matrix>, Failure> {
        let CellContext { request, interrupt, served, capacity } = context;
        let (settings, seed) = (request.settings.clone(), Seed::new(request.seed));
        let (limit, interrupt) = (request.safety.temperature_limit, *interrupt);
        let (mut texts, measure, surroundings) = match target {
            CellTarget::Simulated(profile) => {
                let notices = unwatched_simulated(limit, profile).map(|notice| notice.text);
                let (profile, interrupt, served) =
                    (profile.clone(), interrupt.clone(), Served::clone(served));
                let cells = SimulatedCells { profile, settings, seed, interrupt, served };
                let measure: MeasureStep = Box::new(move |step| cells.measure(step));
                (notices.into_iter().collect(), measure, None)
            }
            CellTarget::Claimed(real, _) => {
                let surroundings = HostMonitors {
                    device: Some(real.device()),
                    clock: real.clock(),
                    target: Watch::start(&real, limit, interrupt)?,
                    meter: request.meter,
                };
                let texts = texts_of_drive(&settings, &real);
                let real = Some(*real);
                let mut cells = DriveCells { settings, seed, real, interrupt: interrupt.clone() };
                let measure: MeasureStep = Box::new(move |step| cells.measure(step));
                (texts, measure, Some(surroundings))
            }
            CellTarget::Directory(path, _) => return Err(no_directory(path)),
        };
        request.input.doubt.iter().for_each(output::say);
        texts.extend(request.input.doubt.clone());
        texts.extend(notices_of_plan(&plan));
        let kept = match request.destination.folder {
            Some(folder) if request.goes_on => {
                let (kept, earlier) = KeptCells::resume(folder, &plan.steps())?;
                plan.earlier = earlier;
                texts.extend(texts_of_earlier(&plan, context));
                kept
            }
            folder => {
                let begun = Begun::new(request.input.identity.clone(), request.input.left_out.clone());
                KeptCells::new(folder, begun)
            }
        };
        say_first(&plan, request.goes_on);
        let findings = plan.earlier.findings(plan.steps().len(), &plan.left_out);
        let served = Served::clone(served);
        let measurer = Box::new(MatrixCells {
            measure,
            kept,
            failures: 0,
            last_failure: String::new(),
            served,
            capacity: *capacity,
        });
        Ok(OpenedCells {
            plan,
            findings,
            notices: texts.into_iter().map(Notice::note).collect(),
            measurer,
            surroundings,
        })
    }

    fn count(plan: &MatrixSteps) -> Option<CellCount> {
        Some(CellCount { all: plan.steps().len(), there: plan.earlier.count() })
    }

    fn cell_name(step: &PlannedCell) -> Option<String> {
        Some(cell_name(&step.cell))
    }
}

/// Measures a cell on the drive; none where the user ended it.
type MeasureStep = Box<dyn FnMut(&PlannedCell) -> Result<Option<CellOutcome>, Failure>>;

/// Measures cells, and keeps what came of each.
struct MatrixCells {
    measure: MeasureStep,
    kept: KeptCells,
    /// How many cells failed one after the other, and why the last one did.
    failures: u32,
    last_failure: String,
    served: Served,
    /// The size of the drive.
    capacity: ByteCount,
}

impl MeasureCells<Matrix> for MatrixCells {
    fn begin(&mut self) -> Result<(), Failure> {
        self.kept.begin()
    }

    fn check_target(&mut self) -> Result<(), Failure> {
        let (count, last) = (self.failures, &self.last_failure);
        if count < FAILURES_MAX {
            return Ok(());
        }
        let text = format!("{count} cells failed one after the other, the last one: {last}");
        let has_failed_ios =
            self.served.lapses(self.capacity.get()).is_some_and(|lapses| !lapses.failed.is_empty());
        Err(if has_failed_ios { Failure::DriveFailed(text) } else { Failure::Environment(text) })
    }

    fn measure(&mut self, step: &PlannedCell) -> Result<Option<CellOutcome>, Failure> {
        let Some(outcome) = (self.measure)(step)? else { return Ok(None) };
        match &outcome {
            Ok(_) => self.failures = 0,
            Err(why) => {
                output::say(format_args!("{}, run {}, failed: {why}", cell_name(&step.cell), step.run + 1));
                self.failures += 1;
                self.last_failure.clone_from(why);
            }
        }
        self.kept.add(step, &outcome)?;
        Ok(Some(outcome))
    }
}

/// What has to be known before the first cell.
fn say_first(plan: &MatrixSteps, goes_on: bool) {
    let steps = plan.steps();
    if goes_on {
        output::say(format_args!("drivelab: {} of {} cells are there", plan.earlier.count(), steps.len()));
    }
    let prepared = prepared(&plan.settings, steps.iter().filter(|step| !plan.earlier.has(step)));
    if prepared > ByteCount::new(0) {
        output::say(format_args!(
            "drivelab: {prepared} of files to work on are written before the measurements, in addition to what mkfs writes"
        ));
    }
}

/// What a reader has to know of a run that goes on: nothing of simulated drives, which are equal each time.
fn texts_of_earlier(plan: &MatrixSteps, context: &CellContext<'_, '_, Matrix>) -> Vec<String> {
    if plan.earlier.count() == 0 || plan.settings.file_system_bytes.is_none() {
        return Vec::new();
    }
    let text = "The conditions are those of the last start; earlier cells may have had others.";
    let all = plan.steps().len();
    let energy = energy_text(context, all - plan.earlier.count(), all);
    std::iter::once(text.to_owned()).chain(energy).collect()
}

/// What has to be known of the energy of a run that goes on, with so many measurements left of all.
fn energy_text(context: &CellContext<'_, '_, Matrix>, left: usize, all: usize) -> Option<String> {
    if context.request.meter.meter.is_some() {
        return Some(format!("The energy is of the last start alone, of {left} of {all} measurements."));
    }
    let folder = context.request.destination.folder?;
    let earlier = folder.join(format!("{}-1.json", ENERGY_FILE.trim_end_matches(".json")));
    earlier.is_file().then(|| {
        format!("The last start was not metered: what an earlier one took is in {}.", earlier.display())
    })
}

/// What a reader has to know of every matrix on such a drive.
fn texts_of_drive(settings: &MatrixSettings, real: &Real) -> Vec<String> {
    let mut found = real.notes.clone();
    let is = |wanted: Caching| settings.caching.contains(&wanted);
    if is(Caching::Buffered) && is(Caching::Direct) {
        let text = "Buffered cells wait for the drive's own cache (fsync); direct cells do not.";
        found.push(text.to_owned());
    }
    if is(Caching::Buffered) && settings.work.contains(&Work::RandomRead) {
        let text = format!(
            "Random buffered reads become reads of memory in the course of their cell where there is memory for its files, \
             {}.",
            ByteCount::new(settings.working_set_bytes)
        );
        found.push(text);
    }
    if real.file_is_cached() {
        let text = "The loop device writes its file through the page cache: direct cells end in memory, and no cell's files \
                    are out of it.";
        found.push(text.to_owned());
    }
    found
}
