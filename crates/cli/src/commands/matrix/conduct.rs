//! Every cell of a matrix that is not there yet, each kept at once.

use drivelab_block::ByteCount;
use drivelab_kinds::matrix::{Matrix, MatrixFindings, MatrixPlan, MeasuredMatrix, PlannedCell, cell_name};
use drivelab_record::Severity;
use drivelab_runner::{CellLine, ENERGY_FILE, Ending, Failure, UnrecordedRun, UnrecordedStart, output};

use super::cells::{CellOutcome, MatrixCells};
use super::planned::PlannedMatrix;
use super::{MatrixJob, said};

/// Cells that fail one after the other before the run is given up: nothing is left that works.
const FAILURES_MAX: u32 = 10;

/// A matrix under way.
struct Conducting<'a> {
    job: &'a MatrixJob<'a>,
    planned: &'a PlannedMatrix,
    steps: &'a [PlannedCell],
    cells: MatrixCells,
    run: UnrecordedRun<'a, Matrix>,
}

/// Runs every cell that is not there yet, and shows what there is in the end.
pub fn conduct<'a>(
    job: &'a MatrixJob<'a>,
    planned: &'a PlannedMatrix,
    plan: &MatrixPlan,
    (start, notices): (UnrecordedStart<'a, Matrix>, Vec<String>),
    measure: impl FnMut(&PlannedCell) -> Result<Option<CellOutcome>, Failure>,
) -> Result<Ending, Failure> {
    let steps = plan.steps();
    let (run, cells) = match (&job.resumed, job.folder) {
        (Some(_), Some(folder)) => {
            let cells = MatrixCells::resume(folder, &steps)?;
            (UnrecordedRun::resume(start, folder)?, cells)
        }
        (_, folder) => {
            let run = UnrecordedRun::begin(start)?;
            folder.map_or(Ok(()), |folder| planned.begun.keep(folder))?;
            (run, MatrixCells::begin(folder)?)
        }
    };
    let mut conducting = Conducting { job, planned, steps: &steps, cells, run };
    notices.into_iter().for_each(|text| conducting.run.notice(Severity::Note, text));
    conducting.carry_out(measure)
}

impl Conducting<'_> {
    fn carry_out(
        mut self,
        measure: impl FnMut(&PlannedCell) -> Result<Option<CellOutcome>, Failure>,
    ) -> Result<Ending, Failure> {
        let left: Vec<&PlannedCell> = self.steps.iter().filter(|step| !self.cells.has(step)).collect();
        self.say_first(&left);
        let ended = self.measure_all(&left, measure);
        // What is there is kept and shown whatever went wrong.
        let kept = self.say_last();
        self.run.finish(ended.and(kept))
    }

    fn measure_all(
        &mut self,
        left: &[&PlannedCell],
        mut measure: impl FnMut(&PlannedCell) -> Result<Option<CellOutcome>, Failure>,
    ) -> Result<(), Failure> {
        self.keep()?;
        let (cells, parent) = (self.steps.len(), self.job.destination().parent);
        let mut line = CellLine::new(&self.job.target, cells, cells - left.len(), parent);
        let mut failures = 0;
        let ended = left.iter().try_for_each(|step| {
            if self.run.is_interrupted() {
                return Ok(());
            }
            line.show(cell_name(&step.cell));
            let Some(outcome) = measure(step)? else { return Ok(()) };
            failures = if outcome.is_err() { failures + 1 } else { 0 };
            let why = outcome.as_ref().err().cloned();
            self.cells.add(step, outcome)?;
            self.keep()?;
            match why {
                Some(why) if failures == FAILURES_MAX => {
                    let text = format!("{failures} cells failed one after the other, the last one: {why}");
                    let is_drive = self.run.has_failed_ios();
                    Err(if is_drive { Failure::DriveFailed(text) } else { Failure::Environment(text) })
                }
                _ => Ok(()),
            }
        });
        line.clear();
        ended
    }

    /// Keeps what was found so far.
    fn keep(&mut self) -> Result<(), Failure> {
        let runs = self.cells.runs();
        self.run.found(MatrixFindings::from_measured(MeasuredMatrix {
            planned: self.steps.len() as u64,
            left_out: &self.planned.begun.left_out,
            runs: &runs,
            failed: self.cells.failed(),
        }))
    }

    /// What has to be known before the first cell.
    fn say_first(&mut self, left: &[&PlannedCell]) {
        let settings = &self.planned.settings;
        let (all, there) = (self.steps.len(), self.steps.len() - left.len());
        said::notices_of_plan(self.planned)
            .into_iter()
            .for_each(|text| self.run.notice(Severity::Note, text));
        if self.job.resumed.is_some() {
            output::say(format_args!("drivelab: {there} of {all} cells are there"));
        }
        if self.job.resumed.is_some() && there > 0 && settings.file_system_bytes.is_some() {
            let text = "The conditions are those of the last start; earlier cells may have had others.";
            self.run.notice(Severity::Note, text);
            if let Some(text) = self.energy_notice((left.len(), all)) {
                self.run.notice(Severity::Note, text);
            }
        }
        let prepared = said::prepared(settings, left.iter().copied());
        if prepared > ByteCount::new(0) {
            output::say(format_args!(
                "drivelab: {prepared} of files to work on are written before the measurements, in addition to what mkfs writes"
            ));
        }
    }

    /// What has to be known of the energy of a run that was taken up again, with so many measurements left of all.
    fn energy_notice(&self, (left, all): (usize, usize)) -> Option<String> {
        if self.job.args.meter.meter.is_some() {
            return Some(format!("The energy is of the last start alone, of {left} of {all} measurements."));
        }
        let earlier = self.job.folder?.join(format!("{}-1.json", ENERGY_FILE.trim_end_matches(".json")));
        earlier.is_file().then(|| {
            format!("The last start was not metered: what an earlier one took is in {}.", earlier.display())
        })
    }

    /// What has to be known after the last cell.
    fn say_last(&mut self) -> Result<(), Failure> {
        if let Some(text) = said::notice_of_split(&self.planned.settings, &self.cells) {
            self.run.notice(Severity::Warning, text);
        }
        for (cell, run, why) in self.cells.failed() {
            output::say(format_args!("{}, run {}, failed: {why}", cell_name(cell), run + 1));
            self.run.notice(Severity::Failure, format!("Measurements failed: {why}."));
        }
        if self.run.is_interrupted() {
            let text = format!(
                "{} of {} measurements were made.{}",
                self.cells.runs().len(),
                self.steps.len(),
                self.job.folder.map_or_else(String::new, |folder| format!(
                    " `drivelab matrix {} --resume {}` goes on, with the target confirmed again.",
                    self.job.target,
                    folder.display()
                ))
            );
            output::say(&text);
            self.run.notice(Severity::Warning, text);
        }
        self.keep()
    }
}
