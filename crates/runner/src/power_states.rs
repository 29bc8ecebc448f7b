//! The power states that a drive reports, and when it enters them.

use drivelab_kinds::{NoPowerStates, ReportedPowerState};
use drivelab_probe::nvme::{IdleTransition, PowerState, idle_transitions, is_enabled};
use drivelab_safety::Identity;
use drivelab_sim::SimDrive;
use drivelab_uring::{NoPassthrough, NvmeFeature, NvmeQueries, NvmeQuery};

use crate::Real;
use crate::nvme_conditions::{AskNvme, controller_facts};

/// Those of an NVMe drive; of any other target, or of a drive that does not answer, why there are none.
pub(crate) fn states_of(real: &Real) -> Result<Vec<ReportedPowerState>, NoPowerStates> {
    if matches!(real.identity(), Identity::File(_)) {
        return Err(NoPowerStates::File);
    }
    let queries = NvmeQueries::open(&real.access).map_err(|why| match why {
        NoPassthrough::NotNvme => NoPowerStates::NotNvme,
        NoPassthrough::Partition => NoPowerStates::Partition,
        NoPassthrough::NotPossible(_) => NoPowerStates::NoAnswer,
    })?;
    reported(&queries)
}

fn reported(drive: &impl AskNvme) -> Result<Vec<ReportedPowerState>, NoPowerStates> {
    let facts = controller_facts(drive)
        .filter(|facts| !facts.power_states.is_empty())
        .ok_or(NoPowerStates::NoAnswer)?;
    let answer =
        facts.has_idle_transitions.then(|| drive.answer(NvmeQuery::Feature(NvmeFeature::IdleTransitions)));
    let answer = answer.flatten().filter(|answer| is_enabled(answer.result));
    let transitions = answer.and_then(|answer| idle_transitions(&answer.data)).unwrap_or_default();
    let state = |(number, state): (u8, &PowerState)| of_nvme(number, state, &transitions);
    Ok((0..).zip(&facts.power_states).map(state).collect())
}

fn of_nvme(number: u8, state: &PowerState, transitions: &[IdleTransition]) -> ReportedPowerState {
    let into = transitions.iter().filter(|transition| transition.to == number);
    let nanos = |micros: u32| u64::from(micros) * 1_000;
    ReportedPowerState {
        number,
        is_operational: state.is_operational,
        watts: state.max_microwatts.map(|microwatts| microwatts as f64 / 1e6),
        entered_after_ns: into.map(|transition| u64::from(transition.idle_ms) * 1_000_000).min(),
        exit_ns: state.exit_us.map(nanos),
    }
}

/// Those in which a simulated drive rests: state 0 is the one that it works in.
pub(crate) fn states_of_simulated(drive: &SimDrive) -> Result<Vec<ReportedPowerState>, NoPowerStates> {
    let state = |(number, state): (u8, drivelab_sim::RestState)| ReportedPowerState {
        number,
        is_operational: false,
        watts: Some(state.microwatts as f64 / 1e6),
        entered_after_ns: Some(state.after.get()),
        exit_ns: Some(state.exit_latency.get()),
    };
    let states: Vec<ReportedPowerState> = (1..).zip(drive.power_states()).map(state).collect();
    if states.is_empty() { Err(NoPowerStates::NotInProfile) } else { Ok(states) }
}

#[cfg(test)]
mod tests {
    use drivelab_uring::NvmeAnswer;

    use super::*;

    /// Two states: 8.25 W, and 5 mW after 100 ms, which takes 8 ms to leave.
    struct Made {
        transitions: u32,
    }

    impl AskNvme for Made {
        fn answer(&self, query: NvmeQuery) -> Option<NvmeAnswer> {
            let mut data = vec![0; 4096];
            (data[263], data[265]) = (1, 1);
            data[2048..2050].copy_from_slice(&825_u16.to_le_bytes());
            data[2080..2082].copy_from_slice(&50_u16.to_le_bytes());
            data[2083] = 0b11;
            data[2088..2092].copy_from_slice(&8_000_u32.to_le_bytes());
            if query == NvmeQuery::Controller {
                return Some(NvmeAnswer { result: 0, data });
            }
            let mut table = vec![0; 256];
            table[0..4].copy_from_slice(&(100_u32 << 8 | 1 << 3).to_le_bytes());
            Some(NvmeAnswer { result: self.transitions, data: table })
        }
    }

    #[test]
    fn a_state_has_the_idle_time_after_which_it_is_entered() {
        let states = reported(&Made { transitions: 1 }).expect("states");
        assert_eq!(states.len(), 2);
        let works = ReportedPowerState {
            number: 0,
            is_operational: true,
            watts: Some(8.25),
            entered_after_ns: None,
            exit_ns: None,
        };
        assert_eq!(states[0], works);
        assert_eq!((states[1].number, states[1].watts, states[1].is_operational), (1, Some(0.005), false));
        assert_eq!((states[1].entered_after_ns, states[1].exit_ns), (Some(100_000_000), Some(8_000_000)));
        let off = reported(&Made { transitions: 0 }).expect("states");
        assert_eq!(off[1].entered_after_ns, None, "the transitions are off");
    }
}
