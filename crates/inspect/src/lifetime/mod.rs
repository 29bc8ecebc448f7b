//! What was ever written to drives, by their own counters and by the ext4 file systems on them.

mod findings;
mod health;
mod since;
mod view;

pub use findings::{DriveLifetime, Ext4Counters, Ext4Since, LifetimeFindings, LifetimeSince, RatedEndurance};
pub use health::{DriveHealth, DriveHealthFinding, DriveHealthKind, HealthState};
pub use since::{ext4_without_counters, since};
pub use view::view;
