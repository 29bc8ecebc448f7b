//! What is said of a matrix: before it, and of what it cannot show.

use drivelab_block::{ByteCount, Caching, Nanos, Work};
use drivelab_kinds::matrix::{MatrixPlan, MatrixSettings, PlannedCell};
use drivelab_kinds::{Outline, PlannedTime};
use drivelab_runner::{PlannedTest, Real};
use drivelab_stats::LEAST_BLOCKS;
use drivelab_system_calls::SMALL_FILE;
use drivelab_view::format::things;

use super::cells::MatrixCells;
use super::planned::PlannedMatrix;

/// What a reader has to know of every matrix on such a drive.
pub fn notices_of_drive(settings: &MatrixSettings, real: &Real) -> Vec<String> {
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

/// What a reader has to know of any matrix: what was left out, and what so few runs do not show.
pub fn notices_of_plan(planned: &PlannedMatrix) -> Vec<String> {
    let left_out = planned.begun.left_out.iter();
    let mut found: Vec<String> =
        left_out.map(|one| format!("{} is left out: {}.", one.what, one.why)).collect();
    if usize::from(planned.settings.runs) < LEAST_BLOCKS {
        found.push(format!("Differences between cells are shown from {LEAST_BLOCKS} runs on: add --runs."));
    }
    found
}

/// What a reader has to know of runs that were cut off in the middle of a block; none on a simulated drive, which is made anew
/// for each cell.
pub fn notice_of_split(settings: &MatrixSettings, cells: &MatrixCells) -> Option<String> {
    let split: Vec<String> = cells.split_runs().iter().map(|run| (run + 1).to_string()).collect();
    (!split.is_empty() && settings.file_system_bytes.is_some()).then(|| {
        format!(
            "Run {} was cut off and taken up again: what changed on the drive or the machine in between is within it, and is \
             not kept out of the comparisons.",
            split.join(", ")
        )
    })
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

/// What would be done.
pub fn outline(planned: &PlannedMatrix, plan: &MatrixPlan) -> PlannedTest {
    let settings = &planned.settings;
    let (cells, steps) = (plan.cells().len(), plan.steps().len() as u64);
    let seconds = Nanos::new(plan.duration.get().saturating_mul(steps)).as_secs_f64();
    let mut sentences = vec![format!(
        "{}, {} of each and a control before and after each block: {} of {}, {seconds:.0} s in all",
        things(cells as u64, "cell"),
        things(settings.runs.into(), "run"),
        things(steps, "measurement"),
        plan.duration
    )];
    let written = prepared(settings, &plan.steps());
    if let Some(size) = settings.file_system_bytes {
        let (size, bytes) = (ByteCount::new(size), ByteCount::new(settings.working_set_bytes));
        let names: Vec<&str> = settings.file_systems.iter().map(|fs| fs.word()).collect();
        sentences.push(format!(
            "a file system of {size} ({}) with files of {bytes} is made for each, which takes its own time; {written} of files \
             to work on are written before the measurements, in addition to what mkfs writes",
            names.join(", ")
        ));
    }
    let left_out = planned.begun.left_out.iter();
    sentences.extend(left_out.map(|one| format!("{} left out: {}", one.what, one.why)));
    let timed = Nanos::new(plan.duration.get().saturating_mul(steps));
    let time = PlannedTime { timed, unpaced: written, ..PlannedTime::default() };
    PlannedTest::new(&planned.target, Some(Outline { sentences, written: None, time: Some(time) }))
}
