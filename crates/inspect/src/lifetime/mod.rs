//! What was ever written to drives, by their own counters and by the ext4 file systems on them.

mod findings;
mod since;
mod view;

pub use findings::{
    DriveHealth, DriveHealthFinding, DriveHealthKind, DriveLifetime, Ext4Counters, Ext4Since, HealthState,
    LifetimeFindings, LifetimeSince, RatedEndurance,
};
pub use since::{ext4_without_counters, since};
pub use view::view;
