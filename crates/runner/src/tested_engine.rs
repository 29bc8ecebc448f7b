//! The engines that a test can run on: that of real drives, and the simulated drive.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{Engine, Payload};
use drivelab_kinds::{NoPowerStates, ReportedPowerState, WrittenCounts};
use drivelab_method::Thermometry;
use drivelab_record::SimulationAccount;
use drivelab_sim::SimDrive;
use drivelab_uring::UringEngine;

use crate::power_states::states_of_simulated;
use crate::seen_health::SimulatedReadings;
use crate::simulated_health::{health_report, whole_degrees};
use crate::{Account, RunSession};

/// An engine that a test can run on, with what only a simulated drive can tell.
pub trait TestedEngine: Engine + Send + Sized + 'static {
    /// Whether the kernel logs why I/Os fail: not those of a simulated drive.
    const HAS_KERNEL_LOG: bool = true;

    /// What was written so far; none of a real drive.
    fn written(&mut self) -> Option<WrittenCounts> {
        None
    }

    /// Whether a read of what was never written costs the drive no read of flash, as far as that is known.
    fn reads_nothing_free(&self) -> bool {
        false
    }

    /// The power states of a simulated drive; a real one is asked.
    fn power_states(&self) -> Result<Vec<ReportedPowerState>, NoPowerStates> {
        Err(NoPowerStates::NoAnswer)
    }

    /// Opens the drive's own account of what it does from now on; none of a real drive.
    fn open_account(&mut self) -> Option<Account> {
        None
    }

    /// Shows the temperature of a simulated drive, where it has one; a real drive is watched from outside.
    fn thermometry(&mut self) -> Option<Thermometry> {
        None
    }

    /// Begins to read the drive's own health whenever the count has grown; whether it keeps any. A real drive is watched from
    /// outside.
    fn begin_health_watch(&mut self, _suspicions: Arc<AtomicU64>) -> bool {
        false
    }

    /// Ends that, and returns what was read, oldest first.
    fn end_health_watch(&mut self) -> SimulatedReadings {
        SimulatedReadings::default()
    }

    /// Has the session take what the drive has read of its temperature; a real drive is watched from outside.
    fn take_heat(_session: &mut RunSession<Self>) {}

    /// Closes an account: the session's meter takes what was drawn since, the manifest what was done.
    fn close_account(_session: &mut RunSession<Self>, _account: Account) -> Option<SimulationAccount> {
        None
    }
}

impl<P: Payload + Send + 'static> TestedEngine for UringEngine<P> {}

impl TestedEngine for SimDrive {
    const HAS_KERNEL_LOG: bool = false;

    fn written(&mut self) -> Option<WrittenCounts> {
        let counts = self.ground_truth().lifetime;
        Some(WrittenCounts { host_bytes: counts.host_bytes, flash_bytes: counts.flash_units * 4096 })
    }

    fn reads_nothing_free(&self) -> bool {
        self.has_flash()
    }

    fn power_states(&self) -> Result<Vec<ReportedPowerState>, NoPowerStates> {
        states_of_simulated(self)
    }

    fn open_account(&mut self) -> Option<Account> {
        Some(Account::open(self))
    }

    fn thermometry(&mut self) -> Option<Thermometry> {
        let shown = self.show_heat()?;
        Some(Arc::new(move || Some(shown.load(Ordering::Relaxed) as f64 / 1e3)))
    }

    fn begin_health_watch(&mut self, suspicions: Arc<AtomicU64>) -> bool {
        SimDrive::begin_health_watch(self, suspicions)
    }

    fn end_health_watch(&mut self) -> SimulatedReadings {
        let readings = SimDrive::end_health_watch(self);
        let temperatures = readings.milli_celsius.into_iter();
        SimulatedReadings {
            reports: readings.logs.into_iter().map(|(at, log)| (at, health_report(&log))).collect(),
            temperatures: temperatures.map(|(at, milli)| (at, whole_degrees(milli))).collect(),
        }
    }

    fn take_heat(session: &mut RunSession<SimDrive>) {
        session.take_heat();
    }

    fn close_account(session: &mut RunSession<SimDrive>, account: Account) -> Option<SimulationAccount> {
        account.close(session)
    }
}
