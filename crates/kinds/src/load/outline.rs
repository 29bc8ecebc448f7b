//! A load in words.

use drivelab_block::{ByteCount, ByteRange, Nanos, Op};
use drivelab_method::Pace;
use drivelab_record::Condition;
use drivelab_workload::{Arrivals, Mix};

use super::{LoadSettings, LoadVerification, PlannedLoad};
use crate::read_back::ReadBack;
use crate::{Outline, PlannedTime};

/// What a queue depth is of, behind its number.
fn of_threads(threads: u16) -> String {
    if threads == 1 { String::new() } else { format!(" for each of {threads} threads") }
}

/// What would be done.
pub(super) fn outline(planned: &PlannedLoad) -> Outline {
    let plan = &planned.load;
    let ByteRange { start, end } = plan.range;
    let range = ByteCount::new(end.get().saturating_sub(start.get()));
    let sentence = format!(
        "{} of {} bytes over {range}, {} in flight{}",
        plan.name,
        plan.block_size.get(),
        plan.queue_depth,
        of_threads(plan.workers)
    );
    let writes = !matches!(plan.mix, Mix::Only(Op::Read | Op::Flush | Op::Discard));
    let written = if writes {
        plan.stop.bytes.filter(|_| plan.mix == Mix::Only(Op::Write))
    } else {
        Some(ByteCount::new(0))
    };
    let is_read_back =
        planned.verified.as_ref().is_some_and(|verified| verified.asked.read_back != ReadBack::No);
    let timed = |duration: Nanos| {
        let read_back = if is_read_back { duration } else { Nanos::ZERO };
        PlannedTime { read_back, ..PlannedTime::timed(duration) }
    };
    let unpaced = |bytes: ByteCount| {
        let read_back = if is_read_back { bytes.get().min(range.get()) } else { 0 };
        PlannedTime { unpaced: ByteCount::new(bytes.get() + read_back), ..PlannedTime::default() }
    };
    let time = plan.stop.duration.map(timed).or_else(|| plan.stop.bytes.map(unpaced));
    let mut sentences = vec![sentence];
    sentences
        .extend(planned.verified.as_ref().map(|verified| verification(&verified.asked, verified.every())));
    Outline { sentences, written, time }
}

/// How it is verified, in a sentence; `every` says which of the blocks of the range are used.
fn verification(asked: &LoadVerification, every: u64) -> String {
    let when = match asked.read_back {
        ReadBack::Continuous => {
            "each block that was written is read back half a range of writes later, the rest at the end"
        }
        ReadBack::End => "each block that was written is read back at the end",
        ReadBack::No => "nothing is read back before --verify-after-crash",
    };
    let flushes =
        asked.flush_every.map_or_else(String::new, |every| format!(", with a flush every {every} writes"));
    let which = match every {
        1 => String::new(),
        2 => " at every second place of the range, as it holds too many".to_owned(),
        nth => format!(" at one place in {nth} of the range, as it holds too many"),
    };
    format!("self-describing blocks{which}{flushes}: {when}")
}

/// The load as the conditions of its run have it.
pub(super) fn conditions(settings: &LoadSettings, planned: &PlannedLoad) -> Vec<Condition> {
    let plan = &planned.load;
    let line = |name: &str, value: String| Condition::new("Workload", name, value);
    let pace = match plan.pace {
        Pace::Closed => "closed loop".to_owned(),
        Pace::Open { rate, arrivals: Arrivals::Regular } => format!("open loop, {rate} IOPS, equal gaps"),
        Pace::Open { rate, arrivals: Arrivals::Poisson } => {
            format!("open loop, {rate} IOPS, exponential gaps (Poisson)")
        }
    };
    let (start, end) = (plan.range.start.get(), plan.range.end.get());
    let mut lines = vec![
        line("I/Os", format!("{}, {} bytes each", settings.operation, plan.block_size.get())),
        line("In flight", format!("{}{}", plan.queue_depth, of_threads(plan.workers))),
        line("Timing", pace),
        line("Range", format!("bytes {start} to {end}")),
    ];
    lines.extend(plan.stop.duration.map(|time: Nanos| line("Duration", format!("{} s", time.as_secs_f64()))));
    lines.extend(plan.stop.bytes.map(|bytes| line("Amount", format!("{} bytes", bytes.get()))));
    match &planned.verified {
        Some(verified) => lines.push(line("Data", verification(&verified.asked, verified.every()))),
        None => {
            lines.push(line("Data", format!("random, {} % compressible", settings.compressibility_percent)));
        }
    }
    lines
}
