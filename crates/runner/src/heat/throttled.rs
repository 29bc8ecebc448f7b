//! In which phases of a run its drive throttled, from what was read alongside it.

use std::sync::{Arc, Mutex};

use drivelab_block::{Instant, Nanos};
use drivelab_documents::{HeatDocument, HeatLimitKind, Manifest, Phase, ThrottledPhase};
use drivelab_record::{Gauge, Readings};
use drivelab_stats::{HeatPoint, ThrottleFrom, counted_throttling, throttling};

use super::notices::notices;
use super::reading::{COUNTER, is_temperature};

/// Gauges of the device's own counters that are judged with its temperature: what it read, what was written to it, and the share
/// of the time in which it had something to do.
pub(crate) const DEVICE_READ: (&str, &str) = ("device read", "MB/s");
pub(crate) const DEVICE_WRITTEN: (&str, &str) = ("device written", "MB/s");
pub(crate) const DEVICE_BUSY: (&str, &str) = ("device busy", "%");
/// The shortest phase that is judged: in less a drive does not warm up.
const SHORTEST: Nanos = Nanos::from_secs(10);
/// A drive that is busy for less of an interval, in percent, has a rate that its load chose.
const BUSY: f64 = 50.0;
/// By how many seconds a counter may lag that is asked every second and counts whole ones: one that moves by more than the time
/// that passed and this is not kept up to date.
const LATE_S: f64 = 2.0;

/// What is known of every second of a run on a real drive, whose phases have one load each.
#[derive(Clone, Debug)]
pub(crate) struct HeatSeconds {
    columns: HeatColumns,
    seconds: Arc<Mutex<Vec<HeatSecond>>>,
}

impl HeatSeconds {
    /// Of a run with these gauges; `None` where none of them is a temperature.
    pub fn from_gauges(gauges: &[Gauge]) -> Option<HeatSeconds> {
        Some(HeatSeconds { columns: HeatColumns::from_gauges(gauges)?, seconds: Arc::default() })
    }

    /// Keeps what is judged of these readings.
    pub fn keep(&self, readings: &Readings) {
        if let Ok(mut seconds) = self.seconds.lock() {
            seconds.push(self.columns.second(readings));
        }
    }

    /// Notes in which phases the drive throttled.
    pub fn judge(&self, manifest: &mut Manifest) {
        if let Ok(seconds) = self.seconds.lock() {
            judge_seconds(&seconds, LATE_S, manifest);
        }
    }
}

/// Notes in which phases the drive throttled, from what is known of every second, oldest first. `late_s` is by how many seconds
/// the drive's counter may lag behind what it counts.
pub(super) fn judge_seconds(seconds: &[HeatSecond], late_s: f64, manifest: &mut Manifest) {
    let Some(heat) = manifest.outcome.as_mut().and_then(|outcome| outcome.heat.as_mut()) else { return };
    let counted = counted(seconds);
    let says_when = counted.is_some();
    let counted = counted.unwrap_or_else(|| vec![None; seconds.len()]);
    let thresholds = thresholds(heat, seconds);
    let found = manifest.phases.iter().filter_map(|phase| {
        if says_when {
            counted_throttling(&phase.name, &points(seconds, &counted, phase)?, late_s)
        } else {
            judge(&phase.name, &thresholds, &points(seconds, &counted, lasting(phase)?)?)
        }
    });
    heat.throttled = found.collect();
    manifest.notices.extend(notices(heat));
}

/// A second of a run, or the time until the next reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeatSecond {
    pub from: Instant,
    pub until: Instant,
    pub has_moved: bool,
    /// Read and written together, in MB/s, of a drive that had something to do all the time.
    pub rate: Option<f64>,
    /// The temperature in degrees Celsius.
    pub celsius: Option<f64>,
    /// For how many seconds the drive had throttled by its own counter when the second ended, since the run began.
    pub throttled_s: Option<f64>,
}

/// By how much the drive's counter of throttling moved in each of these, where it was read in the one before as well. None where
/// it did not move at all, or not second by second: then it does not say when the drive throttled.
fn counted(seconds: &[HeatSecond]) -> Option<Vec<Option<f64>>> {
    let (mut is_timely, mut last) = (true, None);
    let mut moved = |second: &HeatSecond| {
        let now = second.throttled_s?;
        let (before, since) = last.replace((now, second.until)).unwrap_or((0.0, second.from));
        let unread_s = second.from.since(since).as_secs_f64();
        is_timely &= now - before <= second.until.since(since).as_secs_f64() + LATE_S;
        // What it moved by while it was not read may have been at any time then.
        (unread_s < LATE_S).then(|| (now - before).max(0.0))
    };
    let counted: Vec<Option<f64>> = seconds.iter().map(&mut moved).collect();
    (is_timely && counted.iter().flatten().any(|moved| *moved > 0.0)).then_some(counted)
}

/// A phase that was long enough for a drive to warm up in.
fn lasting(phase: &Phase) -> Option<&Phase> {
    let lasted = Instant::from_nanos(phase.ended_at_ns?).since(Instant::from_nanos(phase.started_at_ns));
    (lasted >= SHORTEST).then_some(phase)
}

/// What was read within a phase that has ended and in which something was read or written. `counted` is by how much the drive's
/// counter moved in each of the seconds.
fn points(seconds: &[HeatSecond], counted: &[Option<f64>], phase: &Phase) -> Option<Vec<HeatPoint>> {
    let from = Instant::from_nanos(phase.started_at_ns);
    let until = Instant::from_nanos(phase.ended_at_ns?);
    let within = seconds.iter().zip(counted);
    let within = within.filter(|(second, _)| second.from >= from && second.until <= until);
    let within: Vec<(&HeatSecond, &Option<f64>)> = within.collect();
    let point = |(second, counted_s): &(&HeatSecond, &Option<f64>)| HeatPoint {
        at_s: second.from.since(from).as_secs_f64(),
        rate: second.rate,
        celsius: second.celsius,
        counted_s: **counted_s,
    };
    within.iter().any(|(second, _)| second.has_moved).then(|| within.iter().map(point).collect())
}

/// From which temperatures on a fall is a throttled one, the surest first, where the drive does not say when it throttled.
///
/// A drive whose thermal management temperature is known throttles there and counts it: what falls below it, or was not counted,
/// has another reason. A drive that counted without such a temperature did so where it was hottest in the run.
fn thresholds(heat: &HeatDocument, seconds: &[HeatSecond]) -> Vec<ThrottleFrom> {
    let has_counted = heat.counted.map(|counted| counted.has_throttled());
    let at_limit = heat.limit.map(|limit| ThrottleFrom::Limit(limit.celsius.into()));
    if heat.limit.is_some_and(|limit| limit.kind == HeatLimitKind::ThermalManagement) {
        return at_limit.filter(|_| has_counted != Some(false)).into_iter().collect();
    }
    let hottest = seconds.iter().filter_map(|second| second.celsius).reduce(f64::max);
    let near_hottest = hottest.filter(|_| has_counted == Some(true)).map(ThrottleFrom::Near);
    at_limit.into_iter().chain(near_hottest).collect()
}

fn judge(phase: &str, thresholds: &[ThrottleFrom], points: &[HeatPoint]) -> Option<ThrottledPhase> {
    thresholds.iter().find_map(|from| throttling(phase, points, *from))
}

/// Where the readings have what is needed.
#[derive(Clone, Copy, Debug)]
struct HeatColumns {
    read: usize,
    written: usize,
    busy: usize,
    temperature: usize,
    /// The drive's own counter of throttling, where it has one.
    throttled: Option<usize>,
}

impl HeatColumns {
    fn from_gauges(gauges: &[Gauge]) -> Option<HeatColumns> {
        let place = |(name, unit): (&str, &str)| {
            gauges.iter().position(|gauge| gauge.name == name && gauge.unit == unit)
        };
        Some(HeatColumns {
            read: place(DEVICE_READ)?,
            written: place(DEVICE_WRITTEN)?,
            busy: place(DEVICE_BUSY)?,
            temperature: gauges.iter().position(is_temperature)?,
            throttled: place(COUNTER),
        })
    }

    fn second(&self, readings: &Readings) -> HeatSecond {
        let value = |column: usize| readings.values.get(column).copied().flatten();
        let is_busy = value(self.busy).is_some_and(|busy| busy >= BUSY);
        let rate = value(self.read).zip(value(self.written)).map(|(read, written)| read + written);
        HeatSecond {
            from: readings.from,
            until: readings.until,
            has_moved: rate.is_some_and(|rate| rate > 0.0),
            rate: rate.filter(|_| is_busy),
            celsius: value(self.temperature),
            throttled_s: self.throttled.and_then(value),
        }
    }
}

#[cfg(test)]
mod tests;
