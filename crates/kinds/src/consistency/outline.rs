//! A consistency test in words.

use drivelab_block::{ByteCount, ByteRange};
use drivelab_record::Condition;

use super::plan::Preparation;
use super::{ConsistencyPlan, ConsistencySettings};
use crate::{Outline, PlannedTime};

/// What would be done.
pub(super) fn outline(plan: &ConsistencyPlan) -> Outline {
    let ByteRange { start, end } = plan.written_range();
    let range = plan.written_range().length();
    let mut sentences = Vec::new();
    let purged = format!("bytes {} to {}", plan.range.start.get(), plan.range.end.get());
    sentences.extend(plan.purge.outline(&purged));
    let unpaced = match &plan.preparation {
        Preparation::None => ByteCount::new(0),
        Preparation::Fill => {
            let (start, end) = (start.get(), end.get());
            sentences.push(format!("bytes {start} to {end} ({range}) would be written in sequence"));
            range
        }
        Preparation::OnePass(pass) => {
            sentences.push(format!("{} would be written", pass.in_words()));
            pass.bytes()
        }
    };
    sentences.push(format!(
        "{} s of random writes of {} bytes over {range}, {} in flight, would follow",
        plan.duration.as_secs_f64(),
        plan.block_size.get(),
        plan.queue_depth
    ));
    let time = Some(PlannedTime { timed: plan.duration, unpaced, ..PlannedTime::default() });
    Outline { sentences, written: None, time }
}

/// The test as the conditions of its run have it.
pub(super) fn conditions(settings: &ConsistencySettings, plan: &ConsistencyPlan) -> Vec<Condition> {
    let ByteRange { start, end } = plan.written_range();
    let line = |name: &str, value: String| Condition::new("Workload", name, value);
    let (bytes, depth) = (plan.block_size.get(), plan.queue_depth);
    let (from, until) = (plan.range.start.get(), plan.range.end.get());
    let of = if settings.range.is_whole() {
        "the user capacity".to_owned()
    } else {
        format!("bytes {from} to {until}")
    };
    let pass = match &plan.preparation {
        Preparation::OnePass(pass) => Some(pass.condition()),
        Preparation::None | Preparation::Fill => None,
    };
    let mut lines = vec![
        line("Random writes", format!("{bytes} bytes, {depth} in flight, uniform, closed loop")),
        line("Duration", format!("{} s", plan.duration.as_secs_f64())),
        line("Written range", format!("bytes {} to {}", start.get(), end.get())),
        line("Extra over-provisioning", format!("{} % of {of}", plan.over_provisioning_percent)),
        line("Data", format!("random, {} % compressible", settings.compressibility_percent)),
        line(
            "Steady state",
            format!(
                "five windows of {} s, after the cliff if there is one: max - min at most 20 %, slope at most 10 % of the \
                 mean",
                settings.window_s
            ),
        ),
    ];
    lines.extend(pass);
    lines
}
