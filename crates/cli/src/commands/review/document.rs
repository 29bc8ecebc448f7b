//! The document of a review's plan, which `--dry-run --json` prints.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Review;
use super::planned::RehearsedSteps;

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
pub fn make(RehearsedSteps(rehearsed): &RehearsedSteps, review: &Review) -> ReviewPlanDocument {
    let record = &review.record;
    let steps = record.steps.iter().zip(rehearsed).map(|(step, rehearsed)| {
        let time = rehearsed.and_then(|rehearsed| rehearsed.time);
        PlannedStep {
            target: record.targets[step.target].target.clone(),
            test: step.test.clone(),
            is_done: step.ended.is_some(),
            left_out: step.left_out.clone(),
            timed_s: time.map(|time| time.timed.as_secs_f64()),
            unpaced_bytes: time.map(|time| time.unpaced.get()),
            recorded_s: time.map(|time| time.recorded.as_secs_f64()),
            read_back_s: time.map(|time| time.read_back.as_secs_f64()),
            written_bytes: rehearsed
                .and_then(|rehearsed| rehearsed.written)
                .map(drivelab_block::ByteCount::get),
        }
    });
    ReviewPlanDocument {
        schema: ReviewPlanDocument::SCHEMA.to_owned(),
        plan_name: record.plan_name.clone(),
        steps: steps.collect(),
    }
}
