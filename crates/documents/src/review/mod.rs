//! A review of drives: a plan of tests (TOML), and `review.json`, which says what of it is done. How a step is run is not known
//! here.

mod plan;
mod record;
mod shipped;
mod test;

pub use plan::{OptionValue, PlanStep, ReviewPlan};
pub use record::{
    EndedStep, REVIEW_SCHEMA, ReviewMeter, ReviewRecord, ReviewedTarget, StepRecord, folder_of,
    is_review_folder,
};
pub use shipped::ShippedPlan;
pub use test::ReviewTest;

/// The one of these names that is most like a word; none where none is like it.
pub fn most_alike<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let likeness = |name: &'a str| (strsim::jaro_winkler(word, name), name);
    let best = names.into_iter().map(likeness).max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(likeness, _)| *likeness > LIKENESS_MIN).map(|(_, name)| name)
}

/// The likeness by Jaro and Winkler above which a word is taken for a name that was mistyped.
const LIKENESS_MIN: f64 = 0.8;
