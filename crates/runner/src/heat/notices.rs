//! What is said of the phases in which a drive throttled.

use drivelab_documents::{
    HeatDocument, Notice, Severity, ThermalCountersDocument, ThrottledPhase, ThrottlingEffect,
};
use drivelab_view::format::{percent, rate, things};

/// A phase in whose first whole second the drive throttles began so: the drive was hot before.
const BEGINNING_S: f64 = 1.0;

/// A warning where heat changed a rate, or may have, and a note where the drive throttled and its rate did not fall; of several
/// phases the first in full.
pub fn notices(heat: &HeatDocument) -> Vec<Notice> {
    let of = |severity: Severity| {
        let mut phases = heat.throttled.iter().filter(|phase| self::severity(phase) == severity);
        let first = phases.next()?;
        let others: Vec<&ThrottledPhase> = phases.collect();
        let are_shown = others.iter().all(|phase| phase.is_shown());
        let also = if are_shown { "It also throttled" } else { "It may also have throttled" };
        let number = things(others.len() as u64, "other phase");
        let others = (!others.is_empty()).then(|| format!(" {also} in {number}."));
        Some(Notice { severity, text: sentence(heat, first) + &others.unwrap_or_default() })
    };
    [Severity::Warning, Severity::Note].into_iter().filter_map(of).collect()
}

fn severity(found: &ThrottledPhase) -> Severity {
    match found.effect() {
        ThrottlingEffect::DidNotFall => Severity::Note,
        ThrottlingEffect::Fell { .. } | ThrottlingEffect::NotShown => Severity::Warning,
    }
}

fn sentence(heat: &HeatDocument, found: &ThrottledPhase) -> String {
    match found.counted_s {
        Some(counted_s) => counted(heat, found, counted_s),
        None => by_rate(heat, found),
    }
}

/// The drive's own counter says when it throttled.
fn counted(heat: &HeatDocument, found: &ThrottledPhase, counted_s: f64) -> String {
    let ThrottledPhase { phase, began_s, celsius, .. } = found;
    let are_several = found.changes > Some(1);
    let what = match found.effect() {
        ThrottlingEffect::Fell { before_mb_s, then_mb_s } => {
            let (before, then) = (rate(before_mb_s), rate(then_mb_s));
            if are_several {
                format!("its rate is {before} MB/s without that, and {then} MB/s with it")
            } else {
                format!("its rate fell from {before} to {then} MB/s in the same seconds")
            }
        }
        ThrottlingEffect::DidNotFall if are_several => {
            "its rate is the same with that and without".to_owned()
        }
        ThrottlingEffect::DidNotFall => "its rate did not fall when that began".to_owned(),
        ThrottlingEffect::NotShown => "how fast it is without that is not shown".to_owned(),
    };
    let first = if *began_s < BEGINNING_S {
        "from its beginning on".to_owned()
    } else {
        format!("first at {began_s:.0} s, at {celsius:.1} °C")
    };
    format!(
        "The drive throttled for {counted_s:.0} s of the phase \"{phase}\" by its own counter, {first}{}: {what}.",
        limit(heat)
    )
}

/// Rate and temperature say that the drive throttled.
fn by_rate(heat: &HeatDocument, found: &ThrottledPhase) -> String {
    let ThrottledPhase { phase, began_s, celsius, share, .. } = found;
    let [before, after] =
        [found.rate_before_mb_s, found.rate_mb_s].map(|mb_s| mb_s.map_or("-".to_owned(), rate));
    let fall = format!(
        "its rate fell from {before} to {after} MB/s at {began_s:.0} s, at {celsius:.1} °C{}",
        limit(heat)
    );
    let counters = match &heat.counted {
        Some(counted) if counted.has_throttled() => {
            format!("its counters have {} s of thermal management in the run, and not when", seconds(counted))
        }
        Some(_) => "it counted no throttling".to_owned(),
        None => "it has no counter of throttling".to_owned(),
    };
    if found.came_back == Some(true) {
        return format!(
            "The drive throttled in the phase \"{phase}\": {fall}, and came back later; it was lower in {} of the time.",
            percent(*share)
        );
    }
    format!(
        "The drive may have throttled in the phase \"{phase}\": {fall}. The rate did not come back in this phase, and \
         {counters}: another cause, such as a full write cache where it is written to, would have the same effect."
    )
}

/// The temperature from which on the drive protects itself, in brackets.
fn limit(heat: &HeatDocument) -> String {
    let words = heat.limit.map(|limit| format!(" ({} is {} °C)", limit.kind.words(), limit.celsius));
    words.unwrap_or_default()
}

fn seconds(counted: &ThermalCountersDocument) -> u64 {
    u64::from(counted.thermal_1_seconds) + u64::from(counted.thermal_2_seconds)
}
