//! The steps of a review, one after the other.

use std::fs::{self, File};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use drivelab_block::Nanos;
use drivelab_documents::review::ReviewRecord;
use drivelab_method::Interrupt;
use drivelab_runner::output::long_time;
use drivelab_runner::{Ending, Failure, ParentProgress, refused, say, started_now};
use drivelab_view::format::things;

use super::planned::RehearsedSteps;
use super::{Review, page, step};

/// The exit code of a test that the user ended.
const INTERRUPTED: u8 = 130;
/// The page is made again after a step where that takes less than this share of the time since it was made.
const SHARE_OF_PAGE: u32 = 10;

/// Runs what is left of a review. A step that fails is no end of it: its reason is kept, and the next one is run.
#[expect(clippy::disallowed_methods, reason = "a page is made for a person who watches")]
pub fn all(
    review: &mut Review,
    rehearsed: &RehearsedSteps,
    lock: &File,
    interrupt: &Interrupt,
) -> Result<Ending, Failure> {
    // How long it took to make the page, and when that was.
    let mut made: Option<(Instant, Duration)> = None;
    while let Some(place) = review.record.next() {
        if interrupt.is_raised() {
            return Ok(Ending::Interrupted);
        }
        let one = review.record.steps[place].clone();
        clear(review, &one.folder)?;
        let part_of = part_of(review, place);
        let target = &review.record.targets[one.target].target;
        say!("{part_of}: {} on {target}{}", one.test, left(review, rehearsed, place));
        let parent = ParentProgress { name: part_of, shares: shares(rehearsed, place) };
        let mut ended = step::run(review, place, parent, lock, interrupt)?;
        if ended.exit_code == INTERRUPTED || interrupt.is_raised() {
            return Ok(Ending::Interrupted);
        }
        let lost = page::lost_records_of(&review.folder.join(&one.folder));
        if ended.why.is_none() && lost > 0 {
            ended.why = Some(format!("{} could not be kept: is the disk full?", things(lost, "record")));
        }
        let made_ns = review.connected[one.target].file_made_ns();
        let kept_ns = &mut review.record.targets[one.target].file_made_ns;
        *kept_ns = kept_ns.or(made_ns);
        review.record.steps[place].ended = Some(ended);
        review.keep()?;
        let is_due = made.is_none_or(|(at, took)| at.elapsed() > took * SHARE_OF_PAGE);
        if review.record.next().is_some() && is_due {
            let began = Instant::now();
            page::write(&review.folder, &review.record)?;
            made = Some((Instant::now(), began.elapsed()));
        }
    }
    Ok(ending(&review.record))
}

/// How a review ends: passed where every step is done, and none has failed.
pub fn ending(record: &ReviewRecord) -> Ending {
    let any_failed =
        record.steps.iter().filter_map(|step| step.ended.as_ref()).any(|ended| ended.exit_code != 0);
    if any_failed || record.next().is_some() { Ending::CheckFailed } else { Ending::Passed }
}

/// Which of the steps it is.
fn part_of(review: &Review, place: usize) -> String {
    let meant: Vec<usize> =
        (0..review.record.steps.len()).filter(|step| review.record.steps[*step].left_out.is_none()).collect();
    let number = meant.iter().filter(|step| **step <= place).count();
    format!("step {number} of {}", meant.len())
}

/// From which share of the time of the steps that are done now to which a step goes; none where no time is known.
fn shares(rehearsed: &RehearsedSteps, place: usize) -> Option<Range<f64>> {
    let time =
        |is_meant: &dyn Fn(usize) -> bool| rehearsed.together(0, is_meant).at_assumed_rate().as_secs_f64();
    let all = time(&|_| true);
    (all > 0.0).then(|| time(&|step| step < place) / all..time(&|step| step <= place) / all)
}

/// How long the step and those after it take on real drives; nothing where none is left.
fn left(review: &Review, rehearsed: &RehearsedSteps, place: usize) -> String {
    let record = &review.record;
    let is_real = |step: usize| record.targets[record.steps[step].target].identity.is_some();
    let together = rehearsed.together(place, is_real);
    let left = together.at_assumed_rate();
    let bound = if together.time.at_most().is_some() { "at most" } else { "about" };
    let end = started_now().and_then(|now| now.at.after(left.get()));
    let ends = end.map(|end| format!(", until about {}", end.minute())).unwrap_or_default();
    if left == Nanos::ZERO {
        String::new()
    } else {
        format!(" ({bound} {} left in all{ends})", long_time(left))
    }
}

/// Removes what a step has left that was cut off: it is run again from its beginning.
fn clear(review: &Review, folder: &str) -> Result<(), Failure> {
    let path = review.folder.join(folder);
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    if is_link(&path) || path.parent().is_some_and(is_link) {
        return Err(refused!("{} is a link to another place: remove it first", path.display()));
    }
    if path.exists() {
        say!("{} was not done to its end, and is run again", path.display());
        fs::remove_dir_all(&path).map_err(|error| Failure::io(&path.display().to_string(), &error))?;
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent).map_err(|error| Failure::not_written(parent, &error))?;
    }
    Ok(())
}
