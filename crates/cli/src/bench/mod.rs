//! Wiring: from a target's name to a running engine, and from its completions to a kept run.

mod conditions;
mod confirm;
mod cpus;
mod progress;
mod session;
mod target;
mod watch;

pub use conditions::{drive_conditions, obtained_conditions, simulated_conditions, system_conditions};
pub use confirm::claim;
pub use cpus::check as check_cpus;
pub use progress::Display;
pub use session::{Finished, Opening, Session};
pub use target::{Real, TargetName};
pub use watch::Watch;
