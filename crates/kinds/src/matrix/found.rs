//! What of a matrix was measured so far, and the findings from that.

use std::collections::{BTreeMap, BTreeSet};

use drivelab_block::Nanos;
use drivelab_stats::{ComparedCells, MatrixRun, MatrixSummary, Position, compare, drift};

use super::findings::{
    CellFindings, CellLatency, CellRun, ControlFindings, FailedCell, MatrixFindings, RateUnit,
};
use super::{MatrixInput, PlannedCell};
use crate::MeanOverRuns;

fn control(runs: &[MatrixRun]) -> Option<ControlFindings> {
    let control = runs.iter().find(|run| run.position != Position::Within)?;
    let found = drift(runs)?;
    Some(ControlFindings {
        cell: control.cell.clone(),
        blocks: found.blocks,
        ratio: found.ratio,
        interval: found.interval,
        drifts: found.p.map(|p| p < 0.05),
    })
}

fn cell(summary: &MatrixSummary, runs: Vec<CellRun>) -> CellFindings {
    let cell = &summary.cell;
    let unit = RateUnit::from_work(cell.work);
    let (_, scale) = unit.quantity();
    let latency = summary.latency.zip(summary.p50).zip(summary.p99);
    CellFindings {
        cell: cell.clone(),
        unit,
        rate: MeanOverRuns::from((summary.rate, scale)),
        latency_ns: latency.map(|((mean, p50), p99)| CellLatency {
            mean: MeanOverRuns::from((mean, 1.0)),
            p50: p50.mean,
            p99: p99.mean,
        }),
        runs,
    }
}

/// What came of a cell: its figures, or why there are none.
pub type CellOutcome = Result<MatrixRun, String>;

/// What of a matrix was measured so far, by this start of the program and by earlier ones.
#[derive(Clone, Debug, Default)]
pub struct MatrixProgress {
    runs: Vec<MatrixRun>,
    pub(super) failed: Vec<FailedCell>,
    /// Which start of the program this is: 0, and one more with each that went on.
    start: u64,
    /// Which start of the program measured the run at each place.
    starts: BTreeMap<u64, u64>,
}

impl MatrixProgress {
    /// What earlier starts of the program have measured of these steps; none where their findings are of other steps. What failed
    /// is tried again.
    pub fn from_findings(found: &MatrixFindings, steps: &[PlannedCell]) -> Option<MatrixProgress> {
        let mut earlier = MatrixProgress::default();
        let cells = found.cells.iter().flat_map(|found| found.runs.iter().map(|run| (&found.cell, run)));
        let control = &steps.first()?.cell;
        let controls = found.controls.iter().map(|run| (control, run));
        for (cell, run) in cells.chain(controls) {
            let step = steps.get(usize::try_from(run.place).ok()?)?;
            if step.cell != *cell || earlier.has(step) {
                return None;
            }
            earlier.start = earlier.start.max(run.start.checked_add(1)?);
            earlier.starts.insert(run.place, run.start);
            earlier.runs.push(MatrixRun {
                operations: run.operations,
                bytes: run.bytes,
                elapsed: Nanos::new(run.elapsed_ns),
                latency: run.latency_ns,
                ..step.unmeasured()
            });
        }
        // An earlier version kept no runs of the control; what was taken out by hand is missed as well.
        (earlier.runs.len() as u64 == found.measured).then_some(earlier)
    }

    /// Adds what came of a step.
    pub fn add(&mut self, step: &PlannedCell, outcome: CellOutcome) {
        match outcome {
            Ok(run) => {
                self.starts.insert(run.place, self.start);
                self.runs.push(run);
            }
            Err(why) => self.failed.push(FailedCell { cell: step.cell.clone(), run: step.run, why }),
        }
    }

    /// Whether a step was measured.
    pub fn has(&self, step: &PlannedCell) -> bool {
        self.starts.contains_key(&step.place)
    }

    /// How many steps were measured.
    pub fn count(&self) -> usize {
        self.runs.len()
    }

    /// The findings so far, of this many steps, controls included.
    pub fn findings(&self, planned: usize, input: &MatrixInput) -> MatrixFindings {
        let mut runs = self.runs.clone();
        runs.sort_by_key(|run| run.place);
        let ComparedCells { cells, comparisons, leaders } = compare(&runs);
        let runs_of = |is_wanted: &dyn Fn(&MatrixRun) -> bool| -> Vec<CellRun> {
            runs.iter().filter(|run| is_wanted(run)).map(|run| self.cell_run(run)).collect()
        };
        let within = |summary: &MatrixSummary| {
            runs_of(&|run| run.position == Position::Within && run.cell == summary.cell)
        };
        MatrixFindings {
            planned: planned as u64,
            measured: runs.len() as u64,
            begun_on: input.begun_on.clone(),
            left_out: input.left_out.clone(),
            failed: self.failed.clone(),
            control: control(&runs),
            controls: runs_of(&|run| run.position != Position::Within),
            cells: cells.iter().map(|summary| cell(summary, within(summary))).collect(),
            comparisons,
            leaders,
        }
    }

    /// The runs whose cells were not all measured in one start of the program, counted from 0.
    pub fn split_runs(&self) -> BTreeSet<u16> {
        let begun = self.runs.iter().map(|run| (run.run, self.starts.get(&run.place)));
        let begun: Vec<_> = begun.collect::<BTreeSet<_>>().into_iter().collect();
        begun.windows(2).filter(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].0).collect()
    }

    fn cell_run(&self, run: &MatrixRun) -> CellRun {
        let (_, scale) = RateUnit::from_work(run.cell.work).quantity();
        CellRun {
            run: run.run,
            place: run.place,
            start: self.starts.get(&run.place).copied().unwrap_or_default(),
            rate: run.rate() / scale,
            operations: run.operations,
            bytes: run.bytes,
            elapsed_ns: run.elapsed.get(),
            latency_ns: run.latency,
        }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::Work;
    use drivelab_stats::MatrixCell;

    use super::*;

    fn step(place: u64, run: u16, position: Position) -> PlannedCell {
        let cell = MatrixCell { work: Work::SeqRead, caching: None, scheduler: None, threads: 1, fs: None };
        PlannedCell { place, run, position, cell }
    }

    #[test]
    fn what_the_findings_keep_goes_on_and_a_run_of_two_starts_is_named() {
        let positions = [Position::First, Position::Within, Position::Last];
        let step_at = |place: u16| step(place.into(), place / 3, positions[usize::from(place % 3)]);
        let steps: Vec<PlannedCell> = (0..6).map(step_at).collect();
        let outcome = |step: &PlannedCell| {
            let elapsed = Nanos::from_millis(10 + step.place);
            Ok(MatrixRun { operations: 7, bytes: 4096, elapsed, ..step.unmeasured() })
        };
        let mut first = MatrixProgress::default();
        steps[..4].iter().for_each(|step| first.add(step, outcome(step)));
        first.add(&steps[4], Err("the drive was busy".to_owned()));
        let kept = first.findings(steps.len(), &MatrixInput::default());
        let mut next = MatrixProgress::from_findings(&kept, &steps).expect("the same steps");
        let measured: Vec<bool> = steps.iter().map(|step| next.has(step)).collect();
        assert_eq!(measured, [true, true, true, true, false, false], "what failed is tried again");
        let again = next.findings(steps.len(), &MatrixInput::default());
        assert_eq!(again, MatrixFindings { failed: Vec::new(), ..kept.clone() });
        steps[4..].iter().for_each(|step| next.add(step, outcome(step)));
        assert_eq!(next.split_runs(), BTreeSet::from([1]));
        let whole = next.findings(steps.len(), &MatrixInput::default());
        assert_eq!(whole.controls.iter().map(|run| run.start).collect::<Vec<_>>(), [0, 0, 0, 1]);
        // Cells of another plan, and one that is there twice.
        let mut others = steps.clone();
        others[1].cell.threads = 2;
        assert!(MatrixProgress::from_findings(&kept, &others).is_none());
        let mut twice = kept;
        twice.controls.extend(twice.controls.clone());
        assert!(MatrixProgress::from_findings(&twice, &steps).is_none());
    }
}
