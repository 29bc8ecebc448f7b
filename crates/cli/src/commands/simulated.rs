//! What only a simulated drive can tell.

use drivelab_block::Instant;
use drivelab_sim::{Counts, GroundTruth};

use crate::exit::Failure;
use crate::kept::{DelayAccount, SimulationAccount};

/// The drive's own account of what it did since `before`, a moment at `started_at`.
pub fn account(
    before: &Counts,
    started_at: Instant,
    truth: &GroundTruth,
) -> Result<serde_json::Value, Failure> {
    let counts = truth.lifetime.since(before);
    let delays = truth.delays.iter().filter(|delay| delay.at >= started_at);
    let account = SimulationAccount {
        write_amplification: counts.write_amplification(),
        collections: counts.erased_blocks,
        injected_delays: delays
            .enumerate()
            .map(|(index, delay)| DelayAccount {
                at_ns: delay.at.as_nanos(),
                duration_ns: delay.duration.get(),
                bytes_since_previous: (index > 0).then(|| delay.written_since_previous.get()),
            })
            .collect(),
    };
    serde_json::to_value(account)
        .map_err(|error| Failure::Environment(format!("the account cannot be kept: {error}")))
}
