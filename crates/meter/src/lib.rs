//! Reads meters of electric power: batteries, processor packages (RAPL), sensors of hwmon, SCPI instruments on the
//! network or a serial line, and what another program logged.
//!
//! A reading is what the meter said, or why it said nothing that can be believed. Nothing is filled in: a meter that
//! is silent, answers garbage or is overloaded gives an error of its own kind, which the caller counts.

#![forbid(unsafe_code)]

mod battery;
mod error;
mod hwmon;
mod logged;
mod meter;
mod rapl;
mod scpi;
mod spec;
mod sysfs;

pub use error::MeterError;
pub use logged::{Logged, LoggedPower, WrongLines};
pub use meter::{Meter, Reading};
pub use spec::{MeterSpec, ScpiPlace};
