//! What a discard does, and what a drive without one does.

use crate::rig::formula;
use crate::rig::{Rig, assert_near, request};
use drivelab_block::{Batch, ByteCount, Engine, Instant, Limits, Op, OpSet, Status};

fn discard(rig: &mut Rig, start: u64, sectors: u64) -> Status {
    let mut batch = Batch::with_capacity(1);
    rig.drive.submit(request(Op::Discard, start, sectors)).unwrap();
    rig.drive.reap(Instant::NEVER, &mut batch).unwrap();
    batch.as_slice()[0].status
}

fn small(trim: &str) -> Rig {
    Rig::new(&format!(
        "sm2246en?size=4GiB&over_provisioning=12%&dies=1&channels=1&planes=1&page=4KiB&pages_per_block=256\
         &collect=interleaved&collect_pool=0&trim={trim}"
    ))
}

/// Trimming a fraction f leaves the flash of the whole drive to the data of the rest: alpha / (1 - f).
#[test]
fn what_is_trimmed_becomes_spare_flash() {
    for percent in [10, 30] {
        let mut rig = small("true");
        rig.fill(100);
        let units = rig.sectors() / 8;
        let kept = units * (100 - percent) / 100;
        rig.write_randomly(units, 100, 61, |_| {});
        assert!(discard(&mut rig, kept * 8, (units - kept) * 8).is_ok());
        assert_eq!(rig.drive.ground_truth().mapped_units, kept);
        rig.write_randomly(2 * units, 100 - percent, 62, |_| {});
        rig.reset_counts();
        rig.write_randomly(units, 100 - percent, 63, |_| {});
        let alpha = rig.profile.alpha(ByteCount::new(kept * 4096));
        let expected = formula::greedy(alpha, 256);
        assert_near(rig.write_amplification(), expected, 0.03, &format!("{percent} % trimmed"));
        rig.check();
    }
}

#[test]
fn discarding_the_whole_drive_makes_it_fresh() {
    let mut rig = Rig::new("sm2246en?size=4GiB");
    rig.fill(100);
    let fresh_room = rig.write_randomly_for(2, 100, 71)[1];
    rig.write_randomly(400_000, 100, 72, |_| {});
    let sectors = rig.sectors();
    assert!(discard(&mut rig, 0, sectors).is_ok());
    assert_eq!(rig.drive.ground_truth().mapped_units, 0);
    rig.drive.check_invariants().unwrap();
    rig.reset_counts();
    rig.fill(100);
    let counts = rig.write_randomly_for(2, 100, 73);
    assert_eq!(rig.counts().moved_units, 0, "nothing to collect on a fresh drive");
    assert_near(counts[1] as f64, fresh_room as f64, 0.01, "IOPS as on the first day");
    rig.check();
}

#[test]
fn a_discard_at_either_end_of_the_drive_spares_the_rest() {
    for at_start in [true, false] {
        let mut rig = small("true");
        rig.fill(100);
        let units = rig.sectors() / 8;
        let start = if at_start { 0 } else { units - 100 };
        assert!(discard(&mut rig, start * 8, 100 * 8).is_ok());
        assert_eq!(rig.drive.ground_truth().mapped_units, units - 100);
        rig.check();
    }
}

#[test]
fn an_ignored_discard_changes_nothing() {
    let mut rig = small("ignored");
    rig.fill(100);
    let sectors = rig.sectors();
    assert!(discard(&mut rig, 0, sectors).is_ok());
    let truth = rig.drive.ground_truth();
    assert_eq!((truth.mapped_units, truth.lifetime.discards), (sectors / 8, 1));
    rig.check();
}

#[test]
fn a_drive_without_trim_says_so_before_and_when_asked() {
    let mut rig = small("false");
    assert_eq!(discard(&mut rig, 0, 8), Status::errno(95));
    let ops = OpSet::EMPTY.with(Op::Discard);
    let limits = Limits { queue_depth: 1, max_transfer: ByteCount::new(4096), ops };
    let message = rig.drive.prepare(limits).unwrap_err().to_string();
    assert!(message.contains("trim"), "{message}");
}

#[test]
fn a_discard_spares_the_units_that_it_covers_in_part() {
    let mut rig = small("true");
    rig.fill(100);
    let before = rig.drive.ground_truth().mapped_units;
    // Sectors 4 to 28: units 1 and 2 as a whole, 0 and 3 in part.
    assert!(discard(&mut rig, 4, 24).is_ok());
    assert_eq!(rig.drive.ground_truth().mapped_units, before - 2);
    rig.check();
}
