//! Reads that go on until the drive is warm.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use drivelab_block::{Completion, Instant, Nanos};
use drivelab_stats::WarmUp;
use drivelab_workload::{Next, Workload};

/// Shows the drive's temperature in degrees Celsius; `None` where its sensor shows none at the moment. Waits for no drive.
pub type Thermometry = Arc<dyn Fn() -> Option<f64> + Send + Sync>;

/// What the threads of a warm-up share.
#[derive(Clone, Debug)]
pub struct WarmUpState {
    is_warm: Arc<AtomicBool>,
    readings: Arc<Mutex<WarmUp>>,
}

impl WarmUpState {
    /// A warm-up that takes this long at most.
    pub fn lasting(at_most: Nanos) -> WarmUpState {
        WarmUpState { is_warm: Arc::default(), readings: Arc::new(Mutex::new(WarmUp::with_room(at_most))) }
    }

    /// What was read so far.
    pub fn readings(&self) -> WarmUp {
        self.readings.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a reading where one is due.
    fn read(&self, elapsed: Nanos, thermometry: &Thermometry) {
        let mut readings = self.readings.lock().unwrap_or_else(PoisonError::into_inner);
        if !readings.is_due(elapsed) {
            return;
        }
        if let Some(celsius) = thermometry() {
            readings.add(elapsed, celsius);
            self.is_warm.store(readings.is_warm(), Ordering::Relaxed);
        }
    }
}

/// Asks what `workload` asks until the drive is warm ([`WarmUp`]). One of the threads reads the temperature.
pub struct Warmed<W> {
    workload: W,
    state: WarmUpState,
    thermometry: Option<Thermometry>,
}

impl<W> Warmed<W> {
    /// The workload of a thread; the first one has the thermometry.
    pub fn new(workload: W, state: &WarmUpState, thermometry: Option<Thermometry>) -> Warmed<W> {
        Warmed { workload, state: state.clone(), thermometry }
    }
}

impl<W: Workload> Workload for Warmed<W> {
    fn next_ask(&mut self) -> Next {
        if self.state.is_warm.load(Ordering::Relaxed) { Next::End } else { self.workload.next_ask() }
    }

    fn answered(&mut self, completions: &[Completion], started_at: Instant) {
        if let (Some(thermometry), Some(last)) = (&self.thermometry, completions.last()) {
            self.state.read(last.completed_at.since(started_at), thermometry);
        }
        self.workload.answered(completions, started_at);
    }
}
