//! Random operations against a trivial model of a drive: an array of tags.

use crate::rig;
use crate::rig::request;
use drivelab_block::{Batch, ByteCount, Engine, Instant, Limits, Op, OpSet};
use drivelab_sim::{SimDrive, Spec};
use proptest::prelude::*;

const UNITS: u64 = 16_384;

#[derive(Clone, Debug)]
enum Step {
    /// Any sectors, aligned or not.
    Io {
        op: Op,
        start: u64,
        sectors: u64,
    },
    /// Many random writes to one part, so that collection runs.
    Storm {
        seed: u64,
        first: u64,
        units: u64,
        count: u64,
    },
    DiscardAll,
    Flush,
    Idle {
        nanos: u64,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let io = (0..3usize, 0..UNITS * 8 - 700, 1..700u64).prop_map(|(op, start, sectors)| Step::Io {
        op: [Op::Read, Op::Write, Op::Discard][op],
        start,
        sectors,
    });
    let storm = (any::<u64>(), 0..UNITS / 2, 1..UNITS / 2, 1..12_000u64)
        .prop_map(|(seed, first, units, count)| Step::Storm { seed, first, units, count });
    let idle = (0..2_000_000_000u64).prop_map(|nanos| Step::Idle { nanos });
    let step =
        prop_oneof![8 => io, 6 => storm, 1 => Just(Step::DiscardAll), 1 => Just(Step::Flush), 1 => idle];
    prop::collection::vec(step, 1..40)
}

fn index(unit: u64) -> usize {
    usize::try_from(unit).unwrap()
}

/// The drive and its model.
struct Pair {
    drive: SimDrive,
    model: Vec<Option<u64>>,
    writes: u64,
    batch: Batch,
}

impl Pair {
    fn ask(&mut self, op: Op, start: u64, sectors: u64) {
        self.drive.submit(request(op, start, sectors)).unwrap();
        self.batch.clear();
        self.drive.reap(Instant::NEVER, &mut self.batch).unwrap();
        assert!(self.batch.as_slice().iter().all(|completion| completion.status.is_ok()));
        let touched = start / 8..(start + sectors).div_ceil(8);
        let covered = start.div_ceil(8)..(start + sectors) / 8;
        match op {
            Op::Write => {
                self.writes += 1;
                touched.for_each(|unit| self.model[index(unit)] = Some(self.writes));
            }
            Op::Discard => covered.for_each(|unit| self.model[index(unit)] = None),
            Op::Read | Op::Flush => {}
        }
    }

    fn run(&mut self, step: &Step) {
        match *step {
            Step::Io { op, start, sectors } => self.ask(op, start, sectors),
            Step::Storm { seed, first, units, count } => {
                let mut dice = rig::Dice::new(seed);
                (0..count).for_each(|_| self.ask(Op::Write, (first + dice.below(units)) * 8, 8));
            }
            Step::DiscardAll => self.ask(Op::Discard, 0, UNITS * 8),
            Step::Flush => self.ask(Op::Flush, 0, 0),
            Step::Idle { nanos } => {
                let until = Instant::from_nanos(self.drive.now().as_nanos() + nanos);
                self.batch.clear();
                self.drive.reap(until, &mut self.batch).unwrap();
            }
        }
    }
}

fn check(spec: &str, steps: &[Step]) {
    let profile = Spec::parse(spec).unwrap();
    let mut drive = SimDrive::with_contents(&profile, 1);
    let ops = OpSet::EMPTY.with(Op::Read).with(Op::Write).with(Op::Discard).with(Op::Flush);
    drive.prepare(Limits { queue_depth: 1, max_transfer: ByteCount::new(1 << 20), ops }).unwrap();
    let model = vec![None; index(UNITS)];
    let mut pair = Pair { drive, model, writes: 0, batch: Batch::with_capacity(4) };
    for step in steps {
        pair.run(step);
    }
    pair.drive.check_invariants().unwrap();
    for (unit, expected) in pair.model.iter().enumerate() {
        assert_eq!(pair.drive.contents(u32::try_from(unit).unwrap()), *expected, "unit {unit} of {spec}");
    }
    let mapped = pair.model.iter().flatten().count() as u64;
    assert_eq!(pair.drive.ground_truth().mapped_units, mapped);
}

const TINY: &str =
    "size=64MiB&dies=2&channels=2&planes=1&page=16KiB&pages_per_block=16&over_provisioning=25%";

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_foreground_drive_holds_what_was_written(steps in steps()) {
        check(&format!("sm2246en?{TINY}"), &steps);
    }

    #[test]
    fn an_interleaved_drive_holds_what_was_written(steps in steps()) {
        check(&format!("consistent?{TINY}"), &steps);
    }

    #[test]
    fn a_drive_with_a_static_cache_holds_what_was_written(steps in steps()) {
        check(&format!("qlc-slc?{TINY}&slc_cache=1MiB&slc_kind=static"), &steps);
    }

    #[test]
    fn a_drive_with_a_dynamic_cache_holds_what_was_written(steps in steps()) {
        check(&format!("qlc-slc?{TINY}&slc_cache=8MiB"), &steps);
    }

    #[test]
    fn a_drive_whose_full_cache_is_passed_by_holds_what_was_written(steps in steps()) {
        check(&format!("qlc-slc?{TINY}&slc_cache=20MiB&slc_full=direct"), &steps);
    }

    #[test]
    fn a_drive_whose_cache_follows_the_free_space_holds_what_was_written(steps in steps()) {
        let cache = "slc_cache=64MiB&slc_share=24%&slc_min=2MiB&slc_full=direct_then_fold&slc_empty_rate=20MB/s";
        check(&format!("qlc-slc?{TINY}&{cache}&map_cache=8MiB&map_miss=60us"), &steps);
    }
}
