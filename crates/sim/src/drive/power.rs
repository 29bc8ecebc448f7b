//! What becomes of the drive without power, or with less of it.

use drivelab_block::{EngineError, Instant, Request, Status};

use super::SimDrive;
use crate::resting::RestState;
use crate::span::UnitSpan;
use crate::truth::PowerCut;

impl SimDrive {
    /// Cuts the drive's power now, and gives it power again at once. Commands in flight are never answered; what was taken
    /// into a volatile write cache and is not programmed is lost, and its blocks show what was durable before it. A drive with
    /// power-loss protection and a disk lose nothing that they have taken. The clock goes on.
    ///
    /// # Errors
    /// Where the drive was not made for power cuts ([`SimDrive::with_power_cuts`]): what its blocks held before is not known.
    pub fn cut_power(&mut self) -> Result<PowerCut, EngineError> {
        if !self.has_power_cuts {
            return Err(EngineError::new(
                "this simulated drive does not know what a power cut takes: make it with power cuts",
            ));
        }
        let unanswered = self.in_flight.len() as u64;
        self.in_flight.clear();
        let lost = self.mechanism.cut_power(self.now);
        for lost in &lost {
            self.faults.renew(UnitSpan::from_sector(lost.at));
        }
        let cut = PowerCut { at: Instant::from_nanos(self.now), unanswered, lost };
        self.cuts.push(cut.clone());
        Ok(cut)
    }

    /// The states in which the drive rests, by the idle time after which they are reached; none of a drive that never does.
    pub fn power_states(&self) -> Vec<RestState> {
        self.resting.as_ref().map_or_else(Vec::new, |resting| resting.states.clone())
    }

    /// Serves a request of a drive with power states: the first one after a rest pays for the way out of the state that was
    /// reached.
    pub(super) fn serve_rested(&mut self, at: u64, request: &Request) -> (u64, Status) {
        let awake = self.resting.as_mut().map_or(at, |resting| resting.wake(at));
        self.mechanism.hold_until(awake);
        let served = self.serve_at(awake, request);
        if let Some(resting) = &mut self.resting {
            resting.answered(served.0);
        }
        served
    }

    /// Energy that power states have saved until `at`, in picojoules.
    pub(super) fn saved_until(&self, at: u64) -> u128 {
        self.resting.as_ref().map_or(0, |resting| resting.saved_until(at))
    }
}
