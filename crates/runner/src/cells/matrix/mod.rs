//! Cells of a matrix.

mod drive;
mod simulated;
#[cfg(test)]
mod tests;

use std::path::Path;

use drivelab_block::{ByteCount, Caching, Work};
use drivelab_documents::Notice;
use drivelab_kinds::matrix::{
    CellOutcome, Matrix, MatrixProgress, MatrixSettings, MatrixSteps, PlannedCell, cell_name,
    notices_of_plan, prepared,
};
use drivelab_method::Interrupt;
use drivelab_record::RunFolder;
use drivelab_workload::Seed;

use self::drive::DriveCells;
use self::simulated::SimulatedCells;
use super::{CellTarget, MeasurableTest, MeasureCells, OpenedCells, no_directory};
use crate::cell_line::CellCount;
use crate::results::read_findings;
use crate::{
    ENERGY_FILE, Failure, HostMonitors, Real, TestRequest, UnrecordedRun, Watch, output, unwatched_simulated,
};

/// Cells that fail one after the other before the run is given up: nothing is left that works.
const FAILURES_MAX: u32 = 10;

impl MeasurableTest for Matrix {
    const GIVEN_UP: &'static str = "with -o, the folder holds every cell so far, and --resume goes on";

    fn open<'a>(
        target: CellTarget<'a>,
        mut plan: MatrixSteps,
        request: &TestRequest<'a, Matrix>,
        interrupt: &Interrupt,
    ) -> Result<OpenedCells<'a, Matrix>, Failure> {
        let (settings, seed) = (request.settings.clone(), Seed::new(request.seed));
        let limit = request.safety.temperature_limit();
        let (mut texts, measure, surroundings) = match target {
            CellTarget::Simulated(profile) => {
                let notices = unwatched_simulated(limit, profile).map(|notice| notice.text);
                let cells = SimulatedCells { profile: profile.clone(), settings, seed };
                let measure: MeasureStep =
                    Box::new(move |step, run| cells.measure(step, &run.interrupt, &mut run.served));
                (notices.into_iter().collect(), measure, None)
            }
            CellTarget::Claimed(real) => {
                let watch = Watch::start(&real, limit, interrupt)?;
                let surroundings = HostMonitors::of_real(&real, watch, request.meter);
                let texts = texts_of_drive(&settings, &real);
                let mut cells = DriveCells { settings, seed, real: Some(*real) };
                let measure: MeasureStep = Box::new(move |step, run| cells.measure(step, &run.interrupt));
                (texts, measure, Some(surroundings))
            }
            CellTarget::Directory(path, _) => return Err(no_directory(path)),
        };
        request.input.doubt.iter().for_each(output::say);
        texts.extend(request.input.doubt.clone());
        texts.extend(notices_of_plan(&plan));
        if let Some(folder) = request.destination.folder.filter(|_| request.goes_on) {
            plan.earlier = read_earlier(folder, &plan.steps())?;
            texts.extend(texts_of_earlier(&plan, request));
        }
        say_first(&plan, request.goes_on);
        let findings = plan.earlier.findings(plan.steps().len(), &plan.input);
        let notices = texts.into_iter().map(Notice::note).collect();
        let measurer = Box::new(MatrixCells { measure, failures: 0, given_up: None });
        Ok(OpenedCells { plan, findings, notices, measurer, surroundings })
    }

    fn count(plan: &MatrixSteps) -> Option<CellCount> {
        Some(CellCount { all: plan.steps().len(), there: plan.earlier.count() })
    }

    fn cell_name(step: &PlannedCell) -> Option<String> {
        Some(cell_name(&step.cell))
    }
}

/// Measures a cell on the drive; none where the user ended it.
type MeasureStep =
    Box<dyn FnMut(&PlannedCell, &mut UnrecordedRun<'_, Matrix>) -> Result<Option<CellOutcome>, Failure>>;

/// What earlier starts of the program have measured of these steps.
fn read_earlier(folder: &Path, steps: &[PlannedCell]) -> Result<MatrixProgress, Failure> {
    let (_, run) = RunFolder::open(folder)?;
    let found = read_findings::<Matrix>(folder, &run)?
        .ok_or_else(|| usage!("--resume: {} holds no findings: begin a new run", folder.display()))?;
    MatrixProgress::from_findings(&found, steps).ok_or_else(|| {
        usage!(
            "--resume: the findings in {} are damaged, or belong to another plan: begin a new run",
            folder.display()
        )
    })
}

/// Measures cells, and gives up where one after the other fails.
struct MatrixCells {
    measure: MeasureStep,
    /// How many cells failed one after the other.
    failures: u32,
    given_up: Option<Failure>,
}

impl MeasureCells<Matrix> for MatrixCells {
    fn check_target(&mut self) -> Result<(), Failure> {
        self.given_up.take().map_or(Ok(()), Err)
    }

    fn measure(
        &mut self,
        step: &PlannedCell,
        run: &mut UnrecordedRun<'_, Matrix>,
    ) -> Result<Option<CellOutcome>, Failure> {
        let Some(outcome) = (self.measure)(step, run)? else { return Ok(None) };
        self.failures = if outcome.is_err() { self.failures + 1 } else { 0 };
        if let Err(why) = &outcome {
            say!("{}, run {}, failed: {why}", cell_name(&step.cell), step.run + 1);
            if self.failures >= FAILURES_MAX {
                let count = self.failures;
                let text = format!("{count} cells failed one after the other, the last one: {why}");
                let is_of_drive = run.served.has_failed_ios();
                let failure = if is_of_drive { Failure::DriveFailed } else { Failure::Environment };
                self.given_up = Some(failure(text));
            }
        }
        Ok(Some(outcome))
    }
}

/// What has to be known before the first cell.
fn say_first(plan: &MatrixSteps, goes_on: bool) {
    let steps = plan.steps();
    if goes_on {
        say!("drivelab: {} of {} cells are there", plan.earlier.count(), steps.len());
    }
    let prepared = prepared(&plan.settings, steps.iter().filter(|step| !plan.earlier.has(step)));
    if prepared > ByteCount::new(0) {
        say!(
            "drivelab: {prepared} of files to work on are written before the measurements, in addition to what mkfs writes"
        );
    }
}

/// What a reader has to know of a run that goes on: nothing of simulated drives, which are equal each time.
fn texts_of_earlier(plan: &MatrixSteps, request: &TestRequest<'_, Matrix>) -> Vec<String> {
    if plan.earlier.count() == 0 || plan.settings.file_system_bytes.is_none() {
        return Vec::new();
    }
    let text = "The conditions are those of the last start; earlier cells may have had others.";
    let all = plan.steps().len();
    let energy = energy_text(request, all - plan.earlier.count(), all);
    std::iter::once(text.to_owned()).chain(energy).collect()
}

/// What has to be known of the energy of a run that goes on, with so many measurements left of all.
fn energy_text(request: &TestRequest<'_, Matrix>, left: usize, all: usize) -> Option<String> {
    if request.meter.meter.is_some() {
        return Some(format!("The energy is of the last start alone, of {left} of {all} measurements."));
    }
    let folder = request.destination.folder?;
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
