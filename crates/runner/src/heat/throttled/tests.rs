use drivelab_documents::{HeatLimitDocument, Severity, ThermalCountersDocument, ThrottlingEffect};
use drivelab_stats::LoopKind;

use super::*;

fn gauge(name: &str, unit: &str) -> Gauge {
    Gauge { name: name.to_owned(), unit: unit.to_owned() }
}

fn gauges() -> [Gauge; 5] {
    [
        gauge("device busy", "%"),
        gauge("device read", "MB/s"),
        gauge("device written", "MB/s"),
        gauge("temperature Composite", "°C"),
        gauge("throttling counted", "s"),
    ]
}

/// A second of a phase that begins at 100 s: warmer by 1 K every second, half as fast from 30 s on. `throttled_s` is the drive's
/// counter.
fn second(number: u64, busy: f64, throttled_s: Option<f64>) -> Readings {
    let at = |seconds: u64| Instant::from_nanos((100 + seconds) * 1_000_000_000);
    let written = if number < 30 { 2_000.0 } else { 1_000.0 };
    let values = [Some(busy), Some(0.0), Some(written), Some(40.0 + number as f64), throttled_s];
    Readings { from: at(number), until: at(number + 1), values: values.to_vec() }
}

/// Fifty seconds of a busy drive with such a counter.
fn fifty(throttled_s: &dyn Fn(u64) -> Option<f64>) -> Vec<HeatSecond> {
    let columns = HeatColumns::from_gauges(&gauges()).expect("columns");
    (0..50).map(|number| columns.second(&second(number, 100.0, throttled_s(number)))).collect()
}

fn phase(name: &str, from_s: u64, until_s: Option<u64>) -> Phase {
    Phase {
        name: name.to_owned(),
        loop_label: LoopKind::Closed,
        started_at_ns: from_s * 1_000_000_000,
        ended_at_ns: until_s.map(|seconds| seconds * 1_000_000_000),
        unsent: Vec::new(),
        silences: Vec::new(),
        written: None,
        workers: None,
    }
}

fn warns_at(celsius: i32) -> HeatDocument {
    let limit = Some(HeatLimitDocument { celsius, kind: HeatLimitKind::Warning });
    HeatDocument { limit, ..HeatDocument::default() }
}

/// What a drive that does not count throttling is judged by.
fn uncounted(heat: &HeatDocument, seconds: &[HeatSecond]) -> Option<ThrottledPhase> {
    let points = points(seconds, &vec![None; seconds.len()], &phase("load", 100, Some(150)))?;
    judge("load", &thresholds(heat, seconds), &points)
}

#[test]
fn a_busy_drive_that_slows_down_at_its_limit_throttles() {
    assert!(HeatColumns::from_gauges(&gauges()[..3]).is_none(), "no temperature");
    assert!(HeatSeconds::from_gauges(&gauges()[..3]).is_none(), "no temperature");
    let kept = HeatSeconds::from_gauges(&gauges()[..4]).expect("a temperature");
    (0..50).for_each(|number| kept.keep(&second(number, 100.0, None)));
    let busy = kept.seconds.lock().expect("no panic").clone();
    let found = uncounted(&warns_at(68), &busy).expect("it throttles");
    assert_eq!((found.began_s, found.celsius, found.share), (30.0, 70.0, 0.4), "{found:?}");
    let fall = ThrottlingEffect::Fell { before_mb_s: 2_000.0, then_mb_s: 1_000.0 };
    assert_eq!((found.effect(), found.is_shown()), (fall, false));
    assert_eq!(uncounted(&warns_at(75), &busy), None, "slower before it was at its limit");
    let columns = HeatColumns::from_gauges(&gauges()).expect("columns");
    let idle = |number| columns.second(&second(number, if number < 30 { 100.0 } else { 10.0 }, None));
    assert_eq!(
        uncounted(&warns_at(68), &(0..50).map(idle).collect::<Vec<_>>()),
        None,
        "its load chose the rate"
    );
    assert!(lasting(&phase("load", 100, Some(109))).is_none(), "too short");
    assert!(lasting(&phase("load", 100, None)).is_none(), "not ended");
    let heat = HeatDocument { throttled: vec![found], ..warns_at(68) };
    let expected = "The drive may have throttled in the phase \"load\": its rate fell from 2,000 to 1,000 MB/s at 30 s, at \
                    70.0 °C (its warning temperature is 68 °C). The rate did not come back in this phase, and it has no counter \
                    of throttling: another cause, such as a full write cache where it is written to, would have the same effect.";
    assert_eq!(notices(&heat).iter().map(|notice| notice.text.as_str()).collect::<Vec<_>>(), [expected]);
}

#[test]
fn a_counter_that_is_not_read_every_second_says_where_to_look() {
    let busy = fifty(&|_| None);
    let counted = Some(ThermalCountersDocument { thermal_1_seconds: 20, ..Default::default() });
    let without_limit = HeatDocument { counted, ..HeatDocument::default() };
    assert_eq!(uncounted(&without_limit, &busy), None, "far from the hottest of the run");
    let until_then = judge(
        "load",
        &thresholds(&without_limit, &busy[..33]),
        &points(&busy[..33], &[None; 33], &phase("load", 100, Some(150))).expect("points"),
    );
    assert_eq!(until_then.map(|found| found.celsius), Some(70.0));
    let managed = |celsius| Some(HeatLimitDocument { celsius, kind: HeatLimitKind::ThermalManagement });
    let cooler = HeatDocument { limit: managed(95), ..without_limit.clone() };
    assert_eq!(uncounted(&cooler, &busy), None, "below its thermal management temperature");
    let counted = Some(ThermalCountersDocument::default());
    let none_counted = HeatDocument { limit: managed(68), counted, ..HeatDocument::default() };
    assert_eq!(uncounted(&none_counted, &busy), None, "it would have counted that");
}

#[test]
fn a_counter_that_moves_second_by_second_says_when() {
    // A knee at 30 s, and throttling from 35 s on, which the rate does not show.
    let seconds = fifty(&|number| Some(number.saturating_sub(34) as f64));
    let moved = counted(&seconds).expect("it counts");
    let found = counted_throttling(
        "load",
        &points(&seconds, &moved, &phase("load", 100, Some(150))).expect("points"),
        LATE_S,
    );
    let found = found.expect("it throttles");
    assert_eq!((found.began_s, found.counted_s, found.celsius), (35.0, Some(15.0), 75.0), "{found:?}");
    assert_eq!((found.effect(), found.is_shown()), (ThrottlingEffect::DidNotFall, true));
    let heat = HeatDocument { throttled: vec![found.clone(), found], ..warns_at(68) };
    let said = notices(&heat);
    let expected = "The drive throttled for 15 s of the phase \"load\" by its own counter, first at 35 s, at 75.0 °C (its \
                    warning temperature is 68 °C): its rate did not fall when that began. It also throttled in 1 other phase.";
    assert_eq!(
        said.iter().map(|one| (one.severity, one.text.as_str())).collect::<Vec<_>>(),
        [(Severity::Note, expected)]
    );
}

#[test]
fn a_counter_that_does_not_keep_up_does_not_say_when() {
    assert_eq!(counted(&fifty(&|_| Some(0.0))), None, "never throttled");
    assert_eq!(counted(&fifty(&|number| Some(if number < 40 { 0.0 } else { 30.0 }))), None, "in one step");
    let late = fifty(&|number| Some((number.saturating_sub(30) / 3 * 3) as f64));
    assert!(counted(&late).is_some(), "every third second");
    let gap = fifty(&|number| (!(32..=42).contains(&number)).then(|| number.saturating_sub(30) as f64));
    assert!(counted(&gap).is_some(), "it was not read for a while");
}
