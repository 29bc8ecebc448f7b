//! The power states that a profile has.

use drivelab_block::Nanos;

use super::{PowerStateParameters, Profile};

/// A non-operational power state of a simulated drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestState {
    /// The idle time after which the drive is in it.
    pub after: Nanos,
    /// What the first command after the rest waits for in addition.
    pub exit_latency: Nanos,
    /// What the drive draws in it, in microwatts.
    pub microwatts: u64,
}

impl RestState {
    /// The state with these parameters.
    pub(crate) fn from_parameters(parameters: &PowerStateParameters) -> RestState {
        RestState {
            after: Nanos::new(parameters.after),
            exit_latency: Nanos::new(parameters.exit),
            microwatts: parameters.power,
        }
    }
}

impl Profile {
    /// The drive's non-operational power states, by the idle time after which they are reached: four at most.
    #[must_use]
    pub fn power_states(&self) -> Vec<RestState> {
        let states = self.parameters().power_states.iter().filter(|state| state.after > 0);
        states.map(RestState::from_parameters).collect()
    }
}
