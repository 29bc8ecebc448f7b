//! What the processors of a machine did while a cell was written, and before and after.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A window of time in which the processors were watched, and the kernel's ticks in it, of all processors together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Its begin in seconds on the kernel's monotonic clock.
    pub from_s: f64,
    /// Its end.
    pub to_s: f64,
    /// Ticks in programs.
    pub user_ticks: u64,
    /// Ticks in the kernel, interrupts included.
    pub system_ticks: u64,
    /// Idle ticks while a task waited for I/O.
    pub iowait_ticks: u64,
    /// Idle ticks.
    pub idle_ticks: u64,
    /// Ticks that a hypervisor gave to others.
    pub steal_ticks: u64,
}

/// The windows of one run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Windows {
    /// Idle, before the writing.
    pub before: Window,
    /// From the first write to the end of the last.
    pub during: Window,
    /// Idle, after it.
    pub after: Window,
}

/// Shares of the time of all processors, which add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessorShares {
    /// In programs.
    pub user: f64,
    /// In the kernel, interrupts included.
    pub system: f64,
    /// Idle while a task waited for I/O.
    pub iowait: f64,
    /// Idle.
    pub idle: f64,
    /// Given to others by a hypervisor.
    pub steal: f64,
}

/// The processors before, during and after the writing, all runs of a cell together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessorUse {
    /// Idle, before.
    pub before: ProcessorShares,
    /// While it was written.
    pub during: ProcessorShares,
    /// Idle, after.
    pub after: ProcessorShares,
}

impl Window {
    /// All ticks.
    pub fn ticks(&self) -> u64 {
        self.user_ticks + self.system_ticks + self.iowait_ticks + self.idle_ticks + self.steal_ticks
    }
}

impl ProcessorShares {
    /// The shares in all of these windows together; `None` where no tick fell into them. Ticks are coarse, so they are added up
    /// before shares are taken.
    pub fn from_windows(windows: &[Window]) -> Option<ProcessorShares> {
        let total = windows.iter().map(Window::ticks).sum::<u64>();
        let share = |part: fn(&Window) -> u64| windows.iter().map(part).sum::<u64>() as f64 / total as f64;
        (total > 0).then(|| ProcessorShares {
            user: share(|window| window.user_ticks),
            system: share(|window| window.system_ticks),
            iowait: share(|window| window.iowait_ticks),
            idle: share(|window| window.idle_ticks),
            steal: share(|window| window.steal_ticks),
        })
    }

    /// The share in programs and in the kernel.
    pub fn busy(&self) -> f64 {
        self.user + self.system
    }
}

impl ProcessorUse {
    /// The shares of all runs with these windows; `None` where any part has no tick.
    pub fn from_runs(runs: &[Windows]) -> Option<ProcessorUse> {
        let shares = |part: fn(&Windows) -> Window| {
            ProcessorShares::from_windows(&runs.iter().map(part).collect::<Vec<Window>>())
        };
        Some(ProcessorUse {
            before: shares(|all| all.before)?,
            during: shares(|all| all.during)?,
            after: shares(|all| all.after)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_those_of_all_ticks_together() {
        let one = Window {
            user_ticks: 10,
            system_ticks: 20,
            iowait_ticks: 30,
            idle_ticks: 40,
            ..Window::default()
        };
        let other = Window { idle_ticks: 100, ..Window::default() };
        let shares = ProcessorShares::from_windows(&[one, other]).expect("ticks");
        assert!((shares.user - 0.05).abs() < 1e-12 && (shares.busy() - 0.15).abs() < 1e-12);
        assert!((shares.iowait - 0.15).abs() < 1e-12 && (shares.idle - 0.7).abs() < 1e-12);
        assert_eq!(ProcessorShares::from_windows(&[Window::default()]), None);
    }
}
