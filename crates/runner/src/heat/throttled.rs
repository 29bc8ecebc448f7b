//! In which phases of a run its drive throttled, from what was read alongside it.

use std::path::Path;

use drivelab_analysis::{HeatPoint, ThrottleFrom, Throttling, throttling};
use drivelab_block::{Instant, Nanos};
use drivelab_record::{
    Gauge, GaugeReader, HeatDocument, Manifest, Notice, Phase, Readings, Severity, ThermalCountersDocument,
    ThrottledPhase,
};

use super::reading::is_temperature;
use crate::MACHINE;
use crate::machine_watch::DeviceGauge;

/// The shortest phase that is judged: in less a drive does not warm up.
const SHORTEST: Nanos = Nanos::from_secs(10);
/// A drive that is busy for less of an interval, in percent, has a rate that its load chose.
const BUSY: f64 = 50.0;

/// Notes in the manifest of a run, whose phases have one load each, in which of them its drive throttled.
pub(crate) fn judge_heat(folder: &Path, manifest: &mut Manifest) {
    let Some(heat) = manifest.outcome.as_mut().and_then(|outcome| outcome.heat.as_mut()) else { return };
    let Ok(Some(reader)) = GaugeReader::open(&folder.join(MACHINE)) else { return };
    let Some(columns) = Columns::of(reader.gauges()) else { return };
    let readings: Vec<Readings> = reader.collect();
    let found = manifest.phases.iter().filter_map(|phase| {
        let throttling = judge(heat, &columns.points(&readings, phase)?)?;
        Some(of_phase(phase, throttling))
    });
    heat.throttled = found.collect();
    manifest.notices.extend(heat.throttled.iter().map(|phase| notice(heat, phase)));
}

fn judge(heat: &HeatDocument, points: &[HeatPoint]) -> Option<Throttling> {
    let at_limit = heat.limit.map(|limit| ThrottleFrom::Limit(limit.celsius.into()));
    let counted = heat.counted.is_some_and(|counted| counted.has_throttled());
    let near_hottest = counted.then_some(ThrottleFrom::NearHottest);
    [at_limit, near_hottest].into_iter().flatten().find_map(|from| throttling(points, from))
}

fn of_phase(phase: &Phase, found: Throttling) -> ThrottledPhase {
    ThrottledPhase {
        phase: phase.name.clone(),
        began_s: found.began_s,
        celsius: found.celsius,
        share: found.share,
        rate_before_mb_s: found.rate_before,
        rate_mb_s: found.rate,
    }
}

fn notice(heat: &HeatDocument, phase: &ThrottledPhase) -> Notice {
    let ThrottledPhase { phase, began_s, celsius, share, rate_before_mb_s, rate_mb_s } = phase;
    let limit = heat
        .limit
        .map_or_else(String::new, |limit| format!(" ({} is {} degrees)", limit.kind.words(), limit.celsius));
    let counted =
        heat.counted.filter(ThermalCountersDocument::has_throttled).map_or_else(String::new, |counted| {
            let seconds = u64::from(counted.thermal_1_seconds) + u64::from(counted.thermal_2_seconds);
            format!("; its own counters have {seconds} s of thermal management in the run")
        });
    let text = format!(
        "The drive throttled in the phase \"{phase}\", from {began_s:.0} s on, at {celsius:.1} degrees Celsius{limit}: \
         {rate_mb_s:.0} MB/s instead of {rate_before_mb_s:.0} MB/s in {:.1} % of the time{counted}.",
        share * 100.0
    );
    Notice { severity: Severity::Warning, text }
}

/// Where the readings have what is needed.
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

    /// What was read within a phase that has ended and was long enough.
    fn points(&self, readings: &[Readings], phase: &Phase) -> Option<Vec<HeatPoint>> {
        let from = Instant::from_nanos(phase.started_at_ns);
        let until = Instant::from_nanos(phase.ended_at_ns?);
        if until.since(from) < SHORTEST {
            return None;
        }
        let within = readings.iter().filter(|one| one.from >= from && one.until <= until);
        let point = |one: &Readings| {
            let value = |column: usize| one.values.get(column).copied().flatten();
            let is_busy = value(self.busy).is_some_and(|busy| busy >= BUSY);
            let rate = value(self.read).zip(value(self.written)).map(|(read, written)| read + written);
            HeatPoint {
                at_s: one.from.since(from).as_secs_f64(),
                rate: rate.filter(|_| is_busy),
                celsius: value(self.temperature),
            }
        };
        Some(within.map(point).collect())
    }
}

#[cfg(test)]
mod tests {
    use drivelab_record::{HeatLimitDocument, HeatLimitKind, LoopLabel};

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
        };
        let limit = |celsius| Some(HeatLimitDocument { celsius, kind: HeatLimitKind::Warning });
        let heat = |celsius| HeatDocument { limit: limit(celsius), ..HeatDocument::default() };
        let busy: Vec<Readings> = (0..50).map(|number| second(number, true)).collect();
        let points = columns.points(&busy, &phase(Some(150))).expect("a long phase");
        let found = of_phase(&phase(None), judge(&heat(68), &points).expect("it throttles"));
        assert!((found.began_s, found.celsius) == (30.0, 70.0), "{found:?}");
        assert!(
            (found.rate_before_mb_s, found.rate_mb_s, found.share) == (2_000.0, 1_000.0, 0.4),
            "{found:?}"
        );
        assert_eq!(judge(&heat(75), &points), None, "slower before it was at its limit");
        let counted = Some(ThermalCountersDocument { thermal_1_seconds: 20, ..Default::default() });
        let without_limit = HeatDocument { counted, ..HeatDocument::default() };
        assert_eq!(judge(&without_limit, &points[..33]).map(|found| found.celsius), Some(70.0));
        let idle: Vec<Readings> = (0..50).map(|number| second(number, number < 30)).collect();
        let points = columns.points(&idle, &phase(Some(150))).expect("a long phase");
        assert_eq!(judge(&heat(68), &points), None, "a rate that its load chose");
        assert!(columns.points(&busy, &phase(Some(109))).is_none(), "too short");
        assert!(columns.points(&busy, &phase(None)).is_none(), "not ended");
        let text = notice(&heat(68), &found).text;
        let expected = "The drive throttled in the phase \"load\", from 30 s on, at 70.0 degrees Celsius (its warning \
                        temperature is 68 degrees): 1000 MB/s instead of 2000 MB/s in 40.0 % of the time.";
        assert_eq!(text, expected);
    }
}
