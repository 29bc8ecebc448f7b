//! What tests of waking up found, in words.

use drivelab_stats::MedianInterval;
use drivelab_view::format::{by_number, nanos, percent, things};
use drivelab_view::{About, Tone, Verdict};

use super::findings::{Rise, STEP_FACTOR, STEP_LEAST_NS, StepFindings, WakeFindings};
use super::power_states::{self, in_words as rest};
use super::{RestFindings, Wake};
use crate::shown::{listed, together};
use crate::{ComparedResult, Comparison};

/// The verdict of a test that is shown alone or with others; the comparison of several says once which rise is called a step.
pub(super) fn verdict(kept: &ComparedResult<'_, Wake>) -> Verdict {
    let rule =
        kept.is_alone.then(rule).filter(|_| kept.findings.rests.len() > 1 && kept.findings.has_intervals());
    let sentences: Vec<String> = [Some(sentence(&kept.findings)), rule].into_iter().flatten().collect();
    let about = if kept.findings.ends().is_none() { About::Nothing } else { About::Figures };
    let mut verdict =
        Verdict::on(kept.place, Tone::Neutral, mark(&kept.findings), sentences.join(" ")).about(about);
    verdict.details.extend(power_states::entered_before_all(&kept.findings));
    verdict
}

/// Which rise is called a step, in a sentence.
fn rule() -> String {
    format!(
        "A step is a rise of the median from one rest to the next by at least {} and at least {}, where the 95 % confidence \
         intervals of the two medians do not overlap.",
        percent(STEP_FACTOR - 1.0),
        nanos(STEP_LEAST_NS)
    )
}

/// What is missing for a step to be shown, with what to type; none where nothing is.
pub(super) fn too_few(rests: usize, runs: u64) -> Option<String> {
    let least = MedianInterval::VALUES_MIN;
    if rests < 2 {
        return Some(
            "no step can be shown by rests of one length: write two or more, such as --rests 1ms,1s"
                .to_owned(),
        );
    }
    (runs < least as u64).then(|| {
        format!(
            "no step can be shown by {} after each rest, since fewer than {least} have no confidence interval: write --runs \
             {least} or more",
            things(runs, "read")
        )
    })
}

/// Whether there is a step.
enum StepAnswer<'a> {
    /// There are too few rests or reads, or the intervals of a rise that is large enough overlap.
    NotShown,
    /// There is none.
    NoStep,
    /// These, of which there is at least one.
    Steps(&'a [StepFindings]),
}

fn answer(found: &WakeFindings) -> StepAnswer<'_> {
    match found.steps.as_slice() {
        _ if found.rests.len() < 2 || !found.has_intervals() => StepAnswer::NotShown,
        [] if found.largest_rise().is_some_and(|rise| rise.is_large()) => StepAnswer::NotShown,
        [] => StepAnswer::NoStep,
        steps => StepAnswer::Steps(steps),
    }
}

fn mark(found: &WakeFindings) -> &'static str {
    match answer(found) {
        StepAnswer::NotShown => "Not shown",
        StepAnswer::NoStep => "No step",
        StepAnswer::Steps([_]) => "One step",
        StepAnswer::Steps(_) => "Several steps",
    }
}

/// The answer in a sentence or two.
fn sentence(found: &WakeFindings) -> String {
    let Some((shortest, longest)) = found.ends() else {
        return "Nothing was read: the test ended before its first read.".to_owned();
    };
    if found.rests.len() == 1 {
        return format!(
            "A read takes {}: whether rests lengthen it is shown by rests of several lengths, such as --rests 1ms,1s.",
            after(shortest)
        );
    }
    let times = format!("A read takes {} and {}", after(shortest), after(longest));
    if !found.has_intervals() {
        let least = MedianInterval::VALUES_MIN;
        return format!(
            "{times}; whether rests lengthen it is not shown by fewer than {least} reads after each: write --runs {least} or \
             more."
        );
    }
    let found = if found.steps.is_empty() { no_step(found.largest_rise()) } else { steps(found) };
    times + &found
}

/// A median and its rest.
fn after(one: &RestFindings) -> String {
    format!("{} after a rest of {}", nanos(one.median_ns), rest(one.rest_ns))
}

/// Why no step is shown: what the rise was that comes nearest to one.
fn no_step(rise: Option<Rise<'_>>) -> String {
    let Some(rise) = rise else {
        return ", and it does not rise from any rest to the next.".to_owned();
    };
    let found = format!(
        "The largest rise from one rest to the next is {}: from {} to {}",
        nanos(rise.longer_ns()),
        after(rise.shorter),
        after(rise.longer)
    );
    if !rise.is_large() {
        return format!(", without a step. {found}.");
    }
    format!(
        "; whether that is a step is not shown. {found}, and the intervals of these two overlap ({} and {}): more reads (--runs) \
         have narrower ones.",
        interval(rise.shorter),
        interval(rise.longer)
    )
}

fn interval(one: &RestFindings) -> String {
    let end = |end: Option<f64>| end.map_or_else(|| "-".to_owned(), nanos);
    format!("{} to {}", end(one.low_ns), end(one.high_ns))
}

fn steps(found: &WakeFindings) -> String {
    let step = |step: &StepFindings| {
        let (after, from) = (rest(step.after_ns), rest(step.from_ns));
        let states = power_states::behind(step, &found.power_states);
        format!("by {} between rests of {after} and {from}{states}", nanos(step.longer_ns))
    };
    let steps: Vec<String> = found.steps.iter().map(step).collect();
    format!(". It gets longer by {}: {}.", things(steps.len() as u64, "step"), listed(&steps))
}

/// The reads after the longest rest that all have, where there is one, and the steps, in sentences.
pub(super) fn compared(results: &Comparison<'_, Wake>) -> String {
    let common = longest_common(results);
    let median = |one: &ComparedResult<'_, Wake>| {
        let mut rests = one.findings.rests.iter();
        rests.find(|rest| Some(rest.rest_ns) == common).map_or(0.0, |rest| rest.median_ns)
    };
    let results = results.best_first(|one| -median(one));
    let time = |one: &&ComparedResult<'_, Wake>| format!("{} on {}", nanos(median(one)), one.label());
    let times = match common {
        Some(common) => {
            let times: Vec<String> = results.iter().map(time).collect();
            format!("After a rest of {}, the first read takes {}.", rest(common), listed(&times))
        }
        None => "They were not read after rests of one length.".to_owned(),
    };
    let steps = results.iter().map(|one| (one.label().to_owned(), Gaps::from_found(&one.findings)));
    format!("{times} {}. {}", together(steps, Gaps::said), rule())
}

/// The longest rest after which every drive was read.
fn longest_common(results: &Comparison<'_, Wake>) -> Option<u64> {
    let has = |one: &ComparedResult<'_, Wake>, length: u64| {
        one.findings.rests.iter().any(|rest| rest.rest_ns == length)
    };
    let (first, others) = results.split_first()?;
    let lengths = first.findings.rests.iter().map(|rest| rest.rest_ns);
    lengths.rev().find(|length| others.iter().all(|other| has(other, *length)))
}

/// The gaps between rests in which one drive has its steps.
#[derive(PartialEq, Eq)]
enum Gaps {
    NotShown,
    /// The rests before and after each step, in nanoseconds.
    Of(Vec<(u64, u64)>),
}

impl Gaps {
    fn from_found(found: &WakeFindings) -> Gaps {
        match answer(found) {
            StepAnswer::NotShown => Gaps::NotShown,
            StepAnswer::NoStep => Gaps::Of(Vec::new()),
            StepAnswer::Steps(steps) => {
                Gaps::Of(steps.iter().map(|step| (step.after_ns, step.from_ns)).collect())
            }
        }
    }

    /// The clause behind the names of a number of drives.
    fn said(&self, drives: u64) -> String {
        let has = by_number(drives, "has", "have");
        match self {
            Gaps::NotShown => {
                let (show, it) =
                    (by_number(drives, "does not show", "do not show"), by_number(drives, "it", "they"));
                format!("{show} whether {it} {has} a step")
            }
            Gaps::Of(gaps) if gaps.is_empty() => format!("{has} no step"),
            Gaps::Of(gaps) => {
                let has = by_number(drives, "has", "each have");
                let between = |(after, from): &(u64, u64)| {
                    format!("between rests of {} and {}", rest(*after), rest(*from))
                };
                let number = things(gaps.len() as u64, "step");
                format!("{has} {number}, {}", listed(&gaps.iter().map(between).collect::<Vec<_>>()))
            }
        }
    }
}
