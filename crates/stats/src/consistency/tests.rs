//! Runs whose figures are known.

use super::*;
use crate::{Cliff, LoopKind, Standstill, StandstillCause, Unsent};
use drivelab_block::{Completion, Extent, Instant, Op, PhaseId, QueueId, Sector, SectorCount, Status};

fn write_at(at: Instant) -> Completion {
    Completion {
        intended_at: at,
        submitted_at: at,
        issued_at: None,
        completed_at: at,
        extent: Extent { start: Sector::new(0), length: SectorCount::new(8) },
        status: Status::OK,
        queue: QueueId(0),
        op: Op::Write,
        phase: PhaseId(0),
    }
}

fn phase_with(rates: &[u64]) -> PhaseAnalysis {
    let mut phase = PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Closed);
    for (second, rate) in (0u64..).zip(rates) {
        for step in 0..*rate {
            phase.add(&write_at(Instant::from_nanos(second * 1_000_000_000 + step * 1_000)));
        }
    }
    phase
}

#[test]
fn a_run_that_fell_late_is_judged_behind_its_fall_alone() {
    let rates: Vec<u64> = [1000; 250].into_iter().chain([100; 50]).collect();
    let figures = ConsistencyFigures::from_phase(&phase_with(&rates), Nanos::from_secs(300), 60);
    assert_eq!((figures.steady_part.reached, figures.steady_part.from_s), (false, 250));
    assert!((figures.steady.mean - 100.0).abs() < 1e-9, "{}", figures.steady.mean);
}

#[test]
fn a_cliff_is_found_with_the_bytes_written_before_it() {
    let mut rates = vec![1_000u64; 100];
    rates.extend(vec![100; 400]);
    let figures = ConsistencyFigures::from_phase(&phase_with(&rates), Nanos::from_secs(500), 20);
    let cliff = Cliff { at_s: 100, end_s: 100, written_bytes: 100 * 1_000 * 4_096 };
    assert_eq!(figures.fresh.cliff, Some(cliff));
    assert_eq!(
        figures.steady_part,
        SteadyPart { from_s: 100, reached: true, drift: None, rounds: 20, round_s: 20 }
    );
    assert!((figures.steady.mean - 100.0).abs() < 1e-9);
}

#[test]
fn a_rate_that_climbs_up_to_the_end_drifts_between_its_first_and_last_five_rounds() {
    let rates: Vec<u64> = [2_000; 20].into_iter().chain((0..200).map(|second| 400 + second)).collect();
    let figures = ConsistencyFigures::from_phase(&phase_with(&rates), Nanos::from_secs(220), 5);
    let drift = figures.steady_part.drift.expect("it drifts");
    assert!(!figures.steady_part.reached && drift.from_s >= 20, "{:?}", figures.steady_part);
    // Five rounds of five seconds have the rate of their middle second.
    let at = |second: u64| 380.0 + second as f64 + 12.0;
    assert!((drift.from_iops - at(drift.from_s)).abs() < 1.0, "{drift:?}");
    assert!((drift.to_iops - at(195)).abs() < 1.0 && drift.until_s == 220, "{drift:?}");
    assert_eq!(figures.steady_part.from_s, 154, "as where no steady state was found: the last three tenths");
}

#[test]
fn a_round_with_the_cliff_in_it_is_no_part_of_steady_state() {
    // With two seconds at 400 the first round's mean is 110: by the rule alone all five would be steady.
    let mut rates = vec![400u64; 2];
    rates.extend(vec![100; 298]);
    let figures = ConsistencyFigures::from_phase(&phase_with(&rates), Nanos::from_secs(300), 60);
    assert_eq!(figures.fresh.cliff.map(|cliff| cliff.at_s), Some(2));
    assert!(figures.steady_part.is_too_short(), "four rounds begin after the cliff");
    rates.extend(vec![100; 60]);
    let figures = ConsistencyFigures::from_phase(&phase_with(&rates), Nanos::from_secs(360), 60);
    assert_eq!(
        figures.steady_part,
        SteadyPart { from_s: 60, reached: true, drift: None, rounds: 5, round_s: 60 }
    );
    assert!((figures.steady.max - 100.0).abs() < 1e-9, "no fresh second is among the steady ones");
}

#[test]
fn the_rate_of_a_schedule_is_no_steady_state_and_that_of_a_drive_which_falls_behind_is() {
    let figures = ConsistencyFigures::from_phase(&phase_with(&[100; 50]), Nanos::from_secs(50), 10);
    assert!(figures.steady_part.reached && !figures.kept_up());
    let on = |iops: f64, unsent: u64| {
        let asked = AskedRate { iops, is_random: false };
        let mut phase = phase_with(&[100; 50]);
        phase.add_unsent(&Unsent::from_iter([(1, unsent)]));
        let figures = figures.clone().on_schedule(asked, &phase, Nanos::from_secs(50));
        (figures.kept_up(), figures.steady_part.reached)
    };
    assert_eq!(on(100.0, 0), (true, false));
    assert_eq!(on(100.0, 50), (true, false), "1 % of what was due");
    assert_eq!(
        on(100.0, 51),
        (false, true),
        "a backlog that the drive never sends is none of a schedule that it keeps"
    );
    assert_eq!(on(200.0, 0), (false, true));
}

/// The time of a phase goes on behind the moment from which on everything fails.
#[test]
fn a_drive_that_fails_what_it_is_asked_has_not_kept_up() {
    let phase_of = |answered_s: u64, status: Status| {
        let mut phase = PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Open);
        for number in 0..5_000u64 {
            let written = write_at(Instant::from_nanos(number * 10_000_000));
            let status = if number >= answered_s * 100 { status } else { Status::OK };
            phase.add(&Completion { status, ..written });
        }
        phase
    };
    let pace = |phase: &PhaseAnalysis| {
        let figures = ConsistencyFigures::from_phase(phase, Nanos::from_secs(50), 10);
        figures.on_schedule(AskedRate { iops: 100.0, is_random: false }, phase, Nanos::from_secs(50)).pace
    };
    assert_eq!(pace(&phase_of(50, Status::OK)), Some(Pace::Kept));
    assert_eq!(pace(&phase_of(20, Status::errno(19))), Some(Pace::Below));
    // The judged part, which is the last of the run, is as it was asked for; what came before it was not.
    let mut some = phase_of(50, Status::OK);
    let failed = write_at(Instant::from_nanos(500_000_000));
    (0..51).for_each(|_| some.add(&Completion { status: Status::errno(5), ..failed }));
    assert_eq!(pace(&some), Some(Pace::FellBehind { empty_second: None }));
}

#[test]
fn only_independent_gaps_may_be_short_by_chance() {
    let phase = phase_with(&[3; 50]);
    let figures = ConsistencyFigures::from_phase(&phase, Nanos::from_secs(50), 60);
    let kept_up = |is_random: bool| {
        let asked = AskedRate { iops: 4.0, is_random };
        figures.clone().on_schedule(asked, &phase, Nanos::from_secs(50)).kept_up()
    };
    // 45 of the 60 requests that were due in the last 15 seconds.
    assert_eq!((kept_up(true), kept_up(false)), (true, false));
}

/// As a run with a drive that hangs or fails, whose rate is that of no drive that has become slower.
#[test]
fn seconds_without_an_answer_and_those_that_fail_are_no_cliff() {
    let cliff_of = |phase: &PhaseAnalysis, seconds: usize| {
        let figures = ConsistencyFigures::from_phase(phase, Nanos::from_secs(seconds as u64), 10);
        (figures.fresh.iops, figures.fresh.cliff.map(|cliff| (cliff.at_s, cliff.written_bytes)))
    };
    let hung = [vec![1_000; 40], vec![90], vec![0; 59]].concat();
    assert_eq!(cliff_of(&phase_with(&hung), 100), (1_000.0, None), "it never answers again");
    let silent = [vec![1_000], vec![90], vec![0; 20], vec![1_000; 78]].concat();
    assert_eq!(cliff_of(&phase_with(&silent), 100), (1_000.0, None), "it answers again");
    let mut failing = phase_with(&[vec![1_000; 50], vec![100; 50]].concat());
    for second in 50..100 {
        let at = Instant::from_nanos(second * 1_000_000_000);
        (0..900).for_each(|_| failing.add(&Completion { status: Status::errno(5), ..write_at(at) }));
    }
    assert_eq!(cliff_of(&failing, 100), (1_000.0, None));
    // A cliff is one all the same, whether the drive was silent before it, or is now and then after it.
    let both = [vec![1_000; 30], vec![0; 10], vec![1_000; 30], vec![100; 130]].concat();
    assert_eq!(cliff_of(&phase_with(&both), 200), (1_000.0, Some((70, 60 * 1_000 * 4_096))));
    let bursts = [vec![1_000; 50], [0, 100].repeat(75)].concat();
    assert_eq!(cliff_of(&phase_with(&bursts), 200), (1_000.0, Some((50, 50 * 1_000 * 4_096))));
}

#[test]
fn one_slow_second_is_no_cliff() {
    let mut rates = vec![1_000u64; 100];
    rates[50] = 0;
    let figures = ConsistencyFigures::from_phase(&phase_with(&rates), Nanos::from_secs(100), 10);
    assert_eq!(figures.fresh.cliff, None);
    assert!((figures.steady.min - 0.0).abs() < 1e-9);
}

#[test]
fn seconds_in_which_the_program_stood_still_are_none_of_the_drive() {
    let rates: Vec<u64> = (0..50).map(|second| if (20..25).contains(&second) { 0 } else { 100 }).collect();
    let mut phase = phase_with(&rates);
    let at = |tenths: u64| Instant::from_nanos(tenths * 100_000_000);
    let (from, until, queue) = (at(201), at(245), None);
    phase.note_standstill(Standstill { from, until, queue, cause: StandstillCause::Stopped });
    let figures = ConsistencyFigures::from_phase(&phase, Nanos::from_secs(50), 10);
    assert_eq!(
        figures.steady_part,
        SteadyPart { from_s: 0, reached: true, drift: None, rounds: 5, round_s: 10 }
    );
    assert_eq!((figures.steady.seconds, figures.steady.slow_share), (45, 0.0));
    assert!((figures.steady.mean - 100.0).abs() < 1e-9 && (figures.steady.min - 100.0).abs() < 1e-9);
    // The same seconds of a drive that does not answer.
    let figures = ConsistencyFigures::from_phase(&phase_with(&rates), Nanos::from_secs(50), 10);
    assert!(!figures.steady_part.reached, "one of five rounds is half as fast");
}

#[test]
fn a_drive_that_stops_answering_has_seconds_of_zero() {
    let figures = ConsistencyFigures::from_phase(&phase_with(&[10, 10]), Nanos::from_secs(10), 1);
    assert_eq!(
        figures.steady_part,
        SteadyPart { from_s: 7, reached: false, drift: None, rounds: 10, round_s: 1 }
    );
    assert!(figures.steady.mean.abs() < 1e-9);
}

#[test]
fn four_rounds_are_too_few_to_judge_and_five_are_enough() {
    let part = |seconds: u64| {
        let phase = phase_with(&vec![10; usize::try_from(seconds).expect("a few")]);
        ConsistencyFigures::from_phase(&phase, Nanos::from_secs(seconds), 10).steady_part
    };
    assert!(part(49).is_too_short() && !part(49).reached);
    assert!(!part(50).is_too_short() && part(50).reached);
}

#[test]
fn one_second_has_neither_a_deviation_nor_a_worst_percent() {
    let figures = ConsistencyFigures::from_phase(&phase_with(&[10]), Nanos::from_secs(1), 60).steady;
    assert_eq!((figures.seconds, figures.stddev, figures.p01), (1, None, None));
}

#[test]
fn a_run_of_less_than_a_second_has_no_figures_and_no_panic() {
    let figures = ConsistencyFigures::from_phase(&phase_with(&[3]), Nanos::from_millis(300), 60);
    assert_eq!(figures.steady.seconds, 0);
}

#[test]
fn the_figures_of_seconds_are_those_of_the_textbook() {
    let found = rate_figures(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]);
    let stddev = found.stddev.expect("eight seconds");
    assert!((stddev - (32.0f64 / 7.0).sqrt()).abs() < 1e-12, "{stddev}");
    let expected = RateFigures {
        seconds: 8,
        mean: 5.0,
        stddev: Some(stddev),
        min: 2.0,
        max: 9.0,
        p01: Some(2.0),
        p01_seconds: 8,
        slow_share: 0.0,
        evenness: Evenness { median: 4.5, near_median_share: 0.0, modes: None },
    };
    assert_eq!(found, expected);
}

#[test]
fn the_worst_percent_is_the_fourth_slowest_of_the_last_400_seconds() {
    let rates: Vec<f64> =
        [1.0, 2.0, 3.0].into_iter().chain((0..400).rev().map(|s| f64::from(100 + s))).collect();
    let found = rate_figures(&rates);
    assert_eq!((found.p01, found.p01_seconds, found.min), (Some(103.0), 400, 1.0));
}

#[test]
fn a_second_below_a_tenth_of_the_mean_is_slow_and_one_at_a_tenth_is_not() {
    let share = |slowest: f64| {
        let rates = [[slowest, 200.0 - slowest].as_slice(), &[100.0; 8]].concat();
        rate_figures(&rates).slow_share
    };
    assert_eq!((share(9.9), share(10.0)), (0.1, 0.0));
}

#[test]
fn steady_figures_of_a_run_that_is_not_steady_begin_at_1400_seconds_or_seven_tenths() {
    assert_eq!([100, 1_600, 1_601, 2_000].map(customary_start), [70, 1_120, 1_400, 1_400]);
}

#[test]
fn rounds_count_from_the_end_of_the_fall() {
    let iops = [[1_000.0; 20].as_slice(), &[200.0; 10], &[100.0; 50]].concat();
    let found = steady_part(&iops, 10, 20);
    assert_eq!(found, SteadyPart { from_s: 30, reached: true, drift: None, rounds: 6, round_s: 10 });
    // A rate that falls up to the end has nothing behind its fall.
    let falling: Vec<f64> = (0..50).map(|second| 1_000.0 - 20.0 * f64::from(second)).collect();
    let found = steady_part(&falling, 10, 50);
    assert_eq!(found, SteadyPart { from_s: 35, reached: false, drift: None, rounds: 0, round_s: 10 });
}

/// 100 requests a second for 50 seconds, of which none was answered in the first.
#[test]
fn requests_in_flight_at_the_end_are_no_backlog() {
    let kept_up = |service_ms: u64| {
        let mut phase = PhaseAnalysis::new(Instant::ORIGIN, LoopKind::Open);
        for number in 100..5_000u64 {
            let completed = write_at(Instant::from_nanos(number * 10_000_000));
            let submitted_at = Instant::from_nanos(number * 10_000_000 - service_ms * 1_000_000);
            phase.add(&Completion { intended_at: submitted_at, submitted_at, ..completed });
        }
        let figures = ConsistencyFigures::from_phase(&phase, Nanos::from_secs(50), 10);
        assert_eq!(figures.steady_part.from_s, 0);
        let asked = AskedRate { iops: 100.0, is_random: false };
        figures.on_schedule(asked, &phase, Nanos::from_secs(50)).kept_up()
    };
    // Where each takes a second, the 100 that are missing are in flight; where it takes a tenth, 90 of them are not.
    assert_eq!((kept_up(1_000), kept_up(100)), (true, false));
}

#[test]
fn a_run_without_a_whole_second_kept_up_with_nothing() {
    let phase = phase_with(&[3]);
    let figures = ConsistencyFigures::from_phase(&phase, Nanos::from_millis(300), 60);
    let asked = AskedRate { iops: 10.0, is_random: false };
    assert!(!figures.on_schedule(asked, &phase, Nanos::from_millis(300)).kept_up());
}
