//! Whether slow I/Os are clustered, in words.

use std::fmt::Write as _;

use drivelab_stats::{
    BURST, Bunching, Chance, Clustering, ClusteringShown, IN_BURSTS, Judgement, NotShown, Period,
    PermutationTest, SlowIos, THRESHOLDS, Threshold, ThresholdOrigin,
};
use drivelab_view::format::{bytes, count, nanos, percent};

/// Below this probability a period is reported.
const NO_CHANCE_PERIOD: f64 = 0.05;

/// The relative threshold, which an I/O reaches that takes that long or longer ([`Threshold::TenMedians`]).
const TEN_MEDIANS: &str = "ten times the median (of the 1,024 I/Os before)";

/// The threshold in words.
pub fn threshold(slow: SlowIos<'_>) -> String {
    match slow.tally.threshold {
        Threshold::Fixed(limit) => nanos(limit as f64),
        Threshold::TenMedians => TEN_MEDIANS.to_owned(),
    }
}

/// A threshold in milliseconds in words; none is the relative one.
pub fn threshold_of(limit_ms: Option<f64>) -> String {
    limit_ms.map_or_else(|| TEN_MEDIANS.to_owned(), |limit| nanos(limit * 1e6))
}

/// Which threshold, in milliseconds, holds for everything on a page, and why.
pub fn same_threshold((limit_ms, reason): (Option<f64>, ThresholdOrigin), compared: bool) -> String {
    let same = if compared { ", the same for all that are compared," } else { "," };
    let limit = threshold_of(limit_ms);
    let fixed = THRESHOLDS.map(|limit| nanos(limit as f64)).join(", ");
    match (reason, limit_ms) {
        (ThresholdOrigin::Asked, _) => format!("Slow means {limit} or more, as asked with --slow."),
        (ThresholdOrigin::Own, Some(_)) => format!(
            "Slow means {limit} or more: the lowest of {fixed} that at least twenty reads or writes take, and at most 1 % of \
             them, or where there is none, at most 25 % (--slow sets another)."
        ),
        (ThresholdOrigin::Common, _) => format!(
            "Slow means {limit} or more, the same for all that are compared: the lowest of {fixed} that at least twenty reads or \
             writes of one take, and at most 1 % of the reads and of the writes of each, or where there is none, at most 25 % \
             (--slow sets another)."
        ),
        (ThresholdOrigin::OfTrace, _) => {
            format!(
                "Slow means {limit} or more{same} as in the trace that was replayed (--slow sets another)."
            )
        }
        (ThresholdOrigin::Own, None) | (ThresholdOrigin::Instant, _) => format!(
            "Slow means {limit} or more{same} since none of {fixed} is taken by at least twenty reads or writes and by at most \
             25 % of either (--slow sets another)."
        ),
    }
}

/// One sentence on the slow ones among `what`: `reads`, `writes`, `I/Os`.
pub fn verdict(bunching: &Bunching, judged: &Judgement, what: &str) -> String {
    let slow = judged.slow(bunching);
    let limit = threshold(slow);
    if slow.tally.slow == 0 {
        return format!("No {what} took {limit} or longer.");
    }
    let text = match judged.clustering {
        Clustering::Shown(shown) => clustered(slow, shown, what),
        Clustering::Chance { shortest, longest } => as_by_chance(slow, (shortest, longest), what),
        Clustering::NotShown(why) => {
            format!(
                "Whether slow {what} ({limit} or more) are clustered is not shown: {}",
                reason(slow, why, what)
            )
        }
    };
    match slow.tally.episodes.period().filter(|_| judged.chance.period.is_some_and(|p| p < NO_CHANCE_PERIOD))
    {
        Some(Period::Bytes(distance)) => {
            format!("{text}; they come back every {} written.", bytes(distance))
        }
        Some(Period::Nanos(distance)) => format!("{text}; they come back every {}.", nanos(distance)),
        None => format!("{text}."),
    }
}

fn clustered(slow: SlowIos<'_>, shown: ClusteringShown, what: &str) -> String {
    let limit = threshold(slow);
    match shown {
        ClusteringShown::Following(lift) => format!(
            "Slow {what} are clustered (bursty): after one that takes {limit} or more, the next is slow {} times as \
             often as by chance",
            times(lift)
        ),
        ClusteringShown::Windows { window, index } => format!(
            "Slow {what} ({limit} or more) are clustered (bursty): from window to window of {} their number varies {} \
             times as much as by chance, the load allowed for",
            nanos(window as f64),
            times(index)
        ),
        ClusteringShown::Slightly(p) => format!(
            "Slow {what} ({limit} or more) are slightly clustered: more than by chance (p = {}), by less than a factor \
             of two",
            probability(p)
        ),
    }
}

fn as_by_chance(slow: SlowIos<'_>, (shortest, longest): (u64, u64), what: &str) -> String {
    let windows = if shortest == longest {
        nanos(shortest as f64)
    } else {
        format!("{} to {}", nanos(shortest as f64), nanos(longest as f64))
    };
    format!(
        "Slow {what} ({} or more) are consistent with chance: were one in {IN_BURSTS} of them in bursts of {BURST}, that \
         would have been seen in windows of {windows} (95 %)",
        threshold(slow)
    )
}

fn reason(slow: SlowIos<'_>, why: NotShown, what: &str) -> String {
    match why {
        NotShown::TooFew { slow, needed } => format!(
            "{} {} too few, and {} are needed to exclude bursts of {BURST}",
            count(slow as f64),
            if slow == 1 { "is" } else { "are" },
            count(needed as f64)
        ),
        NotShown::TooMany(share) => format!(
            "{} of all {what} are slow, so many that they are no exception (a longer --slow may help)",
            percent(share)
        ),
        NotShown::TooFewWindows => format!(
            "{} slow ones lie in too few windows of time, or too few {what} in each, to tell bursts from chance",
            count(slow.tally.slow as f64)
        ),
        NotShown::LargeIndex { window, index, p } => format!(
            "the index of dispersion is {index:.1} in windows of {}, which speaks for it, and as large by chance \
             with p = {}",
            nanos(window as f64),
            probability(p)
        ),
        NotShown::LargeLift { lift, p } => format!(
            "the next is slow {} times as often after a slow one, which speaks for it, and as often by chance \
             with p = {}",
            times(lift),
            probability(p)
        ),
        NotShown::Borderline(p) => format!(
            "shifted at random against each other they are clustered as much with p = {}, too rarely to call it chance and too \
             often to show clustering",
            probability(p)
        ),
        NotShown::BurstsPossible { window, index } => format!(
            "the index of dispersion of {index:.2} in windows of {} does not exclude bursts of {BURST} with one in \
             {IN_BURSTS} of them",
            nanos(window as f64)
        ),
        NotShown::TooManyToShift => {
            format!("{} slow ones are too many to shift against each other", count(slow.tally.slow as f64))
        }
    }
}

/// What rotating the slow ones against each other shows, where the verdict itself does not say it.
pub fn chance_not_in_verdict(judged: &Judgement) -> Option<String> {
    let says_it = matches!(
        judged.clustering,
        Clustering::Shown(ClusteringShown::Slightly(_))
            | Clustering::NotShown(
                NotShown::LargeIndex { .. } | NotShown::LargeLift { .. } | NotShown::Borderline(_)
            )
    );
    chance_words(&judged.chance).filter(|_| !says_it)
}

/// What rotating the slow ones against each other shows, in words.
pub fn chance_words(chance: &Chance) -> Option<String> {
    let PermutationTest { p, rotations, finest_window } = chance.crowding?;
    let mut words = format!(
        "by chance, with the slow ones shifted against each other, they are clustered as much with p = {} ({} shifts",
        probability(p),
        count(rotations as f64)
    );
    if finest_window > 10_000_000 {
        let _ = write!(words, "; windows of {} and more", nanos(finest_window as f64));
    }
    words.push_str("; clustering is reported up to 0.01, and below 0.05 where it is large)");
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
    if lift < 9.95 { format!("{lift:.1}") } else { count(lift) }
}

#[cfg(test)]
mod tests {
    use drivelab_stats::SlowThreshold;

    use super::*;

    /// The verdict on writes of which these are slow.
    fn judged(is_slow: impl Fn(u64) -> bool) -> String {
        let mut bunching = Bunching::default();
        for number in 0..100_000u64 {
            let latency = if is_slow(number) { 40_000_000 } else { 300_000 };
            bunching.add(number * 1_000_000, latency, 4_096);
        }
        let threshold = SlowThreshold::chosen(&[[&Bunching::default(), &bunching]]);
        verdict(&bunching, &bunching.judge(threshold), "writes")
    }

    #[test]
    fn what_is_not_shown_is_not_asserted() {
        // The finish of splitmix64.
        let scattered = |number: u64| {
            let mixed = number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB) >> 33
        };
        let bursts = judged(|number| scattered(number / 20) % 500 == 0);
        assert!(bursts.contains("are clustered (bursty)"), "{bursts}");
        let many = judged(|number| scattered(number) % 200 == 0);
        assert!(many.contains("consistent with chance") && many.contains("bursts of 10"), "{many}");
        let few = judged(|number| scattered(number + 200_000) % 2_000 == 0);
        assert!(few.contains("is not shown") && few.contains("too few, and 270 are needed"), "{few}");
        let none = judged(|number| number == 500);
        assert_eq!(none, "No writes took 100 ms or longer.");
    }
}
