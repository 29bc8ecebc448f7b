//! Reads the machine and never writes to it: the environment, a drive's settings, its health, its
//! temperature, what the kernel says about it.
//!
//! Whatever is missing (a program, a file of sysfs, a right) is an answer of its own and never an error: a
//! run without health data is still a run, and its report says why there is none.

#![forbid(unsafe_code)]

mod block_stat;
mod conditions;
mod controllers;
mod drive_folder;
mod environment;
mod gate;
mod health;
mod health_finding;
mod health_json;
mod kernel_log;
pub mod nvme;
mod nvme_kernel;
mod pcie;
mod presence;
mod pressure;
mod processors;
mod roots;
mod run_delay;
mod smartctl;
mod smartctl_exit;
mod temperature;
mod thermometer;
mod trim_claims;
mod written;

pub use block_stat::{BlockCounters, block_counters};
pub use conditions::{Condition, aspm_policy, device_conditions, join_distinct};
pub use controllers::{NvmeController, NvmePath, nvme_controllers, nvme_paths};
pub use environment::{Environment, environment};
pub use gate::{HealthVerdict, judge};
pub use health::{Attribute, Change, Health, HealthReport, NotAvailable, NvmeHealth};
pub use health_finding::{HealthFinding, HealthWeight, SectorFault};
pub use health_json::parse_health;
pub use kernel_log::{KernelLog, KernelRecord};
pub use nvme_kernel::{LatencyTolerance, default_latency_us, latency_tolerances};
pub use pcie::{LinkSpeed, PciDevice, PciLink, pci_devices};
pub use presence::{Presence, is_read_only, presence};
pub use pressure::{Pressure, pressure};
pub use processors::{ProcessorTime, online_processors, processor_time};
pub use roots::Roots;
pub use run_delay::{RunDelay, Scheduled, threads};
pub use smartctl::health;
pub use smartctl_exit::SmartctlExit;
pub use temperature::{Temperature, TemperatureSource, temperature};
pub use thermometer::{Celsius, MilliCelsius, Sensor, SensorDriver, Thermometer};
pub use trim_claims::{TrimClaims, trim_claims};
pub use written::{
    CountedUnit, Ext4Written, HostWrites, UnitConflict, Written, WrittenCounter, ext4_written,
};
