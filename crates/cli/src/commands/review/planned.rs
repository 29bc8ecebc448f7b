//! What a review would do, as its steps say themselves: in words, and as a document.

use std::fs::File;

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::{Outline, PlannedTime};
use drivelab_runner::output::{long_time, say};
use drivelab_runner::{Failure, PlannedTest, say};
use drivelab_view::format::percent;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Review;

/// A review with what its steps say of themselves.
pub struct PlannedReview {
    pub review: Review,
    /// What each of its steps would do, in their order.
    pub rehearsed: RehearsedSteps,
    /// What stands against its targets, by what the user has confirmed.
    pub allowed: Result<(), Failure>,
    /// What keeps other reviews out of its folder, where that is there already.
    pub lock: Option<File>,
}

/// What the steps of a review would do, in their order, without sentences; none of one that is left out.
pub struct RehearsedSteps(pub Vec<Option<Outline>>);

/// Of a look at the drive, which takes no time and writes nothing, or of reads of a file that a test before makes, whose time is
/// not known.
pub fn without_writing(time: Option<PlannedTime>) -> Outline {
    Outline { sentences: Vec::new(), written: Some(ByteCount::new(0)), time }
}

/// What the runs of a step would do together.
pub fn together(runs: &[PlannedTest]) -> Outline {
    let nothing = without_writing(Some(PlannedTime::default()));
    runs.iter().filter_map(|run| run.outline.as_ref()).fold(nothing, |all, one| Outline {
        written: all.written.zip(one.written).map(|(all, one)| all + one),
        time: all.time.zip(one.time).map(|(all, one)| all + one),
        ..all
    })
}

/// What some steps take together.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReviewPlanTotals {
    /// How long it takes at most, as far as that is known.
    pub time: PlannedTime,
    /// Bytes that are written, as far as that is known before.
    pub written: ByteCount,
    pub is_time_open: bool,
    /// Whether a step writes as much as the drive can in its time.
    pub is_written_open: bool,
}

impl RehearsedSteps {
    /// What the steps from this one on take together, as far as they are of targets that `is_meant` takes.
    pub fn together(&self, from: usize, is_meant: impl Fn(usize) -> bool) -> ReviewPlanTotals {
        let steps = self.0.iter().enumerate().skip(from).filter(|(place, _)| is_meant(*place));
        let mut together = ReviewPlanTotals::default();
        for rehearsed in steps.filter_map(|(_, step)| step.as_ref()) {
            let time = rehearsed.time.unwrap_or_default();
            together.is_time_open |= rehearsed.time.is_none();
            together.time = together.time + time;
            // What is written in a given time is not known; what is written before it is.
            together.is_written_open |= rehearsed.written.is_none();
            together.written = together.written + rehearsed.written.unwrap_or(time.unpaced);
        }
        together
    }
}

impl ReviewPlanTotals {
    /// How long it takes at most at the assumed rate.
    pub fn at_assumed_rate(&self) -> Nanos {
        self.time.at(PlannedTime::ASSUMED_RATE)
    }
}

/// Prints the steps of each target with what they take, and what all take together.
pub fn say_steps(rehearsed: &RehearsedSteps, review: &Review, rated_tbw: Option<f64>) {
    for (place, target) in review.record.targets.iter().enumerate() {
        say(&target.target);
        let own = review.record.steps.iter().enumerate().filter(|(_, step)| step.target == place);
        for (number, step) in own {
            let what = match (&step.ended, &step.left_out) {
                (Some(_), _) => "done".to_owned(),
                (None, Some(why)) => format!("left out: {why}"),
                (None, None) => in_words(&rehearsed.together(number, |one| one == number)),
            };
            say!("  {:<12} {what}", step.test);
        }
        let together = rehearsed.together(0, |step| review.record.steps[step].target == place);
        let share = rated_tbw.map(|terabytes| together.written.get() as f64 / (terabytes * 1e12));
        let bound = if together.is_written_open { "at least " } else { "" };
        let share = share.map(|share| format!(", {bound}{} of its rated endurance", percent(share)));
        say!("  {:<12} {}{}", "together", in_words(&together), share.unwrap_or_default());
    }
    if review.record.targets.len() > 1 {
        say("all");
        say!("  {:<12} {}", "together", in_words(&rehearsed.together(0, |_| true)));
    }
    if review.record.targets.iter().any(|target| target.identity.is_none()) {
        say("The times of simulated drives are simulated: here their tests take a small part of them.");
    }
}

/// How fast a drive answers on which a replay takes as long as its trace did.
const AS_RECORDED: &str = "as fast as those of the traces";

fn in_words(together: &ReviewPlanTotals) -> String {
    if together.at_assumed_rate() == Nanos::ZERO && !together.is_time_open {
        return "nothing is written".to_owned();
    }
    let time = long_time(together.at_assumed_rate());
    let open = if together.is_time_open { ", and a time that is not known before" } else { "" };
    let recorded = together.time.recorded > Nanos::ZERO;
    // How long reading back takes depends on the drive.
    let bound = if together.time.read_back > Nanos::ZERO { "about" } else { "at most" };
    let time = match (together.time.unpaced.get() > 0, recorded) {
        _ if together.at_assumed_rate() == Nanos::ZERO => "how long it takes is not known before".to_owned(),
        (true, true) => {
            format!("about {time} where the drive moves 500 MB/s and answers {AS_RECORDED}{open}")
        }
        (true, false) => {
            format!("about {time} where the drive moves 500 MB/s, and longer on a slower one{open}")
        }
        (false, true) => format!("about {time} where the drive answers {AS_RECORDED}{open}"),
        (false, false) => format!("{bound} {time}{open}"),
    };
    match (together.written.get(), together.is_written_open) {
        (0, false) => format!("{time}; nothing is written"),
        (_, false) => format!("{time}; {} are written", together.written),
        (0, true) => format!("{time}; how much is written depends on the drive"),
        (_, true) => format!("{time}; at least {} are written", together.written),
    }
}

/// The document of what a review would do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewPlanDocument {
    /// Always [`ReviewPlanDocument::SCHEMA`].
    pub schema: String,
    /// The name of the plan: short, standard, full, or the name of its file.
    pub plan_name: String,
    /// The steps, in their order.
    pub steps: Vec<PlannedStep>,
}

/// A step of the plan on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlannedStep {
    /// The target, as it was typed.
    pub target: String,
    /// The test, such as `consistency`.
    pub test: String,
    /// Whether it was done before, where the review goes on.
    pub is_done: bool,
    /// Why it is left out on this target; null where it is not.
    pub left_out: Option<String>,
    /// How long the parts of it last at most that end by the clock, in seconds; null where that is not known, or nothing is to
    /// be done.
    pub timed_s: Option<f64>,
    /// How many bytes the other parts move, as fast as the drive goes; null where that is not known, or nothing is to be done.
    pub unpaced_bytes: Option<u64>,
    /// How long the parts took when they were recorded whose requests wait for each other's answers, in seconds: a slower drive
    /// takes longer; null where that is not known, or nothing is to be done.
    pub recorded_s: Option<f64>,
    /// How long the parts last that write for a time what is read back after them, in seconds, which takes about as long again;
    /// null where that is not known, or nothing is to be done.
    pub read_back_s: Option<f64>,
    /// How many bytes would be written; null where that depends on the drive, or nothing is to be done.
    pub written_bytes: Option<u64>,
}

impl ReviewPlanDocument {
    /// The name and version of the document.
    pub const SCHEMA: &'static str = "drivelab.review-plan/1";
}

/// The document of what the steps of a review say of themselves.
pub fn document(RehearsedSteps(rehearsed): &RehearsedSteps, review: &Review) -> ReviewPlanDocument {
    let record = &review.record;
    let steps = record.steps.iter().zip(rehearsed).map(|(step, rehearsed)| {
        let time = rehearsed.as_ref().and_then(|rehearsed| rehearsed.time);
        PlannedStep {
            target: record.targets[step.target].target.clone(),
            test: step.test.clone(),
            is_done: step.ended.is_some(),
            left_out: step.left_out.clone(),
            timed_s: time.map(|time| time.timed.as_secs_f64()),
            unpaced_bytes: time.map(|time| time.unpaced.get()),
            recorded_s: time.map(|time| time.recorded.as_secs_f64()),
            read_back_s: time.map(|time| time.read_back.as_secs_f64()),
            written_bytes: rehearsed.as_ref().and_then(|rehearsed| rehearsed.written).map(ByteCount::get),
        }
    });
    ReviewPlanDocument {
        schema: ReviewPlanDocument::SCHEMA.to_owned(),
        plan_name: record.plan_name.clone(),
        steps: steps.collect(),
    }
}
