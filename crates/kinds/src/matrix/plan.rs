//! A matrix of file systems, schedulers, ways of caching, threads and work before it is carried out: which cells, in which order,
//! how often, and the plan in words.

use drivelab_block::{ByteCount, Caching, Geometry, Nanos, SMALL_FILE, Work};
use drivelab_documents::MeasuredPhases;
use drivelab_stats::{LEAST_BLOCKS, MatrixCell, Position};
use drivelab_view::format::things;
use drivelab_workload::Seed;

use super::{Matrix, MatrixInput, MatrixProgress, MatrixSettings, PlannedCell};
use crate::{Outline, PlanError, PlanResult, PlannedTime, Test, TestNeeds};

/// The most threads of a cell.
pub const THREADS_MAX: u16 = 1_024;

/// The cells of a matrix in their order.
#[derive(Clone, Debug)]
pub struct MatrixSteps {
    /// What is asked.
    pub settings: MatrixSettings,
    /// What is asked besides.
    pub input: MatrixInput,
    /// What earlier starts of the program have measured.
    pub earlier: MatrixProgress,
    /// The seed of the order of cells.
    seed: Seed,
}

impl MatrixSteps {
    /// All cells in their order.
    pub fn steps(&self) -> Vec<PlannedCell> {
        self.settings.steps(self.seed)
    }
}

impl Test for Matrix {
    type Plan = MatrixSteps;
    type Input = MatrixInput;

    fn needs(_: &MatrixSettings, _: &MatrixInput) -> TestNeeds {
        TestNeeds::new(true, MeasuredPhases::Every)
    }

    fn plan(settings: &MatrixSettings, input: &MatrixInput, _: Geometry, seed: Seed) -> PlanResult<Self> {
        settings.check()?;
        Ok(MatrixSteps {
            settings: settings.clone(),
            input: input.clone(),
            earlier: MatrixProgress::default(),
            seed,
        })
    }

    fn outline(matrix: &MatrixSteps) -> Outline {
        let (settings, steps, each) = (&matrix.settings, matrix.steps(), matrix.settings.cell_duration());
        let count = steps.len() as u64;
        let timed = Nanos::new(each.get().saturating_mul(count));
        let mut sentences = vec![format!(
            "{}, {} of each and a control before and after each block: {} of {each}, {:.0} s in all",
            things(settings.cells().len() as u64, "cell"),
            things(settings.runs.into(), "run"),
            things(count, "measurement"),
            timed.as_secs_f64()
        )];
        let written = prepared(settings, &steps);
        if let Some(size) = settings.file_system_bytes {
            let (size, bytes) = (ByteCount::new(size), ByteCount::new(settings.working_set_bytes));
            let names: Vec<&str> = settings.file_systems.iter().map(|fs| fs.word()).collect();
            sentences.push(format!(
                "a file system of {size} ({}) with files of {bytes} is made for each, which takes its own time; {written} of \
                 files to work on are written before the measurements, in addition to what mkfs writes",
                names.join(", ")
            ));
        }
        sentences
            .extend(matrix.input.left_out.iter().map(|one| format!("{} left out: {}", one.what, one.why)));
        let time = PlannedTime { timed, unpaced: written, ..PlannedTime::default() };
        Outline { sentences, written: None, time: Some(time) }
    }
}

/// What a reader has to know of any matrix: what was left out, and what so few runs do not show.
pub fn notices_of_plan(steps: &MatrixSteps) -> Vec<String> {
    let left_out = steps.input.left_out.iter();
    let mut found: Vec<String> =
        left_out.map(|one| format!("{} is left out: {}.", one.what, one.why)).collect();
    if usize::from(steps.settings.runs) < LEAST_BLOCKS {
        found.push(format!("Differences between cells are shown from {LEAST_BLOCKS} runs on: add --runs."));
    }
    found
}

/// What is written to a drive to have files to work on before these measurements; none on a simulated one.
pub fn prepared<'a>(
    settings: &MatrixSettings,
    steps: impl IntoIterator<Item = &'a PlannedCell>,
) -> ByteCount {
    let Some(files) = settings.files else { return ByteCount::new(0) };
    let of = |step: &PlannedCell| match step.cell.work {
        Work::SeqWrite | Work::Create => 0,
        Work::Stat | Work::Delete => files.saturating_mul(SMALL_FILE.get()),
        Work::SeqRead | Work::RandomRead | Work::RandomWrite | Work::Rewrite => settings.working_set_bytes,
    };
    ByteCount::new(steps.into_iter().map(of).fold(0, u64::saturating_add))
}

impl MatrixSettings {
    /// Checks what is asked.
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
            ("--caching", words(&self.caching, |caching| caching.word().to_owned())),
            ("--threads", words(&self.threads, u16::to_string)),
            ("--work", words(&self.work, |work| work.word().to_owned())),
        ];
        for (flag, words) in axes {
            let twice = words.iter().enumerate().find(|(index, word)| words[..*index].contains(word));
            if let Some((_, word)) = twice {
                return Err(PlanError(format!("{flag}: {word} is named twice; leave one out")));
            }
        }
        if self.cells().is_empty() {
            return Err(PlanError(
                "nothing is left to be measured: create, stat and delete are buffered work, and a simulated drive takes --work \
                 seq-read, seq-write, random-read and random-write alone".to_owned(),
            ));
        }
        Ok(())
    }

    /// Every cell once, in the order in which the axes were given. Small files go through the page cache: for them there are
    /// no direct cells.
    fn cells(&self) -> Vec<MatrixCell> {
        let mut cells = Vec::new();
        for work in &self.work {
            for caching in optional(&self.caching) {
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
    fn steps(&self, seed: Seed) -> Vec<PlannedCell> {
        let cells = self.cells();
        let Some(control) = cells.first() else { return Vec::new() };
        let mut steps = Vec::new();
        for run in 0..self.runs {
            let mut block: Vec<&MatrixCell> = cells.iter().collect();
            seed.child("order of cells").numbered(u64::from(run)).draw().shuffle(&mut block);
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
    use drivelab_block::FileSystem;

    fn asked() -> MatrixSettings {
        MatrixSettings {
            file_systems: vec![FileSystem::Ext4, FileSystem::Xfs],
            schedulers: vec!["none".to_owned(), "bfq".to_owned()],
            caching: Caching::ALL.to_vec(),
            threads: vec![1, 2, 4],
            work: vec![Work::SeqRead, Work::Create],
            runs: 3,
            cell_duration_ns: 1_000_000_000,
            file_system_bytes: None,
            working_set_bytes: 1 << 30,
            block_size_bytes: 1 << 20,
            files: None,
        }
    }

    #[test]
    fn every_block_has_every_cell_once_in_another_order_between_two_controls() {
        let asked = asked();
        // Two file systems, two schedulers, three numbers of threads; direct and buffered, of small files only the latter.
        let cells = asked.cells();
        assert_eq!(cells.len(), 2 * 2 * 3 * 3);
        let (steps, mut orders) = (asked.steps(Seed::new(1)), Vec::new());
        assert_eq!(steps, asked.steps(Seed::new(1)));
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
        let wrong = |change: fn(&mut MatrixSettings)| {
            let mut asked = asked();
            change(&mut asked);
            asked.check().expect_err("wrong").to_string()
        };
        assert_eq!(asked().check(), Ok(()));
        assert!(wrong(|asked| asked.runs = 0).contains("--runs"));
        assert!(wrong(|asked| asked.threads.push(0)).contains("--threads"));
        assert!(wrong(|asked| asked.work.push(Work::SeqRead)).contains("--work: seq-read is named twice"));
        let nothing = |asked: &mut MatrixSettings| {
            (asked.caching, asked.work) = (vec![Caching::Direct], vec![Work::Stat]);
        };
        assert!(wrong(nothing).contains("--work"));
    }
}
