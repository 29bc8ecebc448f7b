//! Whether slow I/Os come in bunches, in words.

use drivelab_analysis::{Bunching, Period, SlowIos, Threshold};

use crate::format::{bytes, nanos, whole};

/// Deviations from chance from which on it is no chance: the odds are below one in ten thousand.
const NO_CHANCE: f64 = 4.0;
/// Times more than chance from which on a person would call it a bunch.
const BUNCH: f64 = 2.0;
/// Windows from which on an index of dispersion says something.
const MANY_WINDOWS: u64 = 20;

/// The threshold in words.
pub fn threshold(slow: SlowIos<'_>) -> String {
    match slow.threshold() {
        Threshold::Fixed(limit) => nanos(limit as f64),
        Threshold::TenMedians => "ten times the median of the time".to_owned(),
    }
}

/// One sentence on the slow ones among `what`: `reads`, `writes`, `I/Os`.
pub fn verdict(bunching: &Bunching, what: &str) -> String {
    let Some(slow) = bunching.telling() else {
        let most = bunching.relative().slow();
        return format!(
            "Too few {what} stand out to say whether slow ones come in bunches: {} of {} took more than ten \
             times the median of the time.",
            whole(most),
            whole(bunching.count())
        );
    };
    let limit = threshold(slow);
    let text = match slow.lift() {
        Some(lift) if is_bunched(slow) && lift >= BUNCH => format!(
            "Slow {what} come in bunches: after one that takes {limit} or more, the next is slow {} times as \
             often as by chance",
            times(lift)
        ),
        _ if is_bunched(slow) => {
            format!(
                "Slow {what} ({limit} or more) crowd in some stretches of time, more than the load explains"
            )
        }
        _ => format!("Slow {what} ({limit} or more) come one by one, as chance has it"),
    };
    match slow.period() {
        Some(Period::Bytes(distance)) => {
            format!("{text}; they come back every {} written.", bytes(whole_number(distance)))
        }
        Some(Period::Nanos(distance)) => format!("{text}; they come back every {}.", nanos(distance)),
        None => format!("{text}."),
    }
}

/// Whether slow I/Os follow each other, or crowd in windows of time, beyond chance.
fn is_bunched(slow: SlowIos<'_>) -> bool {
    let follow = slow.lift_sigmas().is_some_and(|sigmas| sigmas > NO_CHANCE);
    let crowd = slow.dispersions().iter().any(|dispersion| {
        dispersion.windows >= MANY_WINDOWS
            && dispersion.index > BUNCH
            && dispersion.index > 1.0 + NO_CHANCE * dispersion.deviation
    });
    follow || crowd
}

fn times(lift: f64) -> String {
    if lift < 9.95 { format!("{lift:.1}") } else { whole(whole_number(lift)) }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and bytes are positive")]
fn whole_number(value: f64) -> u64 {
    value.round() as u64
}
