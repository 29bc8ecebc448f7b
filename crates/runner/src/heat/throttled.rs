//! In which phases of a run its drive throttled, from what was read alongside it.

use std::path::Path;
use std::sync::{Arc, Mutex};

use drivelab_analysis::{HeatPoint, ThrottleFrom, Throttling, throttling};
use drivelab_block::{Instant, Nanos};
use drivelab_record::{
    Gauge, GaugeReader, HeatDocument, HeatLimitKind, Manifest, Notice, Phase, Readings, Severity,
    ThermalCountersDocument, ThrottledPhase,
};
use drivelab_view::format;

use super::reading::is_temperature;
use crate::MACHINE;
use crate::machine_watch::DeviceGauge;

/// The shortest phase that is judged: in less a drive does not warm up.
const SHORTEST: Nanos = Nanos::from_secs(10);
/// A drive that is busy for less of an interval, in percent, has a rate that its load chose.
const BUSY: f64 = 50.0;

/// Notes in the manifest of a run on a real drive, whose phases have one load each, in which of them the drive throttled.
pub(crate) fn judge_heat(folder: &Path, manifest: &mut Manifest) {
    let Ok(Some(reader)) = GaugeReader::open(&folder.join(MACHINE)) else { return };
    let Some(columns) = Columns::of(reader.gauges()) else { return };
    let seconds: Vec<HeatSecond> = reader.map(|readings| columns.second(&readings)).collect();
    judge_seconds(&seconds, manifest);
}

/// What is known of every second of a run on a real drive that is kept nowhere else.
#[derive(Clone, Debug)]
pub(crate) struct HeatSeconds {
    columns: Columns,
    seconds: Arc<Mutex<Vec<HeatSecond>>>,
}

impl HeatSeconds {
    /// Of a run with these gauges; `None` where none of them is a temperature.
    pub fn of(gauges: &[Gauge]) -> Option<HeatSeconds> {
        Some(HeatSeconds { columns: Columns::of(gauges)?, seconds: Arc::default() })
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
            judge_seconds(&seconds, manifest);
        }
    }
}

/// The same from what is known of every second, oldest first.
pub(super) fn judge_seconds(seconds: &[HeatSecond], manifest: &mut Manifest) {
    let Some(heat) = manifest.outcome.as_mut().and_then(|outcome| outcome.heat.as_mut()) else { return };
    let thresholds = thresholds(heat, seconds);
    let found = manifest.phases.iter().filter_map(|phase| {
        let throttling = judge(&thresholds, &points(seconds, phase)?)?;
        Some(of_phase(phase, throttling))
    });
    heat.throttled = found.collect();
    manifest.notices.extend(heat.throttled.iter().map(|phase| notice(heat, phase)));
}

/// A second of a run, or the time until the next reading.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeatSecond {
    pub from: Instant,
    pub until: Instant,
    /// Read and written together, in MB/s, of a drive that had something to do.
    pub rate: Option<f64>,
    /// The temperature in degrees Celsius.
    pub celsius: Option<f64>,
}

/// What was read within a phase that has ended and was long enough.
fn points(seconds: &[HeatSecond], phase: &Phase) -> Option<Vec<HeatPoint>> {
    let from = Instant::from_nanos(phase.started_at_ns);
    let until = Instant::from_nanos(phase.ended_at_ns?);
    if until.since(from) < SHORTEST {
        return None;
    }
    let within = seconds.iter().filter(|second| second.from >= from && second.until <= until);
    let point = |second: &HeatSecond| HeatPoint {
        at_s: second.from.since(from).as_secs_f64(),
        rate: second.rate,
        celsius: second.celsius,
    };
    Some(within.map(point).collect())
}

/// From which temperatures on a fall is a throttled one, the surest first.
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

fn judge(thresholds: &[ThrottleFrom], points: &[HeatPoint]) -> Option<Throttling> {
    thresholds.iter().find_map(|from| throttling(points, *from))
}

fn of_phase(phase: &Phase, found: Throttling) -> ThrottledPhase {
    ThrottledPhase {
        phase: phase.name.clone(),
        began_s: found.began_s,
        celsius: found.celsius,
        share: found.share,
        rate_before_mb_s: found.rate_before,
        rate_mb_s: found.rate,
        came_back: Some(found.came_back),
    }
}

fn notice(heat: &HeatDocument, found: &ThrottledPhase) -> Notice {
    let ThrottledPhase { phase, began_s, celsius, share, rate_before_mb_s, rate_mb_s, came_back } = found;
    let limit = heat
        .limit
        .map_or_else(String::new, |limit| format!(" ({} is {} °C)", limit.kind.words(), limit.celsius));
    let [before, after] = [rate_before_mb_s, rate_mb_s].map(|rate| format::rate(*rate));
    let fall = format!("from {before} to {after} MB/s at {began_s:.0} s, at {celsius:.1} °C{limit}");
    let counted = heat.counted.filter(ThermalCountersDocument::has_throttled).map(|counted| {
        let seconds = u64::from(counted.thermal_1_seconds) + u64::from(counted.thermal_2_seconds);
        format!("its own counters have {seconds} s of thermal management in the run")
    });
    let share = format::percent(*share);
    let uncounted =
        if heat.counted.is_some() { "counted no throttling" } else { "has no counter of throttling" };
    let text = match (counted, came_back.unwrap_or(false)) {
        (Some(counted), true) => format!(
            "The drive throttled in the phase \"{phase}\": its rate fell {fall}, and came back later; {counted}."
        ),
        (Some(counted), false) => format!(
            "The drive throttled in the phase \"{phase}\": its rate fell {fall}; {counted}. The rate did not come back in this \
             phase: how much of the fall is due to heat, and how much to another cause such as a full write cache, is not shown."
        ),
        (None, true) => format!(
            "The drive throttled in the phase \"{phase}\": its rate fell {fall}, and came back later; it was lower in {share} of \
             the time."
        ),
        (None, false) => format!(
            "The drive may have throttled in the phase \"{phase}\": its rate fell {fall}. The rate did not come back in this \
             phase, and the drive {uncounted}: another cause, such as a full write cache, would have the same effect."
        ),
    };
    Notice { severity: Severity::Warning, text }
}

/// Where the readings have what is needed.
#[derive(Clone, Copy, Debug)]
struct Columns {
    read: usize,
    written: usize,
    busy: usize,
    temperature: usize,
}

impl Columns {
    fn of(gauges: &[Gauge]) -> Option<Columns> {
        let place = |wanted: DeviceGauge| gauges.iter().position(|gauge| wanted.is(gauge));
        Some(Columns {
            read: place(DeviceGauge::Read)?,
            written: place(DeviceGauge::Written)?,
            busy: place(DeviceGauge::Busy)?,
            temperature: gauges.iter().position(is_temperature)?,
        })
    }

    fn second(&self, readings: &Readings) -> HeatSecond {
        let value = |column: usize| readings.values.get(column).copied().flatten();
        let is_busy = value(self.busy).is_some_and(|busy| busy >= BUSY);
        let rate = value(self.read).zip(value(self.written)).map(|(read, written)| read + written);
        HeatSecond {
            from: readings.from,
            until: readings.until,
            rate: rate.filter(|_| is_busy),
            celsius: value(self.temperature),
        }
    }
}

#[cfg(test)]
mod tests {
    use drivelab_record::{HeatLimitDocument, LoopLabel};

    use super::*;

    fn gauge(name: &str, unit: &str) -> Gauge {
        Gauge { name: name.to_owned(), unit: unit.to_owned() }
    }

    /// A second of a phase that begins at 100 s: warmer by 1 K every second, half as fast from 30 s on.
    fn second(number: u64, is_busy: bool) -> Readings {
        let at = |seconds: u64| Instant::from_nanos((100 + seconds) * 1_000_000_000);
        let written = if number < 30 { 2_000.0 } else { 1_000.0 };
        let busy = if is_busy { 100.0 } else { 10.0 };
        let values = [Some(busy), Some(0.0), Some(written), Some(40.0 + number as f64)];
        Readings { from: at(number), until: at(number + 1), values: values.to_vec() }
    }

    #[test]
    fn a_busy_drive_that_slows_down_at_its_limit_throttles() {
        let gauges = [
            gauge("device busy", "%"),
            gauge("device read", "MB/s"),
            gauge("device written", "MB/s"),
            gauge("temperature Composite", "°C"),
        ];
        let columns = Columns::of(&gauges).expect("columns");
        assert!(Columns::of(&gauges[..3]).is_none(), "no temperature");
        let phase = |ended_at: Option<u64>| Phase {
            name: "load".to_owned(),
            loop_label: LoopLabel::Closed,
            started_at_ns: 100_000_000_000,
            ended_at_ns: ended_at.map(|seconds| seconds * 1_000_000_000),
            unsent: Vec::new(),
            written: None,
        };
        let limit = |celsius| Some(HeatLimitDocument { celsius, kind: HeatLimitKind::Warning });
        let heat = |celsius| HeatDocument { limit: limit(celsius), ..HeatDocument::default() };
        let seconds = |is_busy: &dyn Fn(u64) -> bool| -> Vec<HeatSecond> {
            (0..50).map(|number| columns.second(&second(number, is_busy(number)))).collect()
        };
        let kept = HeatSeconds::of(&gauges).expect("a temperature");
        assert!(HeatSeconds::of(&gauges[..3]).is_none(), "no temperature");
        (0..50).for_each(|number| kept.keep(&second(number, true)));
        let busy = kept.seconds.lock().expect("no panic").clone();
        let judge = |heat: &HeatDocument, points: &[HeatPoint]| judge(&thresholds(heat, &busy), points);
        let hot = points(&busy, &phase(Some(150))).expect("a long phase");
        let found = of_phase(&phase(None), judge(&heat(68), &hot).expect("it throttles"));
        assert!((found.began_s, found.celsius) == (30.0, 70.0), "{found:?}");
        assert!(
            (found.rate_before_mb_s, found.rate_mb_s, found.share) == (2_000.0, 1_000.0, 0.4),
            "{found:?}"
        );
        assert_eq!(judge(&heat(75), &hot), None, "slower before it was at its limit");
        let counted = Some(ThermalCountersDocument { thermal_1_seconds: 20, ..Default::default() });
        let without_limit = HeatDocument { counted, ..HeatDocument::default() };
        assert_eq!(
            judge(&without_limit, &hot).map(|found| found.celsius),
            None,
            "far from the hottest of the run"
        );
        let until_then = thresholds(&without_limit, &busy[..33]);
        assert_eq!(super::judge(&until_then, &hot[..33]).map(|found| found.celsius), Some(70.0));
        let managed = Some(HeatLimitDocument { celsius: 68, kind: HeatLimitKind::ThermalManagement });
        let higher = Some(HeatLimitDocument { celsius: 95, kind: HeatLimitKind::ThermalManagement });
        let cooler = HeatDocument { limit: higher, ..without_limit };
        assert_eq!(judge(&cooler, &hot), None, "below its thermal management temperature");
        let uncounted =
            HeatDocument { limit: managed, counted: Some(ThermalCountersDocument::default()), ..heat(68) };
        assert_eq!(judge(&uncounted, &hot), None, "it would have counted that");
        let idle = points(&seconds(&|number| number < 30), &phase(Some(150))).expect("a long phase");
        assert_eq!(judge(&heat(68), &idle), None, "a rate that its load chose");
        assert!(points(&busy, &phase(Some(109))).is_none(), "too short");
        assert!(points(&busy, &phase(None)).is_none(), "not ended");
        let text = notice(&heat(68), &found).text;
        let expected = "The drive may have throttled in the phase \"load\": its rate fell from 2,000 to 1,000 MB/s at 30 s, at \
                        70.0 °C (its warning temperature is 68 °C). The rate did not come back in this phase, and the drive has \
                        no counter of throttling: another cause, such as a full write cache, would have the same effect.";
        assert_eq!(text, expected);
    }
}
