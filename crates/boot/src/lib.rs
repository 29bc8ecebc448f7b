//! How a machine with systemd boots: what makes its kernel trace the boot from the first moment, what systemd and the kernel
//! report of it, and the folder that keeps it.
//!
//! ```text
//! Setup ─▶ steps: files and commands ─▶ the next boot ─▶ ManagerTimes, units, ProcessorSample ─▶ BootRecord (boot.json)
//! ```
//!
//! The crate plans and reads text. It runs no program, changes nothing but the folder of a boot, and reads no clock.

#![forbid(unsafe_code)]

mod command_line;
mod counters;
mod folder;
mod setup;
mod systemd;
mod units;

pub use command_line::{TRACED_EVENTS, TraceParameters, foreign_tracing};
pub use counters::{DriveCounters, ProcessorSample, drive_counters};
pub use folder::{
    BOOT_SCHEMA, BootDrive, BootError, BootMachine, BootProcess, BootRecord, TargetTime, is_boot_folder,
};
pub use setup::{BootLoader, Enabled, NoSetup, Setup, Step, UNIT, disable};
pub use systemd::{MANAGER_PROPERTIES, ManagerTimes};
pub use units::{UNIT_PROPERTIES, UnitTimes, units};
