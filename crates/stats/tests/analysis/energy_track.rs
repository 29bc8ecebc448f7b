//! Readings of a meter, against figures worked out by hand at the borders of every rule.

use drivelab_stats::{
    Estimate, NoPower, PowerKind, PowerPoint, PowerTrack, PowerWindow, battery_minutes, share_saved,
};

fn track(kind: PowerKind, values: &[(f64, f64)]) -> PowerTrack {
    PowerTrack::new(kind, values.iter().map(|(at_s, value)| PowerPoint { at_s: *at_s, value: *value }))
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[track_caller]
fn window(track: &PowerTrack, from_s: f64, to_s: f64) -> PowerWindow {
    track.window(from_s, to_s).expect("known")
}

#[test]
fn a_counter_is_shown_as_the_mean_power_at_the_middle_of_each_step() {
    let counter = track(PowerKind::Joules, &[(0.0, 5.0), (1.0, 7.0), (3.0, 15.0), (4.0, 16.0)]);
    let shown: Vec<PowerPoint> = counter.stretches().flatten().collect();
    let expected = [(0.5, 2.0), (2.0, 4.0), (3.5, 1.0)].map(|(at_s, value)| PowerPoint { at_s, value });
    assert_eq!(shown, expected);
    let found = window(&counter, 0.0, 4.0);
    close(found.mean_watts, 11.0 / 4.0);
    // 2, 4 and 1 W: a variance of 7/3.
    close(found.steady_error, (7.0_f64 / 3.0 / 3.0).sqrt());
    assert_eq!((found.moving_error, found.distinct, found.readings), (0.0, 3, 3));
    assert_eq!(counter.points().len(), 4);
}

#[test]
fn a_gauge_counts_only_what_is_new() {
    let gauge = track(PowerKind::Gauge, &[(0.0, 4.0), (1.0, 4.0), (2.0, 6.0), (3.0, 5.0)]);
    let found = window(&gauge, 0.0, 3.0);
    // Steps of 2 and -1 W; a variance of 2.75 / 3.
    assert_eq!((found.readings, found.distinct), (4, 3));
    close(found.steady_error, (2.75_f64 / 3.0 / 3.0).sqrt());
    close(found.moving_error, (5.0_f64 / (2.0 * 2.0) / 3.0).sqrt());
    // Steps of 2, -1 and 3 W.
    let longer = track(PowerKind::Gauge, &[(0.0, 4.0), (1.0, 4.0), (2.0, 6.0), (3.0, 5.0), (4.0, 8.0)]);
    close(window(&longer, 0.0, 4.0).moving_error, (14.0_f64 / (2.0 * 3.0) / 4.0).sqrt());
}

#[test]
fn between_two_readings_lies_their_mean_and_in_a_gap_nothing() {
    let readings = [(0.0, 2.0), (0.5, 4.0), (1.0, 4.0), (20.0, 9.0), (20.5, 1.0)];
    let of = |kind| {
        let track = track(kind, &readings);
        track.intervals().map(|one| (one.from_s, one.to_s, one.mean_watts)).collect::<Vec<_>>()
    };
    assert_eq!(of(PowerKind::Watts), [(0.0, 0.5, 3.0), (0.5, 1.0, 4.0), (20.0, 20.5, 5.0)]);
    assert_eq!(of(PowerKind::Joules), [(0.0, 0.5, 4.0), (0.5, 1.0, 0.0), (20.0, 20.5, -16.0)]);
}

#[test]
fn a_meter_of_power_that_said_two_things_or_fewer_may_have_stopped() {
    let of = |values: &[f64]| {
        let points: Vec<(f64, f64)> =
            values.iter().enumerate().map(|(at, watts)| (at as f64, *watts)).collect();
        window(&track(PowerKind::Watts, &points), 0.0, (values.len() - 1) as f64)
    };
    let still = of(&[2.0, 2.0, 2.0, 3.0, 3.0]);
    let moving = of(&[2.0, 2.0, 3.0, 3.0, 2.0]);
    assert_eq!((still.distinct, still.stood_still()), (2, true));
    assert_eq!((moving.distinct, moving.stood_still()), (3, false));
    // One step of 1 W over a second of four; all five readings count, as how often the meter measures is not known.
    close(still.moving_error, 0.5_f64.sqrt() / 4.0);
    close(still.steady_error, (0.3_f64 / 5.0).sqrt());
    // Two steps, and three of five readings are measurements.
    close(moving.moving_error, 1.0_f64.sqrt() / 4.0 * 5.0 / 3.0);
    close(moving.steady_error, (0.3_f64 / 3.0).sqrt());
}

#[test]
fn a_failure_is_of_the_time_up_to_the_next_reading() {
    let readings: Vec<(f64, f64)> = (0..=20).map(|second| (f64::from(second), 1.0)).collect();
    let failed = track(PowerKind::Watts, &readings).with_failures(vec![7.5, 3.0]);
    let lengths: Vec<usize> = failed.stretches().map(|stretch| stretch.len()).collect();
    // 0 to 3, 4 to 7, 8 to 20: the seconds from 3 to 4 and from 7 to 8 are not known.
    assert_eq!(lengths, [4, 4, 13]);
    assert_eq!(failed.window(0.0, 20.0), Err(NoPower::NotCovered(0.9)));
    close(window(&failed, 8.0, 20.0).covered, 1.0);
    assert_eq!(failed.shifted(-5.0).window(5.0, 25.0), Err(NoPower::NotCovered(0.9)), "on another clock");
}

#[test]
fn ten_usual_intervals_are_bridged_and_a_window_needs_three_readings_of_nineteen_twentieths() {
    let with_pause = |pause: f64| {
        let times = (0..100).map(f64::from).chain((0..100).map(|second| 99.0 + pause + f64::from(second)));
        track(PowerKind::Watts, &times.map(|at| (at, 1.0)).collect::<Vec<_>>())
    };
    assert_eq!((with_pause(10.0).stretches().count(), with_pause(10.5).stretches().count()), (1, 2));
    let known = track(PowerKind::Watts, &(0..=19).map(|second| (f64::from(second), 1.0)).collect::<Vec<_>>());
    close(window(&known, 0.0, 20.0).covered, 0.95);
    assert_eq!(known.window(0.0, 20.5), Err(NoPower::NotCovered(19.0 / 20.5)));
    assert_eq!(known.window(3.0, 4.9), Err(NoPower::FewReadings(2)));
    assert_eq!(window(&known, 3.0, 5.0).readings, 3);
    assert_eq!(known.window(5.0, 5.0), Err(NoPower::FewReadings(1)));
}

#[test]
fn idle_time_is_judged_between_its_own_readings_unless_the_meter_was_silent_at_an_end() {
    let ramp: Vec<(f64, f64)> = (0..=40).map(|second| (f64::from(second), f64::from(second))).collect();
    let ramp = track(PowerKind::Watts, &ramp);
    let within = ramp.window_within(9.5, 20.5).expect("known");
    assert_eq!((within.seconds, within.mean_watts), (10.0, 15.0));
    // The meter begins more than ten intervals after the window: what is missing counts.
    let late = ramp.window_within(-11.0, 20.0);
    assert_eq!(late, ramp.window(-11.0, 20.0));
    assert!(matches!(late, Err(NoPower::NotCovered(_))), "{late:?}");
    let early = ramp.window_within(20.0, 51.0);
    assert!(matches!(early, Err(NoPower::NotCovered(_))), "{early:?}");
    close(ramp.window_within(-10.0, 20.0).expect("known").seconds, 20.0);
}

#[test]
fn what_draws_nothing_has_no_battery_life_and_is_no_reference() {
    let watts = |value: f64| Estimate { value, error: 0.1 };
    assert_eq!(battery_minutes(50.0, watts(2.0)), Some(Estimate { value: 1_500.0, error: 75.0 }));
    for none in [
        battery_minutes(50.0, watts(0.0)),
        battery_minutes(50.0, watts(-2.0)),
        battery_minutes(1e308, watts(1e-9)),
    ] {
        assert_eq!(none, None);
    }
    let saved = share_saved(watts(3.0), watts(4.0)).expect("a share");
    close(saved.value, 0.25);
    close(saved.error, (0.1_f64 / 4.0).hypot(0.75 * 0.1 / 4.0));
    for none in [
        share_saved(watts(3.0), watts(0.0)),
        share_saved(watts(3.0), watts(-4.0)),
        share_saved(watts(1e308), watts(1e-9)),
    ] {
        assert_eq!(none, None);
    }
}
