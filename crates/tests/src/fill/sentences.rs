//! What fills found, in words.

use drivelab_analysis::KNEE_FACTOR;
use drivelab_view::format::{bytes, capitalised, long_time, rate};
use drivelab_view::{Tone, Verdict};

use super::{Fill, FillFindings, NoRecovery, PlateauFindings, RecoveryFindings};
use crate::{Ended, Kept, ResultKind};

/// The verdict of one fill.
pub(super) fn verdict(subject: usize, kept: &Kept<Fill>) -> Verdict {
    let found = &kept.findings;
    if let Some(why) = Fill::withheld(kept) {
        return Verdict::on(subject, Tone::Bad, "No figures", format!("{}.", capitalised(why)));
    }
    let mut verdict = Verdict::on(subject, Tone::Neutral, &mark(found), answer(found));
    if found.written_bytes < found.planned_bytes && kept.ended() != Ended::Whole {
        let text = format!(
            "The fill was to write {}, and ended after {}: what the drive does behind that was not seen.",
            bytes(found.planned_bytes as f64),
            bytes(found.written_bytes as f64)
        );
        verdict.details.push(text);
    }
    if kept.ended() == Ended::Killed && !kept.settings.rests_ns.is_empty() {
        let text = "What was fast again after rests is not shown: a run keeps that at its end, and this one was killed.";
        verdict.details.push(text.to_owned());
    }
    verdict.details.extend(found.recovery_by_level().map(recovered));
    verdict.details.extend(found.no_recovery.map(|why| no_recovery(why).to_owned()));
    verdict
}

fn mark(found: &FillFindings) -> String {
    match found.first_fall() {
        Some((fast, _)) => format!("Fast for {}", bytes(fast as f64)),
        None if found.plateaus.len() == 1 => "No knee".to_owned(),
        None if found.plateaus.is_empty() => "Not shown".to_owned(),
        None => "Faster later".to_owned(),
    }
}

/// The answer in a sentence.
fn answer(found: &FillFindings) -> String {
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
        return format!(
            "Writing runs at {} MB/s without a knee: nowhere does the rate change by a factor of {KNEE_FACTOR} or more at \
             once and for 1 % of what was written.{whole}",
            rate(first.mean_mb_s)
        );
    }
    let part = |plateau: &PlateauFindings| {
        format!("from {} on at {} MB/s", bytes(plateau.from_bytes as f64), rate(plateau.mean_mb_s))
    };
    let parts: Vec<String> = others.iter().map(part).collect();
    let (first_mb_s, fast) = (rate(first.mean_mb_s), bytes(first.to_bytes as f64));
    format!("Writing runs at {first_mb_s} MB/s for the first {fast}, {}.{whole}", parts.join(", "))
}

/// What was fast again after the rests at one level, in a sentence.
fn recovered(of_level: &[RecoveryFindings]) -> String {
    let part = |one: &RecoveryFindings| {
        let least = if one.at_least { "at least " } else { "" };
        let fast = bytes(one.fast_bytes as f64);
        match one.rest_ns {
            0 => format!("{least}{fast} without a rest"),
            rest => format!("{least}{fast} after a rest of {}", long_time(rest as f64 / 1e9)),
        }
    };
    let parts: Vec<String> = of_level.iter().map(part).collect();
    format!("With {} % filled, it writes fast again for {}.", of_level[0].filled_percent, parts.join(", "))
}

fn no_recovery(why: NoRecovery) -> &'static str {
    match why {
        NoRecovery::NoFall => {
            "Recovery was not measured: the rate does not fall, so that nothing has to come back."
        }
        NoRecovery::NoRoom => {
            "Recovery was not measured at every level: behind it there is no room for as much as the drive takes fast."
        }
    }
}
