//! What an NVMe drive counts of its own heat.

use drivelab_probe::nvme::ThermalCounters;
use drivelab_record::ThermalCountersDocument;
use drivelab_uring::{NvmeQueries, NvmeQuery};

/// The counters of a drive since the run began.
#[derive(Clone, Debug)]
pub struct ThrottleCounter {
    queries: NvmeQueries,
    before: ThermalCounters,
}

impl ThrottleCounter {
    /// Counts from now on; `None` of a drive that does not answer.
    pub fn new(queries: NvmeQueries) -> Option<ThrottleCounter> {
        let before = counters(&queries)?;
        Some(ThrottleCounter { queries, before })
    }

    /// For how many seconds the drive has throttled since then. Asks the drive, which has to be there.
    pub fn seconds(&self) -> Option<u32> {
        let moved = self.moved()?;
        Some(moved.light_seconds.saturating_add(moved.heavy_seconds))
    }

    /// How far each counter has moved since then. Asks the drive, which has to be there.
    pub fn document(&self) -> Option<ThermalCountersDocument> {
        let moved = self.moved()?;
        Some(ThermalCountersDocument {
            warning_minutes: moved.warning_minutes,
            critical_minutes: moved.critical_minutes,
            thermal_1_transitions: moved.light_transitions,
            thermal_2_transitions: moved.heavy_transitions,
            thermal_1_seconds: moved.light_seconds,
            thermal_2_seconds: moved.heavy_seconds,
        })
    }

    fn moved(&self) -> Option<ThermalCounters> {
        Some(counters(&self.queries)?.since(&self.before))
    }
}

fn counters(queries: &NvmeQueries) -> Option<ThermalCounters> {
    let answer = queries.ask(NvmeQuery::HealthLog).ok()?;
    ThermalCounters::parse(&answer.data)
}
