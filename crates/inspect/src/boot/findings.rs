//! What was found of boots.

use drivelab_documents::{ClockTime, Notice};
use drivelab_stats::IntervalEnds;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MeanOverRuns;

/// Boots, put together by the drive that the machine booted from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootFindings {
    /// Each drive, in the order in which the boots were named.
    pub drives: Vec<BootedDrive>,
    /// How many times faster the machine boots from the fastest drive than from each other one; empty of one drive.
    pub comparisons: Vec<BootComparison>,
    /// Each boot.
    pub boots: Vec<OneBoot>,
}

/// The boots from one drive.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootedDrive {
    /// A short name of it.
    pub label: String,
    /// Its model.
    pub model: Option<String>,
    /// Its serial number.
    pub serial: Option<String>,
    /// Its size.
    pub size_bytes: Option<u64>,
    /// How many boots there are.
    pub boots: u64,
    /// Boots that came to their end, of which the times are the mean.
    pub finished: u64,
    /// From the kernel's beginning to the end of the boot, in seconds.
    pub total_s: MeanOverRuns,
    /// From the kernel's beginning to the default target, in seconds.
    pub target_s: MeanOverRuns,
    /// Bytes that were read until the end of the boot.
    pub read_bytes: MeanOverRuns,
    /// The highest rate of reading over 100 ms, in bytes a second.
    pub peak_read_bytes_per_s: MeanOverRuns,
    /// For how long at least one request was with the drive until the end of the boot, in seconds: no faster drive can save more
    /// than that.
    pub drive_busy_s: MeanOverRuns,
}

/// A drive against the fastest one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootComparison {
    /// The fastest drive's label.
    pub fastest: String,
    /// The other drive's label.
    pub other: String,
    /// The other drive's mean time over that of the fastest one.
    pub times_as_long: f64,
    /// The 95 % confidence interval of that; null where a drive has fewer than two boots.
    pub interval: Option<IntervalEnds>,
}

/// One boot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OneBoot {
    /// Its folder.
    pub folder: String,
    /// The label of its drive.
    pub drive: String,
    /// When the kernel began: by the clock of the machine, or in UTC where its zone was not kept; null where that was after the
    /// year 9999.
    pub began: Option<ClockTime>,
    /// The machine's host name.
    pub machine: String,
    /// The version of drivelab that kept it.
    pub version: String,
    /// The kernel's release.
    pub kernel: String,
    /// The kernel's command line.
    pub command_line: String,
    /// How long each part took.
    pub seconds: BootSeconds,
    /// The default target.
    pub target: Option<BootedTarget>,
    /// Reads and writes until the end of the boot.
    pub requests: u64,
    /// Bytes that were read.
    pub read_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// The highest rate of reading; null where nothing was read.
    pub peak: Option<BootPeak>,
    /// For how long at least one request was with the drive until the end of the boot, in seconds: no faster drive can save more
    /// than that.
    pub drive_busy_s: f64,
    /// The share of the bytes that the kernel counted of the drive which is in the trace, until the trace ended; null where the
    /// kernel's own count is not known.
    pub traced_share: Option<f64>,
    /// How the processors spent their time; null where they were not looked at.
    pub processors: Option<BootProcessorUse>,
    /// Units, in the order in which their start began.
    pub units: Vec<UnitFindings>,
    /// Programs by their names, those that read most first.
    pub programs: Vec<ProgramFindings>,
    /// What the reader has to know.
    pub notices: Vec<Notice>,
}

/// How long each part of a boot took, in seconds; null where there was no such part, or its time is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootSeconds {
    /// The firmware, before the boot loader.
    pub firmware: Option<f64>,
    /// The boot loader.
    pub loader: Option<f64>,
    /// The kernel, until systemd began in the initramfs, or in the root file system where there is no such initramfs.
    pub kernel: f64,
    /// The initramfs.
    pub initrd: Option<f64>,
    /// From systemd's beginning in the root file system to the end of the boot.
    pub userspace: Option<f64>,
    /// From the kernel's beginning to the end of the boot.
    pub total: Option<f64>,
}

/// A target that was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootedTarget {
    /// Its name.
    pub name: String,
    /// From the kernel's beginning, in seconds.
    pub reached_s: f64,
}

/// The highest rate of reading over 100 ms.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootPeak {
    /// Bytes a second.
    pub bytes_per_s: f64,
    /// When the 100 ms began, in seconds from the kernel's beginning.
    pub at_s: f64,
}

/// Shares of the time of all processors, from the kernel's beginning to the end of the boot.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BootProcessorUse {
    /// Running programs or the kernel.
    pub busy: f64,
    /// Idle while a program waited for I/O.
    pub waiting: f64,
    /// Idle otherwise.
    pub idle: f64,
    /// Taken by the hypervisor for others.
    pub stolen: f64,
}

/// A unit that was started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnitFindings {
    /// Its name.
    pub name: String,
    /// When its start began, in seconds from the kernel's beginning.
    pub began_s: f64,
    /// How long its start took; null where it did not end.
    pub took_s: Option<f64>,
    /// Processor time of its processes, in seconds.
    pub processor_s: Option<f64>,
    /// What they read, in bytes, as systemd counts it.
    pub read_bytes: Option<u64>,
    /// What they wrote, in bytes.
    pub written_bytes: Option<u64>,
}

/// All processes that ran one program.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramFindings {
    /// Its name, at most 15 bytes, as the kernel has it; kernel threads are among them.
    pub name: String,
    /// How often it was started; 0 of kernel threads, and of what ran before the trace.
    pub runs: u64,
    /// When it was first started, in seconds from the kernel's beginning.
    pub began_s: Option<f64>,
    /// How long its processes lived, added up until the end of the boot, in seconds.
    pub lived_s: f64,
    /// Bytes that it read from drives.
    pub read_bytes: u64,
    /// Bytes that it wrote to drives. What waits in memory is written by threads of the kernel.
    pub written_bytes: u64,
    /// Its reads and writes.
    pub requests: u64,
}
