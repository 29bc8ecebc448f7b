//! The figures of a measured phase, in words.

use drivelab_stats::{Pace, ROUNDS_NEEDED, RateDrift};
use drivelab_view::format::{bytes, count, nanos, percent, rate, seconds};
use drivelab_view::{About, Tone, Verdict};

use super::IoFindings;
use crate::kind::{MeasuredPhase, RecordedIos};
use crate::{ComparedResult, Ended, ResultKind, machine_limit};

/// The I/Os of a result that has figures, or where only whole seconds are missing; else the verdict that says why it has none.
pub(crate) fn with_figures<'c, 'a, K: ResultKind>(
    one: &'c ComparedResult<'a, K>,
) -> Result<&'c RecordedIos<'a>, Verdict> {
    let nothing = |about: About, sentence: String| {
        Err(Verdict::on(one.place, Tone::Neutral, "No figures", sentence).about(about))
    };
    let Some(ios) = one.recorded.as_ref() else {
        return nothing(About::Findings, "There are no records.".to_owned());
    };
    let RecordedIos { measured, found } = ios;
    if let Some(reason) = &found.withheld {
        return nothing(About::Findings, withheld(reason, found));
    }
    if measured.name().is_none() {
        let how = if one.ended() == Ended::Interrupted { "Interrupted" } else { "Ended" };
        let phase = found.phases.last().map(|phase| format!(" (in its phase \"{}\")", phase.name));
        let phase = phase.unwrap_or_default();
        let sentence = format!("{how} before the measured phase began{phase}: no figures.");
        return nothing(About::Findings, sentence);
    }
    if measured.completed() > 0 {
        return Ok(ios);
    }
    let lasted = nanos(measured.duration.get() as f64);
    nothing(
        About::Nothing,
        match measured.analysis.map_or(0, drivelab_stats::PhaseAnalysis::failed) {
            0 => format!("No I/O completed within {lasted}: nothing to judge."),
            failed => format!("Every I/O failed ({} in {lasted}): nothing to judge.", count(failed as f64)),
        },
    )
}

/// What is missing, and what the run came to while nothing was.
fn withheld(reason: &str, found: &IoFindings) -> String {
    let left = found.earlier_summary.as_ref().and_then(|left| Some((left, left.iops_mean?)));
    let Some((left, mean)) = left else { return format!("{reason}.") };
    let steady = &left.steady_state;
    let state = match steady.at_s {
        Some(from) => format!("steady from {}", seconds(from as f64)),
        None if steady.as_asked => "the rate that was asked for".to_owned(),
        None if steady.windows < steady.windows_needed => "too short to judge steady state".to_owned(),
        None => "no steady state".to_owned(),
    };
    format!("{reason}. Kept in findings.json when the run ended: {} IOPS, {state}.", rate(mean))
}

/// Whether the rate was steady, from when on, and how even; of a phase that has a rate.
pub(crate) fn steady_in_words(measured: &MeasuredPhase<'_>, ended: Ended) -> String {
    let steady = &measured.figures.steady;
    let mean = match measured.figures.asked {
        Some(asked) => format!("{} of {} IOPS asked for", rate(steady.mean), rate(asked)),
        None => format!("{} IOPS", rate(steady.mean)),
    };
    let near = (percent(steady.evenness.near_median_share), rate(steady.evenness.median));
    let even = match steady.stddev {
        Some(_) if steady.mean > 0.0 => {
            format!("{} of the seconds within 10 % of the median of {} IOPS", near.0, near.1)
        }
        _ => format!("{} s only", steady.seconds),
    };
    let part = measured.figures.steady_part;
    // Of a drive that answered nothing in a second, or failed, the schedule was missed for that.
    let is_drives = matches!(measured.figures.pace, Some(Pace::FellBehind { empty_second: Some(_) }))
        || measured.analysis.is_some_and(|analysis| analysis.failed() > 0);
    let behind = if machine_limit::may_be_limit(measured.phase) && !is_drives {
        "The schedule of the open loop was not kept, and that may be the machine's: more --threads may keep it. "
    } else {
        "The drive did not keep up with the schedule of the open loop. "
    };
    let lead = if measured.kept_up() {
        let part = judged_part(measured);
        format!("The drive kept up with the schedule of the open loop: {mean} over {part}")
    } else if part.reached {
        format!("Steady from {} on at {mean}", seconds(part.from_s as f64))
    } else if let Some(drift) = part.drift {
        format!("The rate drifts, {}: {mean} over {}", drift_in_words(drift), judged_part(measured))
    } else if part.is_too_short() {
        format!("Too short to judge ({}): {mean} over {}", too_short(measured), judged_part(measured))
    } else {
        format!("The rate has not settled: {mean} over {}", judged_part(measured))
    };
    let cliff = cliff_in_words(measured, ended);
    let is_behind = measured.figures.asked.is_some() && !measured.kept_up();
    let behind = if is_behind { behind } else { "" };
    format!("{behind}{lead} ({even}), slowest second {}; {cliff}.", rate(steady.min))
}

/// From where to where a rate drifts, as words after "it drifts,".
fn drift_in_words(drift: RateDrift) -> String {
    if (drift.to_iops - drift.from_iops).abs() < (drift.most_iops - drift.least_iops) / 2.0 {
        return format!(
            "between {} and {} IOPS from {} to {}",
            rate(drift.least_iops),
            rate(drift.most_iops),
            seconds(drift.from_s as f64),
            seconds(drift.until_s as f64)
        );
    }
    let (verb, change) = match drift.to_iops / drift.from_iops - 1.0 {
        rise if rise > 0.0 => ("rising", rise),
        fall => ("falling", -fall),
    };
    format!(
        "{verb} by {} from {} IOPS at {} to {} at {}",
        percent(change),
        rate(drift.from_iops),
        seconds(drift.from_s as f64),
        rate(drift.to_iops),
        seconds(drift.until_s as f64)
    )
}

/// That nothing was answered in a second of an open loop, with a space behind it; empty where something was in each.
pub(crate) fn empty_second_in_words(measured: &MeasuredPhase<'_>) -> String {
    match measured.figures.pace {
        Some(Pace::FellBehind { empty_second: Some(second) }) if measured.has_rate() => {
            format!("The drive answered nothing in second {second}. ")
        }
        _ => String::new(),
    }
}

/// The cliff of a phase, or that there was none: of a run that did not end as planned, only for as long as it lasted.
pub(crate) fn cliff_in_words(measured: &MeasuredPhase<'_>, ended: Ended) -> String {
    let first = measured.fast_first_second().filter(|_| !measured.kept_up());
    if let Some(first) = first.map(rate) {
        let early = format!("the first second has {first} IOPS, and a cliff so early is not shown");
        return match measured.cliff() {
            Some(cliff) => format!("{early}; there is one after {}", bytes(cliff.written_bytes as f64)),
            None => early,
        };
    }
    match measured.cliff() {
        Some(cliff) if cliff.written_bytes == 0 => format!("cliff after {}", seconds(cliff.at_s as f64)),
        Some(cliff) => format!("cliff after {}", bytes(cliff.written_bytes as f64)),
        None if measured.kept_up() => "no cliff at this rate".to_owned(),
        None if ended == Ended::Whole => "no cliff".to_owned(),
        None => format!("no cliff in its {}", seconds(measured.duration.as_secs_f64())),
    }
}

/// The part of a run that its rate is judged by, as words after "of".
pub(crate) fn judged_part(measured: &MeasuredPhase<'_>) -> String {
    let (from, judged) = (measured.figures.steady_part.from_s, measured.figures.steady.seconds);
    match from {
        _ if measured.figures.steady_part.reached => "the steady part".to_owned(),
        0 => "the whole run".to_owned(),
        _ => format!("the last {} of the run", percent(judged as f64 / (from + judged) as f64)),
    }
}

/// What it would have taken to judge a run.
fn too_short(measured: &MeasuredPhase<'_>) -> String {
    let part = measured.figures.steady_part;
    let count = if part.rounds == 0 { "none".to_owned() } else { part.rounds.to_string() };
    let what = match (measured.cliff(), part.rounds) {
        (Some(_), 0 | 1) => "begins after the cliff",
        (Some(_), _) => "begin after the cliff",
        (None, 0 | 1) => "was run",
        (None, _) => "were run",
    };
    format!("{ROUNDS_NEEDED} windows of {} needed, {count} {what}", seconds(part.round_s as f64))
}
