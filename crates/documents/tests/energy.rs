//! The document of a task with a meter, against figures worked out by hand.

use drivelab_documents::{
    EnergyDocument, EnergyReport, IdlePower, MeterDocument, Stretch, WrongReadingsDocument,
};
use drivelab_stats::{PowerKind, PowerPoint, PowerTrack};

/// Readings once a second from 0 to 30: about 1 W before 10, about 3 W up to 20, about 2 W after that. Every other reading
/// is `swing` above the next.
fn track(kind: PowerKind, swing: f64) -> PowerTrack {
    let watts = |second: u32| match second {
        0..=9 => 1.0,
        10..=20 => 3.0,
        _ => 2.0,
    };
    let point = |second: u32| PowerPoint {
        at_s: f64::from(second),
        value: watts(second) + if second.is_multiple_of(2) { swing } else { -swing },
    };
    PowerTrack::new(kind, (0..=30).map(point))
}

fn report(track: PowerTrack) -> EnergyReport {
    EnergyReport {
        meter: MeterDocument { name: "a meter".to_owned(), due: 30, taken: 30, ..MeterDocument::default() },
        track,
        task: Stretch { from_s: 10.0, to_s: 20.0 },
        idle: IdlePower::Measured(
            Stretch { from_s: 0.0, to_s: 9.0 },
            Some(Stretch { from_s: 21.0, to_s: 30.0 }),
        ),
        ios: None,
        bytes: Some(2_000_000_000),
        battery_wh: Some(50.0),
        target: None,
        account: None,
        notices: vec!["first".to_owned()],
    }
}

#[track_caller]
fn close(found: Option<f64>, expected: f64) {
    let found = found.expect("a figure");
    assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0), "{found} is not {expected}");
}

#[test]
fn figures_follow_from_the_means_and_the_idle_power_lies_between_before_and_after() {
    let document = EnergyDocument::from_report(&report(track(PowerKind::Watts, 0.0)));
    let value =
        |estimate: Option<drivelab_documents::EstimateDocument>| estimate.map(|estimate| estimate.value);
    let idle = document.idle.expect("an idle power");
    close(Some(document.duration_s), 10.0);
    close(value(document.watts), 3.0);
    close(value(document.joules), 30.0);
    close(Some(idle.watts.value), 1.5);
    close(value(idle.before_watts), 1.0);
    close(value(idle.after_watts), 2.0);
    close(idle.drift_watts, 1.0);
    close(value(document.joules_above_idle), 15.0);
    close(value(document.joules_per_gb), 15.0);
    close(value(document.joules_above_idle_per_gb), 7.5);
    close(value(document.battery_minutes), 50.0 * 60.0 / 3.0);
    // A reading that never moves says nothing of how far it is off, and three notices say so.
    assert_eq!(document.watts.and_then(|watts| watts.error), None);
    assert_eq!(idle.before_watts.and_then(|watts| watts.error), None);
    assert_eq!(document.notices.len(), 3, "{:?}", document.notices);
    assert!(
        document.notices[1].contains("while nothing was done")
            && document.notices[2].contains("during the task")
    );
}

#[test]
fn a_meter_that_moves_has_an_error_and_needs_no_notice() {
    let document = EnergyDocument::from_report(&report(track(PowerKind::Watts, 0.1)));
    assert_eq!(document.notices, ["first"]);
    assert!(document.watts.and_then(|watts| watts.error).is_some_and(|error| error > 0.0));
    let idle = document.idle.expect("an idle power");
    assert!(idle.before_watts.and_then(|watts| watts.error).is_some_and(|error| error > 0.0));
}

#[test]
fn a_drive_that_hardly_takes_more_than_idle_is_not_called_one_that_does() {
    let known =
        |watts: f64| EnergyReport { idle: IdlePower::Known(watts), ..report(track(PowerKind::Watts, 0.5)) };
    let far = EnergyDocument::from_report(&known(1.0));
    let near = EnergyDocument::from_report(&known(2.95));
    assert_eq!(far.notices, ["first"]);
    assert!(
        near.notices.iter().any(|notice| notice.contains("not shown by this meter")),
        "{:?}",
        near.notices
    );
    close(near.joules_above_idle.map(|above| above.value), near.joules.map_or(0.0, |all| all.value) - 29.5);
    // However little it is: what counts is the error, two of which it has to exceed.
    for (errors, is_shown) in [(1.9, false), (2.1, true)] {
        let of = |idle: f64| {
            let idle = IdlePower::Known(idle);
            EnergyDocument::from_report(&EnergyReport { idle, ..report(track(PowerKind::Watts, 0.01)) })
        };
        let joules = of(1.0).joules.expect("the energy");
        let error = of(1.0).joules_above_idle.and_then(|above| above.error).expect("its error");
        let found = of((joules.value - errors * error) / 10.0);
        let told = found.notices.iter().any(|notice| notice.contains("not shown by this meter"));
        assert_eq!(told, !is_shown, "{errors} errors of {error} J: {:?}", found.notices);
    }
}

#[test]
fn readings_that_were_missed_are_told_from_one_in_twenty_on() {
    let missed = |missed: u64| {
        let mut report = report(track(PowerKind::Watts, 0.1));
        report.meter = MeterDocument { due: 100, missed, ..report.meter };
        EnergyDocument::from_report(&report).notices.iter().any(|notice| notice.starts_with("Only "))
    };
    assert_eq!((missed(5), missed(6)), (false, true));
}

#[test]
fn a_part_of_the_task_of_which_the_meter_said_nothing_is_told() {
    let point =
        |second: u32| PowerPoint { at_s: f64::from(second), value: 2.0 + f64::from(second % 2) / 10.0 };
    let all = || PowerTrack::new(PowerKind::Watts, (0..=130).filter(|second| *second != 60).map(point));
    let notices = |track: PowerTrack| {
        let report = EnergyReport {
            task: Stretch { from_s: 10.0, to_s: 110.0 },
            idle: IdlePower::Known(1.0),
            ..report(track)
        };
        EnergyDocument::from_report(&report).notices
    };
    assert_eq!(notices(all()), ["first"]);
    // The second before the failure and the one after it.
    let partly = "The power of 2.0 % of the task's time is not known: it is taken for the mean.";
    assert_eq!(notices(all().with_failures(vec![60.0])), ["first", partly]);
}

#[test]
fn a_thousandth_of_the_task_is_not_missed() {
    let point =
        |second: u32| PowerPoint { at_s: f64::from(second), value: 2.0 + f64::from(second % 2) / 10.0 };
    let track = |failures: &[f64]| {
        PowerTrack::new(PowerKind::Watts, (0..=1_000).map(point)).with_failures(failures.to_vec())
    };
    let is_told = |track: PowerTrack| {
        let (task, idle) = (Stretch { from_s: 0.0, to_s: 1_000.0 }, IdlePower::Known(1.0));
        let notices = EnergyDocument::from_report(&EnergyReport { task, idle, ..report(track) }).notices;
        notices.iter().any(|notice| notice.contains("is not known"))
    };
    assert_eq!((is_told(track(&[500.5])), is_told(track(&[500.5, 700.5]))), (false, true));
}

#[test]
fn a_task_that_took_exactly_the_idle_power_is_not_shown_to_take_more() {
    let point = |second: u32| PowerPoint { at_s: f64::from(second), value: f64::from(second) * 2.0 };
    let track = PowerTrack::new(PowerKind::Joules, (0..=30).map(point));
    let document =
        EnergyDocument::from_report(&EnergyReport { idle: IdlePower::Known(2.0), ..report(track) });
    close(document.joules_above_idle.map(|above| above.value), 0.0);
    close(document.joules_above_idle.and_then(|above| above.error), 0.0);
    assert!(document.notices.iter().any(|notice| notice.contains("not shown by this meter")), "{document:?}");
}

#[test]
fn a_meter_that_stood_still_before_or_after_the_task_is_told() {
    let still = |second: u32, is_still: bool| PowerPoint {
        at_s: f64::from(second),
        value: 1.0 + if is_still { 0.0 } else { f64::from(second % 2) / 10.0 },
    };
    for (before, after) in [(true, false), (false, true), (false, false)] {
        let point = |second: u32| still(second, if second < 10 { before } else { after && second > 20 });
        let document =
            EnergyDocument::from_report(&report(PowerTrack::new(PowerKind::Watts, (0..=30).map(point))));
        let told = document.notices.iter().any(|notice| notice.contains("while nothing was done"));
        assert_eq!(told, before || after, "{:?}", document.notices);
    }
}

#[test]
fn what_the_meter_did_not_say_withholds_figures_or_is_told() {
    let gone =
        EnergyReport { task: Stretch { from_s: 100.0, to_s: 110.0 }, ..report(track(PowerKind::Watts, 0.1)) };
    let document = EnergyDocument::from_report(&gone);
    assert_eq!((document.watts, document.joules, document.battery_minutes), (None, None, None));
    let why = document.withheld.expect("a reason");
    assert!(why.starts_with("During the task the meter gave 0 readings in 10.0 s"), "{why}");

    let few =
        EnergyReport { task: Stretch { from_s: 10.0, to_s: 10.5 }, ..report(track(PowerKind::Watts, 0.1)) };
    let why = EnergyDocument::from_report(&few).withheld.expect("a reason");
    assert!(why.contains("gave 1 reading in 0.5 s"), "{why}");

    let no_idle = EnergyReport {
        idle: IdlePower::Measured(Stretch { from_s: 200.0, to_s: 209.0 }, None),
        ..report(track(PowerKind::Watts, 0.1))
    };
    let document = EnergyDocument::from_report(&no_idle);
    assert!(document.joules.is_some() && document.joules_above_idle.is_none() && document.idle.is_none());
    assert!(document.notices.iter().any(|notice| notice.starts_with("Before the task the meter gave")));

    let after_gone = EnergyReport {
        idle: IdlePower::Measured(Stretch { from_s: 0.0, to_s: 9.0 }, None),
        ..report(track(PowerKind::Watts, 0.1))
    };
    let document = EnergyDocument::from_report(&after_gone);
    close(document.idle.map(|idle| idle.watts.value), 1.0 + 0.0);
    assert!(document.notices.iter().any(|notice| notice.contains("after the task was not measured")));

    let backwards = PowerTrack::new(
        PowerKind::Watts,
        track(PowerKind::Watts, 0.1)
            .points()
            .iter()
            .map(|point| PowerPoint { value: -point.value, ..*point }),
    );
    let why = EnergyDocument::from_report(&report(backwards)).withheld.expect("a reason");
    assert!(why.contains("-3.0") && why.contains("the wrong way round"), "{why}");
}

#[test]
fn a_counter_of_energy_has_its_error_from_its_steps_and_is_never_called_still() {
    // 2 J a second, read once a second.
    let steps = |every: u32| {
        let point = |second: u32| PowerPoint { at_s: f64::from(second), value: f64::from(second) * 2.0 };
        PowerTrack::new(PowerKind::Joules, (0..=30).step_by(every as usize).map(point))
    };
    let document = EnergyDocument::from_report(&report(steps(1)));
    close(document.joules.map(|joules| joules.value), 20.0);
    assert!(
        !document.notices.iter().any(|notice| notice.contains("during the task")),
        "{:?}",
        document.notices
    );
    let few = EnergyReport { task: Stretch { from_s: 10.2, to_s: 10.4 }, ..report(steps(1)) };
    let why = EnergyDocument::from_report(&few).withheld.expect("a reason");
    assert!(
        why.contains("steps of the counter in 0.2 s") || why.contains("step of the counter in 0.2 s"),
        "{why}"
    );
}

#[test]
fn the_conditions_of_a_run_name_the_meter_its_readings_and_every_figure() {
    let mut report = report(track(PowerKind::Watts, 0.1));
    let wrong = WrongReadingsDocument { kind: "overload".to_owned(), count: 2, first: "9.9E37".to_owned() };
    report.meter = MeterDocument {
        measures: "the drive".to_owned(),
        due: 40,
        taken: 36,
        missed: 1,
        wrong: vec![wrong],
        given_up: true,
        ..report.meter
    };
    let lines = EnergyDocument::from_report(&report).conditions();
    let names: Vec<&str> = lines.iter().map(|line| line.name.as_str()).collect();
    let expected = [
        "Meter",
        "Readings",
        "Idle power",
        "Mean power",
        "Energy",
        "Energy above idle",
        "Energy a GB",
        "Energy a GB above idle",
        "Battery lasts",
    ];
    assert_eq!(names, expected);
    assert_eq!(lines[0].value, "a meter, the drive");
    assert_eq!(lines[1].value, "36 of 40, 1 missed, 2 overload, given up before the end");
    assert!(lines.iter().all(|line| line.group == "Energy"));
    let whole = MeterDocument { due: 3, taken: 3, ..MeterDocument::default() };
    assert_eq!(whole.readings(), "3 of 3");
}

/// A run of ten seconds at about these watts, between idle times of 1 W.
fn run_at(watts: f64) -> EnergyDocument {
    let point = |second: u32| PowerPoint {
        at_s: f64::from(second),
        value: if (10..=20).contains(&second) { watts } else { 1.0 } + 0.01 * f64::from(second % 2),
    };
    EnergyDocument::from_report(&report(PowerTrack::new(PowerKind::Watts, (0..=30).map(point))))
}

#[test]
fn several_runs_have_the_mean_and_the_interval_of_the_textbook_and_those_that_are_not_counted_have_no_part() {
    let runs: Vec<EnergyDocument> = [3.0, 4.0, 5.0, 6.0, 7.0, 100.0].map(run_at).to_vec();
    let mean = EnergyDocument::over_runs(&runs, |place| place < 5).expect("runs");
    let joules = mean.joules.expect("an energy");
    let each: Vec<f64> = runs[..5].iter().filter_map(|run| Some(run.joules?.value)).collect();
    close(Some(joules.value), each.iter().sum::<f64>() / 5.0);
    // They are 10 J apart: s / sqrt(5) = 10 sqrt(2.5 / 5), t(0.975, 4) = 2.776445.
    let ends = joules.interval.expect("an interval");
    assert!((joules.error.expect("an error") - 50f64.sqrt()).abs() < 1e-6);
    assert!(((ends.high - ends.low) / 2.0 - 2.776_445 * 50f64.sqrt()).abs() < 1e-5, "{ends:?}");
    assert_eq!((mean.runs, mean.notices), (5, vec!["first".to_owned()]));
    close(Some(mean.duration_s), 10.0);
}

#[test]
fn a_run_whose_energy_is_not_known_is_named_and_one_that_is_left_is_shown_as_it_is() {
    let mut unknown = run_at(3.0);
    (unknown.joules, unknown.withheld) = (None, Some("Why.".to_owned()));
    let found = EnergyDocument::over_runs(&[run_at(5.0), unknown.clone()], |_| true).expect("runs");
    let notices = vec!["first".to_owned(), "Run 2: Why.".to_owned()];
    assert_eq!(found, EnergyDocument { notices, ..run_at(5.0) });
    let found = EnergyDocument::over_runs(&[unknown.clone(), unknown], |_| true).expect("runs");
    assert_eq!((found.joules, found.withheld.as_deref()), (None, Some("Why.")));
    assert_eq!(EnergyDocument::over_runs(&[run_at(5.0)], |_| false), Some(run_at(5.0)));
    let whole = serde_json::to_value(run_at(5.0)).expect("JSON");
    assert!(whole.get("runs").is_none() && whole["joules"].get("interval").is_none());
}
