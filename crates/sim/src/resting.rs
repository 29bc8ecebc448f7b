//! Power states that a drive falls into while it rests, and what the first command after the rest pays.

use drivelab_block::Nanos;

use crate::profile::PowerStateParameters;

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

#[derive(Debug)]
pub(crate) struct Resting {
    /// Those that are used, by the idle time after which they are reached.
    pub(crate) states: Vec<RestState>,
    /// When the last command was answered.
    quiet_from: u64,
    /// Energy that was saved in them, in picojoules.
    saved: u128,
    idle_power: u64,
}

impl Resting {
    /// `None` where the profile has no power states.
    pub(crate) fn new(states: &[PowerStateParameters], idle_power: u64) -> Option<Resting> {
        let state = |state: &PowerStateParameters| RestState {
            after: Nanos::new(state.after),
            exit_latency: Nanos::new(state.exit),
            microwatts: state.power,
        };
        let states: Vec<RestState> = states.iter().filter(|state| state.after > 0).map(state).collect();
        (!states.is_empty()).then_some(Resting { states, quiet_from: 0, saved: 0, idle_power })
    }

    /// The drive is asked at `at`; returns when it is awake.
    pub(crate) fn wake(&mut self, at: u64) -> u64 {
        let idle = at.saturating_sub(self.quiet_from);
        let Some(state) = self.states.iter().rfind(|state| state.after.get() <= idle) else { return at };
        self.saved = self.saved_until(at);
        self.quiet_from = at;
        at + state.exit_latency.get()
    }

    pub(crate) fn answered(&mut self, at: u64) {
        self.quiet_from = self.quiet_from.max(at);
    }

    /// Energy that was saved until `at`, in picojoules.
    pub(crate) fn saved_until(&self, at: u64) -> u128 {
        let idle = at.saturating_sub(self.quiet_from);
        let ends = self.states.iter().skip(1).map(|state| state.after.get()).chain([u64::MAX]);
        let rested = self.states.iter().zip(ends).map(|(state, end)| {
            let nanos = idle.min(end).saturating_sub(state.after.get());
            // Microwatts x nanoseconds are femtojoules.
            u128::from(nanos) * u128::from(self.idle_power.saturating_sub(state.microwatts)) / 1_000
        });
        self.saved + rested.sum::<u128>()
    }
}
