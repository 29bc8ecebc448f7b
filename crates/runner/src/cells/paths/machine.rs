//! What the machine did while a cell was written.

use drivelab_kinds::paths::Window;
use drivelab_probe::{ProcessorTime, Roots, block_counters, processor_time};
use drivelab_safety::DeviceNumber;
use drivelab_uring::{OwnTime, own_time};

use crate::monotonic_s;

#[derive(Clone, Copy, Debug, Default)]
pub struct MachineReading {
    at_s: f64,
    processors: ProcessorTime,
    busy_ms: Option<u64>,
    pub own: OwnTime,
}

impl MachineReading {
    /// Reads everything, the processors last and first of all: what the reading itself takes lies outside.
    pub fn now(device: Option<DeviceNumber>) -> MachineReading {
        let roots = Roots::live();
        let busy_ms = device
            .and_then(|number| block_counters(&roots, number.major, number.minor))
            .map(|counters| counters.busy_ms);
        MachineReading {
            busy_ms,
            own: own_time(),
            at_s: monotonic_s(),
            processors: processor_time(&roots).unwrap_or_default(),
        }
    }

    /// What the processors did since an earlier reading.
    pub fn window_since(&self, earlier: &MachineReading) -> Window {
        let ProcessorTime { user, system, iowait, idle, steal } = self.processors.since(&earlier.processors);
        Window {
            from_s: earlier.at_s,
            to_s: self.at_s,
            user_ticks: user,
            system_ticks: system,
            iowait_ticks: iowait,
            idle_ticks: idle,
            steal_ticks: steal,
        }
    }

    /// How long the device had something to do since an earlier reading, in nanoseconds.
    pub fn busy_ns_since(&self, earlier: &MachineReading) -> Option<u64> {
        Some(self.busy_ms?.saturating_sub(earlier.busy_ms?).saturating_mul(1_000_000))
    }
}
