//! Flushes and power cuts: what is lost is what no flush and no program had made durable.

use std::collections::BTreeMap;

use crate::rig;
use crate::rig::request;
use drivelab_block::{Batch, ByteCount, Engine, Instant, Limits, Nanos, Op, OpSet};
use drivelab_sim::{PowerCut, SimDrive, Spec};
use proptest::prelude::*;

/// Programs of 16 KiB that take 1 ms, on two dies.
const TINY: &str = "size=64MiB&dies=2&channels=2&planes=1&page=16KiB&pages_per_block=16&over_provisioning=25%\
                    &program=1ms&controller_noise=0%";
const UNITS: u64 = 16_384;

struct Kept {
    drive: SimDrive,
    batch: Batch,
    writes: u64,
    /// What each unit held after each command, in order: the numbers of writes.
    history: BTreeMap<u64, Vec<u64>>,
}

impl Kept {
    fn new(spec: &str) -> Kept {
        let profile = Spec::parse(spec).unwrap();
        let mut drive = SimDrive::with_power_cuts(&profile, 1);
        let ops = OpSet::EMPTY.with(Op::Read).with(Op::Write).with(Op::Flush);
        drive.prepare(Limits { queue_depth: 64, max_transfer: ByteCount::new(1 << 20), ops }).unwrap();
        Kept { drive, batch: Batch::with_capacity(64), writes: 0, history: BTreeMap::new() }
    }

    /// Sends a command without waiting for its answer.
    fn send(&mut self, op: Op, first: u64, units: u64) {
        self.drive.submit(request(op, first * 8, units * 8)).unwrap();
        if op == Op::Write {
            self.writes += 1;
            (first..first + units).for_each(|unit| self.history.entry(unit).or_default().push(self.writes));
        }
    }

    /// Waits for all answers; returns how long that took.
    fn wait(&mut self) -> Nanos {
        let begun = self.drive.now();
        self.batch.clear();
        while self.drive.reap(Instant::NEVER, &mut self.batch).is_ok() {
            self.batch.clear();
        }
        self.drive.now().since(begun)
    }

    fn ask(&mut self, op: Op, first: u64, units: u64) -> Nanos {
        self.send(op, first, units);
        self.wait()
    }

    fn rest(&mut self, nanos: u64) {
        let until = Instant::from_nanos(self.drive.now().as_nanos() + nanos);
        self.batch.clear();
        self.drive.reap(until, &mut self.batch).unwrap();
    }

    fn contents(&mut self, unit: u64) -> Option<u64> {
        self.drive.contents(u32::try_from(unit).unwrap())
    }

    /// Cuts the power, and checks that the drive holds what the cut says.
    fn cut(&mut self) -> PowerCut {
        let cut = self.drive.cut_power().unwrap();
        self.drive.check_invariants().unwrap();
        let lost: BTreeMap<u64, Option<u64>> =
            cut.lost.iter().map(|block| (block.at.get() / 8, block.left)).collect();
        for (unit, writes) in self.history.clone() {
            let held = self.contents(unit);
            match lost.get(&unit) {
                Some(left) => {
                    assert_eq!(held, *left, "unit {unit}");
                    assert!(left.is_none_or(|left| writes.contains(&left)), "unit {unit} holds another's");
                    assert_ne!(held, writes.last().copied());
                }
                None => assert_eq!(held, writes.last().copied(), "unit {unit} is not lost"),
            }
        }
        assert_eq!(self.drive.ground_truth().power_cuts.last(), Some(&cut));
        cut
    }
}

fn units(cut: &PowerCut) -> Vec<u64> {
    cut.lost.iter().map(|block| block.at.get() / 8).collect()
}

#[test]
fn what_was_written_and_not_flushed_is_lost_and_what_was_there_before_is_back() {
    let mut kept = Kept::new(&format!("consistent?{TINY}"));
    kept.ask(Op::Write, 0, 3);
    kept.ask(Op::Flush, 0, 0);
    // Less than a program, so that nothing of it is programmed by itself, however long one waits.
    kept.ask(Op::Write, 1, 3);
    kept.rest(1_000_000_000);
    let cut = kept.cut();
    let left: Vec<(u64, Option<u64>, bool)> =
        cut.lost.iter().map(|block| (block.at.get() / 8, block.left, block.was_answered)).collect();
    assert_eq!(left, [(1, Some(1), true), (2, Some(1), true), (3, None, true)]);
    assert_eq!((kept.contents(0), cut.unanswered), (Some(1), 0));
    assert_eq!(kept.drive.ground_truth().mapped_units, 3);
}

#[test]
fn a_program_that_is_complete_is_not_lost_and_one_under_way_is() {
    let mut kept = Kept::new(&format!("consistent?{TINY}"));
    kept.ask(Op::Write, 0, 4);
    kept.rest(2_000_000);
    kept.ask(Op::Write, 4, 4);
    assert_eq!(units(&kept.cut()), [4, 5, 6, 7], "the second program takes 1 ms");
    kept.ask(Op::Write, 4, 4);
    kept.rest(2_000_000);
    assert!(kept.cut().lost.is_empty());
}

#[test]
fn commands_in_flight_are_never_answered_and_may_be_lost() {
    let mut kept = Kept::new(&format!("consistent?{TINY}"));
    kept.send(Op::Write, 0, 4);
    kept.send(Op::Write, 8, 2);
    let cut = kept.cut();
    assert_eq!((cut.unanswered, units(&cut)), (2, vec![0, 1, 2, 3, 8, 9]));
    assert!(cut.lost.iter().all(|block| !block.was_answered));
    assert_eq!(kept.wait(), Nanos::ZERO, "nothing comes back of them");
}

#[test]
fn a_protected_drive_loses_nothing_and_its_flush_waits_for_no_program() {
    let mut kept = Kept::new(&format!("consistent?{TINY}&write_cache=protected&flush_time=50us"));
    kept.ask(Op::Write, 0, 3);
    assert!(kept.cut().lost.is_empty());
    kept.ask(Op::Write, 0, 30);
    let command = Nanos::from_micros(8);
    assert_eq!(kept.ask(Op::Flush, 0, 0), command + Nanos::from_micros(50));
    assert_eq!(kept.ask(Op::Flush, 0, 0), command, "nothing was written since");
}

#[test]
fn a_flush_takes_its_own_time_after_the_programs_that_it_waits_for() {
    let time = |spec: &str| {
        let mut kept = Kept::new(spec);
        kept.ask(Op::Write, 0, 3);
        (kept.ask(Op::Flush, 0, 0), kept.ask(Op::Flush, 0, 0))
    };
    let plain = time(&format!("consistent?{TINY}"));
    let slow = time(&format!("consistent?{TINY}&flush_time=7ms"));
    assert_eq!(slow.0, plain.0 + Nanos::from_millis(7));
    assert_eq!(slow.1, plain.1, "a flush of nothing has nothing to make durable");
}

#[test]
fn a_drive_that_was_not_made_for_power_cuts_cannot_say_what_it_lost() {
    let profile = Spec::parse("consistent?size=1GiB").unwrap();
    for make in [SimDrive::new, SimDrive::with_contents] {
        assert!(make(&profile, 1).cut_power().is_err());
    }
}

#[derive(Clone, Debug)]
enum Step {
    Write { first: u64, units: u64, waits: bool },
    Storm { seed: u64, count: u64 },
    Flush,
    Rest { nanos: u64 },
    Cut,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let write = (0..UNITS - 40, 1..40u64, any::<bool>()).prop_map(|(first, units, waits)| Step::Write {
        first,
        units,
        waits,
    });
    let storm = (any::<u64>(), 1..6_000u64).prop_map(|(seed, count)| Step::Storm { seed, count });
    let rest = (0..3_000_000u64).prop_map(|nanos| Step::Rest { nanos });
    let step = prop_oneof![6 => write, 3 => storm, 2 => Just(Step::Flush), 2 => rest, 2 => Just(Step::Cut)];
    prop::collection::vec(step, 1..40)
}

/// Whatever was written: a cut never takes what a completed flush came after, and never more than the write buffer, the program
/// that is being gathered and what was in flight.
fn check(spec: &str, steps: &[Step]) {
    let mut kept = Kept::new(spec);
    let mut flushed = 0;
    for step in steps {
        match *step {
            Step::Write { first, units, waits } => {
                kept.send(Op::Write, first, units);
                if waits {
                    kept.wait();
                }
            }
            Step::Storm { seed, count } => {
                let mut dice = rig::Dice::new(seed);
                for _ in 0..count {
                    kept.ask(Op::Write, dice.below(UNITS / 4), 1);
                }
            }
            Step::Flush => {
                kept.wait();
                kept.ask(Op::Flush, 0, 0);
                flushed = kept.writes;
            }
            Step::Rest { nanos } => kept.rest(nanos),
            Step::Cut => {
                let in_flight = kept.writes;
                let cut = kept.cut();
                assert!(
                    cut.lost.iter().all(|block| block.write > flushed),
                    "{flushed} of {in_flight}: {cut:?}"
                );
                let answered = cut.lost.iter().filter(|block| block.was_answered).count();
                // Two programs of 4 units a die, the one that is being gathered, and the largest write: it is answered by the
                // slot of its last program, while an earlier one may still wait for its own.
                assert!(answered <= 2 * 2 * 4 + 4 + 40, "{answered} units were answered and lost");
                // What is lost now was never there, for the cuts that follow.
                for block in &cut.lost {
                    let held = kept.history.entry(block.at.get() / 8).or_default();
                    held.clear();
                    held.extend(block.left);
                }
                kept.history.retain(|_, writes| !writes.is_empty());
                flushed = kept.writes;
            }
        }
    }
    kept.wait();
    kept.cut();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_cut_takes_what_was_flushed(steps in steps()) {
        check(&format!("consistent?{TINY}"), &steps);
    }

    #[test]
    fn no_cut_takes_what_was_flushed_of_a_drive_that_collects_in_bursts(steps in steps()) {
        check(&format!("sm2246en?{TINY}"), &steps);
    }

    #[test]
    fn no_cut_takes_what_was_flushed_of_a_drive_with_a_cache(steps in steps()) {
        check(&format!("qlc-slc?{TINY}&slc_cache=8MiB"), &steps);
    }
}
