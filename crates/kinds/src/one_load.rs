//! Loads as phases of a test, and what comes before them: a purge, a fill, and what writes below a physical block mean.

use drivelab_block::{ByteCount, ByteRange, Geometry, Op};
use drivelab_documents::Notice;
use drivelab_method::{DiscardPurpose, LoadPlan, Pace, PhaseEnd, Purge, StopRule};
use drivelab_view::format::block_size;
use drivelab_workload::{Mix, Order, Paced, Seed, Synthetic, Workload};

use crate::{CommandPurge, DiscardOutcome, DriveResult, DriveUnderTest, PurgeOption};

/// What is said of a simulated drive that is filled although that was not asked for.
const FILLED: &str = "The simulated drive was new and empty: it was written to before, since a read of what was never \
                      written costs it no read of flash.";

/// Bytes of a write of [`fill_of`].
const FILL_BLOCK: u64 = 1 << 20;

/// I/Os of one kind anywhere in a range, one at a time, without an end.
pub(crate) fn random_load(name: &str, op: Op, block: u64, range: ByteRange, seed: Seed) -> LoadPlan {
    LoadPlan {
        name: name.to_owned(),
        order: Order::Uniform,
        mix: Mix::Only(op),
        block_size: ByteCount::new(block),
        range,
        queue_depth: 1,
        workers: 1,
        pace: Pace::Closed,
        stop: StopRule::default(),
        seed,
    }
}

/// Writes of a whole range, in sequence, before it is read.
pub(crate) fn fill_of(range: ByteRange, geometry: &Geometry, seed: Seed) -> LoadPlan {
    let length = range.length();
    let block = FILL_BLOCK.max(u64::from(geometry.logical_block)).min(length.get());
    LoadPlan {
        order: Order::Sequential,
        queue_depth: 8,
        stop: StopRule { duration: None, bytes: Some(length) },
        ..random_load("fill", Op::Write, block, range, seed)
    }
}

/// Fills a drive that begins empty, and says so.
pub(crate) fn fill_new<S: DriveUnderTest>(
    session: &mut S,
    geometry: &Geometry,
    fill: &LoadPlan,
) -> DriveResult<S> {
    session.notice(Notice::note(FILLED));
    run_load(session, geometry, fill).map(drop)
}

/// Runs a load of one thread as a phase.
pub(crate) fn run_load<S: DriveUnderTest>(
    session: &mut S,
    geometry: &Geometry,
    load: &LoadPlan,
) -> DriveResult<S, PhaseEnd> {
    run_load_in(session, geometry, load, None, |workload| workload)
}

/// The same of a load that ends when its addresses do.
pub(crate) fn run_to_end<S: DriveUnderTest>(
    session: &mut S,
    geometry: &Geometry,
    load: &LoadPlan,
) -> DriveResult<S, PhaseEnd> {
    let ends_after = load.ends_after()?;
    run_load_in(session, geometry, load, Some(ends_after), |workload| workload)
}

/// The same inside another workload, which ends by itself after this many bytes.
pub(crate) fn run_load_in<S: DriveUnderTest, W: Workload + 'static>(
    session: &mut S,
    geometry: &Geometry,
    load: &LoadPlan,
    ends_after: Option<ByteCount>,
    inside: impl Fn(Paced<Synthetic>) -> W,
) -> DriveResult<S, PhaseEnd> {
    let phase = load.phase(geometry, true)?;
    let workloads = load.workloads(1)?;
    session.phase(&phase, workloads.into_iter().map(inside).collect(), ends_after)
}

/// Says so in a run, where it is so.
pub(crate) fn note_physical_blocks<S: DriveUnderTest>(load: &LoadPlan, geometry: &Geometry, session: &mut S) {
    if let Some(notice) = notice(load, geometry) {
        session.notice(notice);
    }
}

/// That each write of a load makes the drive read, change and write a physical block; nothing of a load that only reads, or
/// whose blocks are whole ones.
fn notice(load: &LoadPlan, geometry: &Geometry) -> Option<Notice> {
    let physical = u64::from(geometry.physical_block.max(1));
    let (block, start) = (load.block_size.get(), load.range.start.get());
    if matches!(load.mix, Mix::Only(op) if op != Op::Write) {
        return None;
    }
    let words = |bytes: u64| block_size(bytes as f64);
    let what = if !block.is_multiple_of(physical) {
        format!("Blocks of {} are no whole physical blocks of {}", words(block), words(physical))
    } else if !start.is_multiple_of(physical) {
        format!("The range begins at byte {start}, inside a physical block of {}", words(physical))
    } else {
        return None;
    };
    Some(Notice::warning(format!(
        "{what}: a drive may have to read and change a physical block for each write, so that these are slower than whole ones."
    )))
}

/// Purges a drive, or what of it the test may touch, and notes how. A drive that takes no discards begins as it is.
pub(crate) fn purge<S: DriveUnderTest>(
    asked: PurgeOption,
    discards: Purge,
    session: &mut S,
) -> DriveResult<S> {
    if asked == PurgeOption::None {
        session.notice(began_as_it_was(" (--purge none)"));
        return Ok(());
    }
    session.check_target()?;
    let because = match session.purge_by_command(asked)? {
        CommandPurge::Done(done) => {
            session.notice(done);
            return Ok(());
        }
        CommandPurge::Lacks(why) => Some(why),
        CommandPurge::NotAsked => None,
    };
    let notice = match session.discard(DiscardPurpose::Purge, discards)? {
        DiscardOutcome::Taken(_) => Notice::note(by_discard(because)),
        DiscardOutcome::Unsupported(why) => {
            let more = because.map(|because| format!("; {because}")).unwrap_or_default();
            began_as_it_was(&format!(": {why}{more}"))
        }
        DiscardOutcome::Failed(why) => began_as_it_was(&format!(": {why}")),
    };
    session.notice(notice);
    Ok(())
}

/// What is noted where a drive was not purged. `why` goes on the sentence, and begins with a space or a colon.
pub fn not_purged(why: &str) -> String {
    format!("The drive was not purged{why}.")
}

fn began_as_it_was(why: &str) -> Notice {
    Notice::warning(format!("{} It began as it was.", not_purged(why)))
}

/// What is noted of a purge by discards, and why no command was used where one was asked for.
pub fn by_discard(because: Option<String>) -> String {
    let because = because.map(|because| format!(", because {because}")).unwrap_or_default();
    format!("Purge: a discard of the range stands in for a sanitize or secure erase{because}.")
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, ByteRange};
    use drivelab_method::{Pace, StopRule};
    use drivelab_workload::{Order, Seed};

    use super::*;

    #[test]
    fn writes_below_or_across_physical_blocks_are_named_and_reads_are_not() {
        let geometry =
            Geometry { capacity: ByteCount::new(1 << 30), logical_block: 512, physical_block: 4096 };
        let said = |op: Op, block: u64, start: u64| {
            let load = LoadPlan {
                name: "load".to_owned(),
                order: Order::Uniform,
                mix: Mix::Only(op),
                block_size: ByteCount::new(block),
                range: ByteRange::new(ByteCount::new(start), geometry.capacity),
                queue_depth: 1,
                workers: 1,
                pace: Pace::Closed,
                stop: StopRule::default(),
                seed: Seed::new(1),
            };
            notice(&load, &geometry).map(|notice| notice.text).unwrap_or_default()
        };
        assert!(said(Op::Write, 512, 0).starts_with("Blocks of 512 B are no whole physical blocks of 4 KiB"));
        assert!(
            said(Op::Write, 4096, 512).starts_with("The range begins at byte 512, inside a physical block")
        );
        assert_eq!((said(Op::Write, 8192, 4096), said(Op::Read, 512, 512)), (String::new(), String::new()));
    }
}
