//! What a review would do, as its steps say themselves.

use std::fs::File;

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::{PlanDocument, PlannedTime};
use drivelab_runner::Failure;

use super::Review;

/// A review with what its steps say of themselves.
pub struct PlannedReview {
    /// The review.
    pub review: Review,
    /// What each of its steps would do, in their order.
    pub rehearsed: RehearsedSteps,
    /// What stands against its targets, by what the user has confirmed.
    pub allowed: Result<(), Failure>,
    /// What keeps other reviews out of its folder, where that is there already.
    pub lock: Option<File>,
}

/// What a step says that it would do.
#[derive(Clone, Copy, Debug)]
pub struct StepPlan {
    /// What its time consists of; none where that is not known.
    pub time: Option<PlannedTime>,
    /// How much it would write; none where that depends on the drive.
    pub written: Option<ByteCount>,
}

impl StepPlan {
    /// A look at the drive, which takes no time and writes nothing.
    pub const LOOK: StepPlan = StepPlan {
        time: Some(PlannedTime {
            timed: Nanos::ZERO,
            unpaced: ByteCount::new(0),
            recorded: Nanos::ZERO,
            read_back: Nanos::ZERO,
        }),
        written: Some(ByteCount::new(0)),
    };

    /// Reads of a file that a test before makes.
    pub const OF_LATER_FILE: StepPlan = StepPlan { time: None, written: Some(ByteCount::new(0)) };

    /// What the runs of a step would do together.
    pub fn from_plans(plans: &[PlanDocument]) -> StepPlan {
        let time = |plan: &PlanDocument| {
            Some(PlannedTime {
                timed: Nanos::from_secs_f64(plan.timed_s?),
                unpaced: ByteCount::new(plan.unpaced_bytes?),
                recorded: Nanos::from_secs_f64(plan.recorded_s?),
                read_back: Nanos::from_secs_f64(plan.read_back_s?),
            })
        };
        let times: Option<Vec<PlannedTime>> = plans.iter().map(time).collect();
        let written: Option<Vec<u64>> = plans.iter().map(|plan| plan.written_bytes).collect();
        StepPlan {
            time: times.map(|times| times.into_iter().fold(PlannedTime::default(), std::ops::Add::add)),
            written: written.map(|written| ByteCount::new(written.iter().sum())),
        }
    }
}

/// What the steps of a review would do, in their order; none of one that is left out.
pub struct RehearsedSteps(pub Vec<Option<StepPlan>>);

/// What some steps take together.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReviewPlanTotals {
    /// How long it takes at most, as far as that is known.
    pub time: PlannedTime,
    /// Bytes that are written, as far as that is known before.
    pub written: ByteCount,
    /// Whether the time of a step is not known.
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
