//! The power states that a drive reports, to be compared with the times of reads after rests.

use drivelab_view::format::{capitalised, long_time, nanos};
use drivelab_view::{Block, Columns, Quantity, Table};

use super::{StepFindings, Wake, WakeFindings};
use crate::{ComparedResult, Comparison, NoPowerStates, ReportedPowerState};

/// What may be behind a step for which no power state accounts.
const NO_STATE: &str =
    "the drive enters none of its power states in between: the machine may be what gets slower";

/// Whether the drive enters the state between these two rests, and not before.
fn is_behind(state: &ReportedPowerState, step: &StepFindings) -> bool {
    state.entered_after_ns.is_some_and(|after| step.after_ns < after && after <= step.from_ns)
}

/// The states that may be behind a step, in words; where the drive reports states, and none of them is, what else may be; empty
/// where no states are known.
pub(super) fn behind(step: &StepFindings, states: &[ReportedPowerState]) -> String {
    let found = states.iter().filter(|state| is_behind(state, step)).filter_map(|state| {
        let after = in_words(state.entered_after_ns?);
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
pub(super) fn entered_before_all(found: &WakeFindings) -> Option<String> {
    let (shortest, _) = found.ends()?;
    let enters = |state: &&ReportedPowerState| {
        state.entered_after_ns.is_some_and(|after| after > 0 && after <= shortest.rest_ns)
    };
    let deepest = found.power_states.iter().filter(enters).max_by_key(|state| state.entered_after_ns)?;
    let after = in_words(deepest.entered_after_ns?);
    Some(format!(
        "The drive enters power state {} after {after}, before each of these rests is over: what it takes to leave it is in \
         every read, and a rest shorter than {after} shows how much it is.",
        deepest.number
    ))
}

/// A time in words: of a rest, or of an idle time.
pub(super) fn in_words(nanos: u64) -> String {
    match nanos {
        short @ ..1_000_000_000 => drivelab_view::format::nanos(short as f64),
        long => long_time(long as f64 / 1e9),
    }
}

/// The power states of each drive; none where no drive reports any.
pub(super) fn table(results: &Comparison<'_, Wake>) -> Option<Table> {
    let columns = Columns::<ReportedPowerState>::new()
        .with("Draws at most", Quantity::Watts, |state| state.watts)
        .with("Entered after an idle time of", Quantity::Nanoseconds, |state| state.entered_after_ns)
        .with("Left within", Quantity::Nanoseconds, |state| state.exit_ns);
    let mut table = columns.table("power-states", "", "Power state");
    for one in results.iter() {
        table.rows.extend(one.findings.power_states.iter().map(|state| {
            let use_of = if state.is_operational { "" } else { ", serves no I/O" };
            one.row(format!("{}{use_of}", state.number), columns.cells(state))
        }));
    }
    (!table.rows.is_empty()).then_some(table)
}

/// The drives whose power states are not known, with the reason, a sentence each.
pub(super) fn unknown(results: &Comparison<'_, Wake>) -> Option<Block> {
    let sentence = |one: &ComparedResult<'_, Wake>| {
        let why = why_unknown(one.findings.no_power_states?);
        Some(if one.is_alone { format!("{}.", capitalised(why)) } else { format!("{}: {why}.", one.label()) })
    };
    let sentences: Vec<String> = results.iter().filter_map(sentence).collect();
    (!sentences.is_empty()).then(|| Block::Text(sentences.join(" ")))
}

/// Why no power states are known, without the final stop.
fn why_unknown(why: NoPowerStates) -> &'static str {
    match why {
        NoPowerStates::NotInProfile => {
            "the profile of this simulated drive has no power states (power_state_1_after gives it one)"
        }
        NoPowerStates::File => {
            "a file has no power states: name the drive that it lies on to see those of the drive"
        }
        NoPowerStates::NotNvme => {
            "this is no NVMe drive, and drives of other kinds do not report when they enter their power states"
        }
        NoPowerStates::Partition => {
            "this is a partition, and the power states are those of the whole drive: name that"
        }
        NoPowerStates::NoAnswer => {
            "the drive did not answer which power states it has: that may take root, or a newer kernel"
        }
    }
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
