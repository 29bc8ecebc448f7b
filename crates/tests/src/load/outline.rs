//! A load in words.

use drivelab_block::{ByteCount, Nanos, Op};
use drivelab_method::{LoadPlan, Pace};
use drivelab_record::Condition;
use drivelab_workload::{Arrivals, Mix};

use super::LoadSettings;
use crate::{Outline, PlannedTime};

/// What would be done.
pub(super) fn outline(plan: &LoadPlan) -> Outline {
    let (start, end) = plan.range;
    let range = ByteCount::new(end.get().saturating_sub(start.get()));
    let sentence = format!(
        "{} of {} bytes over {range}, {} in flight for each of {} workers",
        plan.name,
        plan.block_size.get(),
        plan.queue_depth,
        plan.workers
    );
    let writes = !matches!(plan.mix, Mix::Only(Op::Read | Op::Flush | Op::Discard));
    let written = if writes {
        plan.stop.bytes.filter(|_| plan.mix == Mix::Only(Op::Write))
    } else {
        Some(ByteCount::new(0))
    };
    let time = plan
        .stop
        .duration
        .map(PlannedTime::timed)
        .or_else(|| plan.stop.bytes.map(|unpaced| PlannedTime { unpaced, ..PlannedTime::default() }));
    Outline { sentences: vec![sentence], written, time }
}

/// The load as the conditions of its run have it.
pub(super) fn conditions(settings: &LoadSettings, plan: &LoadPlan) -> Vec<Condition> {
    let line = |name: &str, value: String| Condition::new("Workload", name, value);
    let pace = match plan.pace {
        Pace::Closed => "closed loop".to_owned(),
        Pace::Open { rate, arrivals: Arrivals::Regular } => format!("open loop, {rate} IOPS, equal gaps"),
        Pace::Open { rate, arrivals: Arrivals::Poisson } => {
            format!("open loop, {rate} IOPS, exponential gaps (Poisson)")
        }
    };
    let (start, end) = (plan.range.0.get(), plan.range.1.get());
    let mut lines = vec![
        line("I/Os", format!("{}, {} bytes each", settings.operation, plan.block_size.get())),
        line("In flight", format!("{} for each of {} threads", plan.queue_depth, plan.workers)),
        line("Timing", pace),
        line("Range", format!("bytes {start} to {end}")),
    ];
    lines.extend(plan.stop.duration.map(|time: Nanos| line("Duration", format!("{} s", time.as_secs_f64()))));
    lines.extend(plan.stop.bytes.map(|bytes| line("Amount", format!("{} bytes", bytes.get()))));
    lines.push(line("Data", format!("random, {} % compressible", settings.compressibility_percent)));
    lines
}
