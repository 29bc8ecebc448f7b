//! What tests of waking up found, in words, and the power states to compare it with.

use drivelab_stats::MedianInterval;
use drivelab_view::format::{by_number, capitalised, long_time, nanos, percent, things};
use drivelab_view::{About, Block, Columns, Quantity, Table, Tone, Verdict};

use super::findings::{Rise, STEP_FACTOR, STEP_LEAST_NS, StepFindings, WakeFindings};
use super::{RestFindings, Wake};
use crate::shown::{listed, together};
use crate::{ComparedResult, Comparison, ReportedPowerState};

/// The verdict of a test that is shown alone or with others; the comparison of several says once which rise is called a step.
pub(super) fn verdict(kept: &ComparedResult<'_, Wake>) -> Verdict {
    let rule =
        kept.is_alone.then(rule).filter(|_| kept.findings.rests.len() > 1 && kept.findings.has_intervals());
    let sentences: Vec<String> = [Some(sentence(&kept.findings)), rule].into_iter().flatten().collect();
    let about = if kept.findings.ends().is_none() { About::Nothing } else { About::Figures };
    let mut verdict =
        Verdict::on(kept.place, Tone::Neutral, mark(&kept.findings), sentences.join(" ")).about(about);
    verdict.details.extend(entered_before_all(&kept.findings));
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

/// The rests before and after each step of a drive, in nanoseconds; none where it is not shown whether there is a step: there are
/// too few rests or reads, or the intervals of a rise that is large enough overlap.
fn gaps(found: &WakeFindings) -> Option<Vec<(u64, u64)>> {
    let is_open = found.steps.is_empty() && found.largest_rise().is_some_and(|rise| rise.is_large());
    let is_shown = found.rests.len() >= 2 && found.has_intervals() && !is_open;
    is_shown.then(|| found.steps.iter().map(|step| (step.after_ns, step.from_ns)).collect())
}

fn mark(found: &WakeFindings) -> &'static str {
    match gaps(found).as_deref() {
        None => "Not shown",
        Some([]) => "No step",
        Some([_]) => "One step",
        Some(_) => "Several steps",
    }
}

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
    format!("{} after a rest of {}", nanos(one.median_ns), rest_in_words(one.rest_ns))
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
        let (after, from) = (rest_in_words(step.after_ns), rest_in_words(step.from_ns));
        let states = behind(step, &found.power_states);
        format!("by {} between rests of {after} and {from}{states}", nanos(step.longer_ns))
    };
    let steps: Vec<String> = found.steps.iter().map(step).collect();
    format!(". It gets longer by {}: {}.", things(steps.len() as u64, "step"), listed(&steps))
}

/// The reads after the longest rest that all have, where there is one, and the steps, in sentences.
pub(super) fn compared(results: &Comparison<'_, Wake>) -> String {
    let common = results.greatest_common(|found| found.rests.iter().map(|rest| rest.rest_ns).collect());
    let median = |one: &ComparedResult<'_, Wake>| {
        let mut rests = one.findings.rests.iter();
        rests.find(|rest| Some(rest.rest_ns) == common).map_or(0.0, |rest| rest.median_ns)
    };
    let results = results.best_first(|one| -median(one));
    let time = |one: &&ComparedResult<'_, Wake>| format!("{} on {}", nanos(median(one)), one.label());
    let times = match common {
        Some(common) => {
            let times: Vec<String> = results.iter().map(time).collect();
            format!("After a rest of {}, the first read takes {}.", rest_in_words(common), listed(&times))
        }
        None => "They were not read after rests of one length.".to_owned(),
    };
    let steps = results.iter().map(|one| (one.label().to_owned(), gaps(&one.findings)));
    let steps = together(steps, |gaps, drives| gaps_in_words(gaps.as_deref(), drives));
    format!("{times} {steps}. {}", rule())
}

/// The clause about the steps of a number of drives behind their names.
fn gaps_in_words(gaps: Option<&[(u64, u64)]>, drives: u64) -> String {
    let has = by_number(drives, "has", "have");
    match gaps {
        None => {
            let (show, it) =
                (by_number(drives, "does not show", "do not show"), by_number(drives, "it", "they"));
            format!("{show} whether {it} {has} a step")
        }
        Some([]) => format!("{has} no step"),
        Some(gaps) => {
            let has = by_number(drives, "has", "each have");
            let between = |(after, from): &(u64, u64)| {
                format!("between rests of {} and {}", rest_in_words(*after), rest_in_words(*from))
            };
            let number = things(gaps.len() as u64, "step");
            format!("{has} {number}, {}", listed(&gaps.iter().map(between).collect::<Vec<_>>()))
        }
    }
}

/// What may be behind a step for which no power state accounts.
const NO_STATE: &str =
    "the drive enters none of its power states in between: the machine may be what gets slower";

/// Whether the drive enters the state between these two rests, and not before.
fn is_behind(state: &ReportedPowerState, step: &StepFindings) -> bool {
    state.entered_after_ns.is_some_and(|after| step.after_ns < after && after <= step.from_ns)
}

/// The states that may be behind a step, in words; where the drive reports states, and none of them is, what else may be; empty
/// where no states are known.
fn behind(step: &StepFindings, states: &[ReportedPowerState]) -> String {
    let found = states.iter().filter(|state| is_behind(state, step)).filter_map(|state| {
        let after = rest_in_words(state.entered_after_ns?);
        let exit = state.exit_ns.map(|exit| format!(" and leaves within {}", nanos(exit as f64)));
        Some(format!(
            "power state {}, which the drive enters after {after}{}",
            state.number,
            exit.unwrap_or_default()
        ))
    });
    let found: Vec<String> = found.collect();
    match (found.is_empty(), states.is_empty()) {
        (false, _) => format!(" ({})", found.join("; ")),
        (true, true) => String::new(),
        (true, false) => format!(" ({NO_STATE})"),
    }
}

/// That the drive enters a state before the shortest rest is over, whose cost no rise from one rest to the next can show.
fn entered_before_all(found: &WakeFindings) -> Option<String> {
    let (shortest, _) = found.ends()?;
    let enters = |state: &&ReportedPowerState| {
        state.entered_after_ns.is_some_and(|after| after > 0 && after <= shortest.rest_ns)
    };
    let deepest = found.power_states.iter().filter(enters).max_by_key(|state| state.entered_after_ns)?;
    let after = rest_in_words(deepest.entered_after_ns?);
    Some(format!(
        "The drive enters power state {} after {after}, before each of these rests is over: what it takes to leave it is in \
         every read, and a rest shorter than {after} shows how much it is.",
        deepest.number
    ))
}

/// A time in words: of a rest, or of an idle time.
pub(super) fn rest_in_words(nanos: u64) -> String {
    match nanos {
        short @ ..1_000_000_000 => drivelab_view::format::nanos(short as f64),
        long => long_time(long as f64 / 1e9),
    }
}

/// The power states of each drive; none where no drive reports any.
pub(super) fn power_states(results: &Comparison<'_, Wake>) -> Option<Table> {
    let columns = Columns::<ReportedPowerState>::new()
        .with("Draws at most", Quantity::Watts, |state| state.watts)
        .with("Entered after an idle time of", Quantity::Nanoseconds, |state| state.entered_after_ns)
        .with("Left within", Quantity::Nanoseconds, |state| state.exit_ns);
    let head = |state: &ReportedPowerState| {
        format!("{}{}", state.number, if state.is_operational { "" } else { ", serves no I/O" })
    };
    let table = results.table(&columns, "power-states", "Power state", |found| &found.power_states, head);
    (!table.rows.is_empty()).then_some(table)
}

/// The drives whose power states are not known, with the reason, a sentence each.
pub(super) fn unknown_power_states(results: &Comparison<'_, Wake>) -> Option<Block> {
    let sentence = |one: &ComparedResult<'_, Wake>| {
        let why = one.findings.no_power_states?.word();
        Some(if one.is_alone { format!("{}.", capitalised(why)) } else { format!("{}: {why}.", one.label()) })
    };
    let sentences: Vec<String> = results.iter().filter_map(sentence).collect();
    (!sentences.is_empty()).then(|| Block::Text(sentences.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_behind_the_step_in_whose_gap_it_is_entered() {
        let state = |number, after_ms: u64| ReportedPowerState {
            number,
            is_operational: false,
            watts: None,
            entered_after_ns: Some(after_ms * 1_000_000),
            exit_ns: Some(2_000_000),
        };
        let states = [state(3, 100), state(4, 2_000)];
        let step = |after_ms: u64, from_ms: u64| StepFindings {
            after_ns: after_ms * 1_000_000,
            from_ns: from_ms * 1_000_000,
            longer_ns: 2e6,
        };
        let expected = " (power state 3, which the drive enters after 100 ms and leaves within 2.00 ms)";
        assert_eq!(behind(&step(30, 100), &states), expected);
        let none = format!(" ({NO_STATE})");
        assert_eq!(behind(&step(100, 300), &states), none, "it was entered at the shorter rest already");
        assert_eq!(behind(&step(1_000, 3_000), &[]), "");
    }
}
