//! A matrix of file systems, schedulers, ways of caching, threads and work: which cells, in which order, how often.

use drivelab_block::{Caching, FileSystem, Nanos, Work};
use drivelab_stats::{MatrixCell, Position};
use drivelab_workload::Seed;

use crate::PlanError;

/// The most threads of a cell.
pub const THREADS_MAX: u16 = 1_024;

/// Which cells and how many runs. An axis that is empty is not there: a simulated drive has no file systems.
#[derive(Clone, Debug, PartialEq)]
pub struct MatrixPlan {
    /// The file systems.
    pub file_systems: Vec<FileSystem>,
    /// The I/O schedulers; none where it is left as it is.
    pub schedulers: Vec<String>,
    /// How far the page cache takes part.
    pub cachings: Vec<Caching>,
    /// Numbers of threads.
    pub threads: Vec<u16>,
    /// The kinds of work.
    pub works: Vec<Work>,
    /// Runs of every cell.
    pub runs: u16,
    /// How long a cell's threads begin new steps.
    pub duration: Nanos,
    /// The seed of the order of cells.
    pub seed: Seed,
}

/// A cell at its place in the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedCell {
    /// When in all, from 0.
    pub place: u64,
    /// The block of runs it belongs to, from 0.
    pub run: u16,
    /// When in the block.
    pub position: Position,
    /// What is measured.
    pub cell: MatrixCell,
}

impl MatrixPlan {
    /// Checks the plan.
    ///
    /// # Errors
    /// What is wrong with it; the message names the option that mends it.
    pub fn check(&self) -> Result<(), PlanError> {
        if !(1..=1_000).contains(&self.runs) {
            return Err(PlanError(format!("--runs {} is not between 1 and 1000", self.runs)));
        }
        if let Some(threads) = self.threads.iter().find(|threads| !(1..=THREADS_MAX).contains(*threads)) {
            return Err(PlanError(format!("--threads: {threads} is not between 1 and {THREADS_MAX}")));
        }
        let axes = [
            ("--fs", words(&self.file_systems, |fs| fs.word().to_owned())),
            ("--schedulers", self.schedulers.clone()),
            ("--caching", words(&self.cachings, |caching| caching.word().to_owned())),
            ("--threads", words(&self.threads, u16::to_string)),
            ("--work", words(&self.works, |work| work.word().to_owned())),
        ];
        for (flag, words) in axes {
            let twice = words.iter().enumerate().find(|(index, word)| words[..*index].contains(word));
            if let Some((_, word)) = twice {
                return Err(PlanError(format!("{flag}: {word} is named twice; leave one out")));
            }
        }
        if self.cells().is_empty() {
            return Err(PlanError::new(
                "nothing is left to be measured: create, stat and delete are buffered work, and a simulated drive takes --work \
                 seq-read, seq-write, random-read and random-write alone",
            ));
        }
        Ok(())
    }

    /// Every cell once, in the order in which the axes were given. Small files go through the page cache: for them there are
    /// no direct cells.
    pub fn cells(&self) -> Vec<MatrixCell> {
        let mut cells = Vec::new();
        for work in &self.works {
            for caching in optional(&self.cachings) {
                if work.is_metadata() && caching == Some(Caching::Direct) {
                    continue;
                }
                for scheduler in optional(&self.schedulers) {
                    for threads in &self.threads {
                        let cell = |fs| {
                            let (work, threads) = (*work, *threads);
                            MatrixCell { work, caching, scheduler: scheduler.clone(), threads, fs }
                        };
                        cells.extend(optional(&self.file_systems).into_iter().map(cell));
                    }
                }
            }
        }
        cells
    }

    /// Complete blocks: every run has every cell once in a random order of its own, and the first cell as a control before and
    /// after. What changes with time touches all cells alike, and the control tells how much it was.
    pub fn steps(&self) -> Vec<PlannedCell> {
        let cells = self.cells();
        let Some(control) = cells.first() else { return Vec::new() };
        let mut steps = Vec::new();
        for run in 0..self.runs {
            let mut block: Vec<&MatrixCell> = cells.iter().collect();
            self.seed.child("order of cells").numbered(u64::from(run)).draw().shuffle(&mut block);
            let within = block.into_iter().map(|cell| (Position::Within, cell));
            let all = std::iter::once((Position::First, control)).chain(within);
            for (position, cell) in all.chain(std::iter::once((Position::Last, control))) {
                steps.push(PlannedCell { place: steps.len() as u64, run, position, cell: cell.clone() });
            }
        }
        steps
    }
}

/// The values of an axis, or its one absence.
fn optional<T: Clone>(values: &[T]) -> Vec<Option<T>> {
    if values.is_empty() { vec![None] } else { values.iter().cloned().map(Some).collect() }
}

fn words<T>(values: &[T], word: impl Fn(&T) -> String) -> Vec<String> {
    values.iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan() -> MatrixPlan {
        MatrixPlan {
            file_systems: vec![FileSystem::Ext4, FileSystem::Xfs],
            schedulers: vec!["none".to_owned(), "bfq".to_owned()],
            cachings: Caching::ALL.to_vec(),
            threads: vec![1, 2, 4],
            works: vec![Work::SeqRead, Work::Create],
            runs: 3,
            duration: Nanos::from_secs(1),
            seed: Seed::new(1),
        }
    }

    #[test]
    fn every_block_has_every_cell_once_in_another_order_between_two_controls() {
        let plan = plan();
        // Two file systems, two schedulers, three numbers of threads; direct and buffered, of small files only the latter.
        let cells = plan.cells();
        assert_eq!(cells.len(), 2 * 2 * 3 * 3);
        let (steps, mut orders) = (plan.steps(), Vec::new());
        assert_eq!(steps, plan.steps());
        assert!(steps.iter().zip(0..).all(|(step, place)| step.place == place));
        for (block, run) in steps.chunks(cells.len() + 2).zip(0..) {
            assert!(block.iter().all(|step| step.run == run));
            let ends = [block.first(), block.last()].map(|step| step.expect("a control"));
            assert_eq!(ends.map(|step| step.position), [Position::First, Position::Last]);
            assert!(ends.iter().all(|step| step.cell == cells[0]));
            let order: Vec<_> = block[1..=cells.len()].iter().map(|step| step.cell.clone()).collect();
            assert!(block[1..=cells.len()].iter().all(|step| step.position == Position::Within));
            let (mut sorted, mut all) = (order.clone(), cells.clone());
            sorted.sort_unstable();
            all.sort_unstable();
            assert_eq!(sorted, all);
            assert!(!orders.contains(&order));
            orders.push(order);
        }
        assert_eq!(orders.len(), 3);
    }

    #[test]
    fn what_is_wrong_is_named_by_its_flag() {
        let wrong = |change: fn(&mut MatrixPlan)| {
            let mut plan = plan();
            change(&mut plan);
            plan.check().expect_err("wrong").to_string()
        };
        assert_eq!(plan().check(), Ok(()));
        assert!(wrong(|plan| plan.runs = 0).contains("--runs"));
        assert!(wrong(|plan| plan.threads.push(0)).contains("--threads"));
        assert!(wrong(|plan| plan.works.push(Work::SeqRead)).contains("--work: seq-read is named twice"));
        let nothing =
            |plan: &mut MatrixPlan| (plan.cachings, plan.works) = (vec![Caching::Direct], vec![Work::Stat]);
        assert!(wrong(nothing).contains("--work"));
    }
}
