//! What is said of a matrix before it.

use drivelab_block::{ByteCount, Nanos, SMALL_FILE, Work};
use drivelab_stats::LEAST_BLOCKS;
use drivelab_view::format::things;

use super::{MatrixSettings, MatrixSteps, PlannedCell};
use crate::{Outline, PlannedTime};

/// What a reader has to know of any matrix: what was left out, and what so few runs do not show.
pub fn notices_of_plan(steps: &MatrixSteps) -> Vec<String> {
    let left_out = steps.left_out.iter();
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

/// What would be done.
pub(super) fn outline(matrix: &MatrixSteps) -> Outline {
    let MatrixSteps { settings, plan, left_out, .. } = matrix;
    let (cells, steps) = (plan.cells().len(), plan.steps());
    let count = steps.len() as u64;
    let timed = Nanos::new(plan.duration.get().saturating_mul(count));
    let mut sentences = vec![format!(
        "{}, {} of each and a control before and after each block: {} of {}, {:.0} s in all",
        things(cells as u64, "cell"),
        things(settings.runs.into(), "run"),
        things(count, "measurement"),
        plan.duration,
        timed.as_secs_f64()
    )];
    let written = prepared(settings, &steps);
    if let Some(size) = settings.file_system_bytes {
        let (size, bytes) = (ByteCount::new(size), ByteCount::new(settings.working_set_bytes));
        let names: Vec<&str> = settings.file_systems.iter().map(|fs| fs.word()).collect();
        sentences.push(format!(
            "a file system of {size} ({}) with files of {bytes} is made for each, which takes its own time; {written} of files \
             to work on are written before the measurements, in addition to what mkfs writes",
            names.join(", ")
        ));
    }
    sentences.extend(left_out.iter().map(|one| format!("{} left out: {}", one.what, one.why)));
    let time = PlannedTime { timed, unpaced: written, ..PlannedTime::default() };
    Outline { sentences, written: None, time: Some(time) }
}
