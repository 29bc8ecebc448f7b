//! Reads the machine and never writes to it: the environment, a drive's settings, its health, its
//! temperature, what the kernel says about it.
//!
//! Whatever is missing (a program, a file of sysfs, a right) is an answer of its own and never an error: a
//! run without health data is still a run, and its report says why there is none.

#![forbid(unsafe_code)]

mod block_stat;
mod conditions;
mod controllers;
mod environment;
mod health;
mod health_finding;
mod health_json;
mod kernel_log;
pub mod nvme;
mod pcie;
mod processors;
mod roots;
mod run_delay;
mod smartctl;
mod thermometer;
mod written;

pub use block_stat::{BlockCounters, Presence, block_counters, is_read_only, presence};
pub use conditions::{Condition, aspm_policy, device_conditions, join_distinct};
pub use controllers::{NvmeController, NvmePath, nvme_controllers, nvme_paths};
pub use environment::{Environment, environment};
pub use health::{Attribute, Change, Health, HealthReport, NotAvailable, NvmeHealth, SmartctlExit};
pub use health_finding::{HealthFinding, HealthVerdict, HealthWeight, SectorFault, judge};
pub use health_json::parse_health;
pub use kernel_log::{KernelLog, KernelRecord};
pub use pcie::{
    LatencyTolerance, LinkSpeed, PciDevice, PciLink, default_latency_us, latency_tolerances, pci_devices,
};
pub use processors::{Pressure, ProcessorTime, online_processors, pressure, processor_time};
pub use roots::Roots;
pub use run_delay::{RunDelay, Scheduled, threads};
pub use smartctl::{Temperature, TemperatureSource, TrimClaims, health, temperature, trim_claims};
pub use thermometer::{Celsius, MilliCelsius, Sensor, SensorDriver, Thermometer};
pub use written::{
    CountedUnit, Ext4Written, HostWrites, UnitConflict, Written, WrittenCounter, ext4_written,
};
