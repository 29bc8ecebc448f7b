//! Whether slow I/Os come in bunches, in words.

use std::fmt::Write as _;

use drivelab_analysis::{Bunching, Chance, Period, Rotation, SlowIos, Threshold};

use crate::format::{bytes, nanos, whole};

/// Deviations from chance from which on it is no chance: the odds are below one in ten thousand.
const NO_CHANCE: f64 = 4.0;
/// Times more than chance from which on a person would call it a bunch.
const BUNCH: f64 = 2.0;
/// From this probability on, what was seen may be chance, whatever the deviations say.
const MAY_BE_CHANCE: f64 = 0.05;
/// Up to this probability it is no accident, however little it is.
const NO_ACCIDENT: f64 = 0.01;
/// Windows from which on an index of dispersion says something.
const MANY_WINDOWS: u64 = 20;

/// The relative threshold, which an I/O reaches that takes that long or longer ([`Threshold::TenMedians`]).
const TEN_MEDIANS: &str = "ten times the median of the latest 1,024";

/// The threshold in words.
pub fn threshold(slow: SlowIos<'_>) -> String {
    match slow.threshold() {
        Threshold::Fixed(limit) => nanos(limit as f64),
        Threshold::TenMedians => TEN_MEDIANS.to_owned(),
    }
}

/// One sentence on the slow ones among `what`: `reads`, `writes`, `I/Os`.
pub fn verdict(bunching: &Bunching, chance: &Chance, what: &str) -> String {
    let Some(slow) = bunching.telling() else {
        let most = bunching.relative().slow();
        return format!(
            "Too few {what} stand out to say whether slow ones come in bunches: {} of {} took {TEN_MEDIANS} or more.",
            whole(most),
            whole(bunching.count())
        );
    };
    let limit = threshold(slow);
    let is_bunched = is_bunched(slow) && chance.crowding.is_none_or(|found| found.p < MAY_BE_CHANCE);
    let text = match slow.lift() {
        Some(lift) if is_bunched && lift >= BUNCH => format!(
            "Slow {what} come in bunches: after one that takes {limit} or more, the next is slow {} times as \
             often as by chance",
            times(lift)
        ),
        _ if is_bunched => {
            format!(
                "Slow {what} ({limit} or more) crowd in some stretches of time, more than the load explains"
            )
        }
        _ if chance.crowding.is_some_and(|found| found.p <= NO_ACCIDENT) => {
            format!("Slow {what} ({limit} or more) crowd a little more than by chance")
        }
        _ if chance.crowding.is_some_and(|found| found.p < MAY_BE_CHANCE) => {
            format!("Slow {what} ({limit} or more) crowd hardly more than by chance, if at all")
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

/// What rotating the slow ones against each other says, in words.
pub fn chance_words(chance: &Chance) -> Option<String> {
    let Rotation { p, rotations, finest_window } = chance.crowding?;
    let mut words = format!(
        "by chance, with the slow ones shifted against each other, they crowd as much with p = {} ({} shifts",
        probability(p),
        whole(rotations)
    );
    if finest_window > 10_000_000 {
        let _ = write!(words, "; windows of {} and more", nanos(finest_window as f64));
    }
    let _ = write!(
        words,
        "; a bunch is claimed below {MAY_BE_CHANCE} where they stand out by {NO_CHANCE} deviations, too)"
    );
    if let Some(period) = chance.period {
        let _ = write!(words, "; they come back as regularly with p = {}", probability(period));
    }
    Some(words)
}

/// A probability with two digits.
pub fn probability(p: f64) -> String {
    if p >= 0.0995 { format!("{p:.2}") } else { format!("{p:.3}") }
}

fn times(lift: f64) -> String {
    if lift < 9.95 { format!("{lift:.1}") } else { whole(whole_number(lift)) }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "counts and bytes are positive")]
fn whole_number(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_io_of_ten_medians_is_slow_in_the_counts_and_in_the_words() {
        let mut found = Bunching::default();
        for number in 0..103u64 {
            // 100 ns, and three times exactly ten times that.
            found.add(number * 10_000, if number >= 100 { 1_000 } else { 100 }, 0);
        }
        assert_eq!(found.relative().slow(), 3);
        let words = verdict(&found, &Chance::default(), "reads");
        assert!(words.contains("3 of 103 took ten times the median of the latest 1,024 or more"), "{words}");
    }

    #[test]
    fn what_may_be_chance_is_called_chance_and_what_is_none_is_not() {
        let mut bunched = Bunching::default();
        let mut even = Bunching::default();
        for number in 0..100_000u64 {
            let latency = |is_slow| if is_slow { 40_000_000 } else { 300_000 };
            bunched.add(number * 1_000_000, latency(number % 10_000 < 20), 4_096);
            even.add(number * 1_000_000, latency(number * 7_919 % 499 == 0), 4_096);
        }
        let words = |found: &Bunching, p| {
            let crowding = Rotation { p, rotations: 999, finest_window: 10_000_000 };
            verdict(found, &Chance { crowding: Some(crowding), period: None }, "writes")
        };
        assert!(words(&bunched, 0.001).contains("come in bunches"), "{}", words(&bunched, 0.001));
        assert!(words(&bunched, 0.2).contains("as chance has it"), "{}", words(&bunched, 0.2));
        assert!(words(&even, 0.001).contains("a little more than by chance"), "{}", words(&even, 0.001));
        assert!(words(&even, 0.03).contains("hardly more than by chance"), "{}", words(&even, 0.03));
        assert!(words(&even, 0.2).contains("one by one, as chance has it"), "{}", words(&even, 0.2));
        assert!(
            verdict(&bunched, &Chance::default(), "writes").contains("come in bunches"),
            "nothing was asked"
        );
    }
}
