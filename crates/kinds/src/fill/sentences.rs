//! What fills found, in words.

use drivelab_stats::KNEE_FACTOR;
use drivelab_view::format::{bytes, capitalised, long_time, rate};
use drivelab_view::{About, Tone, Verdict};

use super::plan::MEASURED;
use super::{Fill, FillFindings, NoRecovery, PlateauFindings, RecoveryFindings};
use crate::shown::listed;
use crate::{ComparedResult, Comparison, Ended, StoredResult};

/// A fill that writes at least this share of the drive has seen all of it.
const NEARLY_ALL: f64 = 0.95;
/// A knee and the begin of throttling that are no further apart are one event, in seconds: temperatures are read once a second,
/// and a step of the curve may last longer.
const SAME_S: f64 = 3.0;

pub(super) fn verdict(kept: &ComparedResult<'_, Fill>) -> Verdict {
    let found = &kept.findings;
    if let Some(why) = kept.withheld() {
        let sentence = format!("{}.", capitalised(why));
        return Verdict::on(kept.place, Tone::Bad, "No figures", sentence).about(About::Findings);
    }
    let part = WrittenPart::from_kept(kept);
    let about = if found.written_bytes == 0 { About::Nothing } else { About::Figures };
    let mut verdict =
        Verdict::on(kept.place, Tone::Neutral, &mark(found, part), answer(found, part)).about(about);
    if found.written_bytes < found.planned_bytes && kept.ended() != Ended::Whole {
        let text = format!(
            "The fill was to write {}, and ended after {}: what the drive does behind that was not seen.",
            bytes(found.planned_bytes as f64),
            bytes(found.written_bytes as f64)
        );
        verdict.details.push(text);
    }
    verdict.details.extend(hot_knee(kept));
    verdict.details.extend(recovery_cut_off(kept));
    let circumstances = circumstances(kept);
    let levels = found.recovery_by_level();
    verdict.details.extend(levels.flat_map(|level| of_level(level, circumstances)));
    if circumstances.is_hot && !found.recovery.is_empty() {
        let text = "The drive throttled while that was measured: a cooler drive may be fast again for more.";
        verdict.details.push(text.to_owned());
    }
    verdict.details.extend(found.no_recovery.map(|why| no_recovery(why, part)));
    verdict
}

/// How much was written of a drive that was not filled.
#[derive(Clone, Copy)]
struct WrittenPart {
    written: f64,
    capacity: f64,
}

impl WrittenPart {
    fn from_kept(kept: &StoredResult<Fill>) -> Option<WrittenPart> {
        let (written, capacity) = (kept.findings.written_bytes as f64, kept.run.drive.size_bytes as f64);
        (written < capacity * NEARLY_ALL).then_some(WrittenPart { written, capacity })
    }
}

/// The knee that lies where the drive began to throttle, which may show no size of a cache.
fn hot_knee(kept: &StoredResult<Fill>) -> Option<String> {
    let heat = kept.heat()?;
    let mut throttled = heat.throttled.iter().filter(|throttled| throttled.phase == MEASURED);
    let throttled = throttled.find(|throttled| throttled.is_shown() && throttled.has_slowed())?;
    let mut end_s = 0.0;
    let ends = kept.findings.plateaus.iter().map(|plateau| {
        end_s += plateau.lasted_s;
        (plateau.to_bytes, end_s)
    });
    let (at_bytes, _) =
        ends.take(kept.findings.knees.len()).find(|(_, at_s)| (at_s - throttled.began_s).abs() <= SAME_S)?;
    let at = bytes(at_bytes as f64);
    Some(format!(
        "The knee at {at} is where the drive began to throttle, at {:.1} °C: a cooler drive shows whether it is due to heat.",
        throttled.celsius
    ))
}

/// What else happened while recovery was measured.
fn circumstances(kept: &StoredResult<Fill>) -> Circumstances {
    let throttled = kept.heat().map_or(&[][..], |heat| &heat.throttled);
    Circumstances {
        first_fast_bytes: kept.findings.first_fall().map(|fall| fall.at_bytes),
        is_hot: throttled.iter().any(|phase| phase.phase != MEASURED && phase.is_shown()),
    }
}

/// Why recovery is not shown although it was asked for and nothing of the drive stands against it.
fn recovery_cut_off(kept: &StoredResult<Fill>) -> Option<String> {
    let is_missing = !kept.settings.rests_ns.is_empty() && kept.findings.no_recovery.is_none();
    let how = match kept.ended() {
        Ended::Killed if is_missing => {
            let text = "What was fast again after rests is not shown: a run keeps that at its end, and this one was killed.";
            return Some(text.to_owned());
        }
        Ended::Interrupted if is_missing => "the run was interrupted",
        Ended::BrokeOff if is_missing => "the run broke off",
        _ => return None,
    };
    let text = "What is fast again after rests was not measured";
    Some(match kept.findings.recovery.as_slice() {
        [] => format!("{text}: {how} before the first rest was over."),
        _ => format!("{text} to its end: {how}."),
    })
}

fn mark(found: &FillFindings, part: Option<WrittenPart>) -> String {
    match found.first_fall() {
        Some(fall) => format!("Fast for {}", bytes(fall.at_bytes as f64)),
        None if found.plateaus.len() == 1 => match part {
            Some(part) => format!("No knee in {}", bytes(part.written)),
            None => "No knee".to_owned(),
        },
        None if found.plateaus.is_empty() => "Not shown".to_owned(),
        None => "Faster later".to_owned(),
    }
}

fn answer(found: &FillFindings, part: Option<WrittenPart>) -> String {
    let written = bytes(found.written_bytes as f64);
    if found.written_bytes == 0 {
        return "Nothing was written: the fill ended before its first second.".to_owned();
    }
    let whole = found.mean_mb_s.zip(found.lasted_s).map_or_else(String::new, |(mean, lasted)| {
        format!(" All {written} took {}, {} MB/s on average.", long_time(lasted), rate(mean))
    });
    let Some((first, others)) = found.plateaus.split_first() else {
        return format!("Too little was written to say where the rate changes.{whole}");
    };
    if others.is_empty() {
        let rate = rate(first.mean_mb_s);
        let rule = format!(
            "nowhere does the rate change by a factor of {KNEE_FACTOR} or more at once and for 1 % of what was written"
        );
        return match part {
            None => format!("Writing runs at {rate} MB/s without a knee: {rule}.{whole}"),
            Some(part) => format!(
                "Writing runs at {rate} MB/s without a knee in the {} that were written of the drive's {}: {rule}. How fast the \
                 drive is behind that is not shown.{whole}",
                bytes(part.written),
                bytes(part.capacity)
            ),
        };
    }
    let part = |plateau: &PlateauFindings| {
        format!("from {} on at {} MB/s", bytes(plateau.from_bytes as f64), rate(plateau.mean_mb_s))
    };
    let parts: Vec<String> = others.iter().map(part).collect();
    let (first_mb_s, fast) = (rate(first.mean_mb_s), bytes(first.to_bytes as f64));
    format!("Writing runs at {first_mb_s} MB/s for the first {fast}, {}.{whole}", parts.join(", "))
}

fn no_recovery(why: NoRecovery, part: Option<WrittenPart>) -> String {
    match (why, part) {
        (NoRecovery::NoFall, None) => {
            "Recovery was not measured: the rate does not fall, so that nothing has to come back.".to_owned()
        }
        (NoRecovery::NoFall, Some(part)) => format!(
            "Recovery was not measured: the rate did not fall in the {} that were written. It is measured where the fill reaches \
             a fall: leave --bytes and --range out, or write more.",
            bytes(part.written)
        ),
        (NoRecovery::NoRoom, _) => {
            "Recovery was not measured at every level: behind it there is no room for as much as the drive takes fast."
                .to_owned()
        }
    }
}

/// How far each of several drives is fast, in a sentence.
pub(super) fn compared(results: &Comparison<'_, Fill>) -> String {
    let results = results.best_first(fast_bytes);
    format!("{}.", results.into_iter().map(in_short).collect::<Vec<_>>().join("; "))
}

/// How far a drive is fast, in bytes: without a fall as far as it was written.
fn fast_bytes(one: &ComparedResult<'_, Fill>) -> f64 {
    let found = &one.findings;
    let whole = (found.plateaus.len() == 1).then_some(found.written_bytes);
    found.first_fall().map(|fall| fall.at_bytes).or(whole).unwrap_or(0) as f64
}

/// The clause on one of them.
fn in_short(one: &ComparedResult<'_, Fill>) -> String {
    let (label, found) = (one.label(), &one.findings);
    if one.withheld().is_some() {
        return format!("{label} has no figures");
    }
    let written = bytes(found.written_bytes as f64);
    let at = |mb_s: f64| format!("{} MB/s", rate(mb_s));
    match (found.first_fall(), found.plateaus.as_slice()) {
        (_, []) => format!("{label} shows no plateau"),
        (Some(fall), [first, second, ..]) => format!(
            "{label} is fast for {} of {written} ({}, then {})",
            bytes(fall.at_bytes as f64),
            at(first.mean_mb_s),
            at(second.mean_mb_s)
        ),
        (_, [only]) => format!("{label} is equally fast over all {written} ({})", at(only.mean_mb_s)),
        (_, [first, second, ..]) => format!(
            "{label} becomes faster after {} ({}, then {})",
            bytes(first.to_bytes as f64),
            at(first.mean_mb_s),
            at(second.mean_mb_s)
        ),
    }
}

/// A cache of which less than this share was fast while it was filled was not empty before.
const EMPTY_SHARE: f64 = 0.8;

/// What is known of the other phases of a fill.
#[derive(Clone, Copy)]
struct Circumstances {
    /// What was fast before the rate fell in the fill itself, which began with an empty cache, in bytes.
    first_fast_bytes: Option<u64>,
    /// Whether the drive throttled while recovery was measured.
    is_hot: bool,
}

/// What was fast again after the rests at one level, and which of them began with a cache that was not as the others found it.
fn of_level(of_level: &[RecoveryFindings], circumstances: Circumstances) -> Vec<String> {
    let not_empty = not_empty(of_level, circumstances);
    [recovered(of_level), not_full(of_level, circumstances), not_empty].into_iter().flatten().collect()
}

fn recovered(of_level: &[RecoveryFindings]) -> Option<String> {
    let part = |one: &RecoveryFindings| {
        let least = if one.at_least { "at least " } else { "" };
        format!("{least}{} {}", bytes(one.fast_bytes as f64), when(one))
    };
    let parts: Vec<String> = of_level.iter().filter(|one| one.is_shown()).map(part).collect();
    let full = bytes(of_level[0].filled_bytes as f64);
    let level = of_level[0].filled_percent;
    let text =
        format!("At a level of {level} %, with {full} full, it writes fast again for {}.", listed(&parts));
    (!parts.is_empty()).then_some(text)
}

/// Rests before which the rate did not fall.
fn not_full(of_level: &[RecoveryFindings], circumstances: Circumstances) -> Option<String> {
    let rests: Vec<String> = of_level.iter().filter(|one| !one.is_shown()).map(when).collect();
    let why = if circumstances.is_hot {
        "; the drive throttled, which hides where the cache is full"
    } else {
        ", so that the cache was not full"
    };
    let text = format!(
        "At a level of {} %, what is fast again {} is not shown: the rate did not fall before it{why}.",
        of_level[0].filled_percent,
        listed(&rests)
    );
    (!rests.is_empty()).then_some(text)
}

/// Rests before which less was fast than the drive can write fast at this level. Of a drive that throttles, the heat may be why.
fn not_empty(of_level: &[RecoveryFindings], circumstances: Circumstances) -> Option<String> {
    let seen = of_level.iter().map(|one| one.fast_bytes.max(one.filling_fast_bytes.unwrap_or(0)));
    // With more full, a cache may be smaller than that of the empty drive.
    let of_fill = circumstances.first_fast_bytes.filter(|_| of_level[0].filled_percent < 1.0);
    let most = seen.chain(of_fill).max().unwrap_or(0) as f64;
    let is_less = |one: &&RecoveryFindings| {
        one.filling_fast_bytes.is_some_and(|fast| (fast as f64) < most * EMPTY_SHARE)
    };
    let rests: Vec<String> = of_level.iter().filter(is_less).map(when).collect();
    let text = format!(
        "At a level of {} %, the cache was not empty when it was filled for the writes {}: less of that was fast than at other \
         times, and another order of --rests may show other figures.",
        of_level[0].filled_percent,
        listed(&rests)
    );
    (!rests.is_empty() && !circumstances.is_hot).then_some(text)
}

/// Such as "after a rest of 10 s".
fn when(one: &RecoveryFindings) -> String {
    match one.rest_ns {
        0 => "without a rest".to_owned(),
        rest => format!("after a rest of {}", long_time(rest as f64 / 1e9)),
    }
}
