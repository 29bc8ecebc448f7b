//! Writes that are no whole physical blocks of a drive.

use drivelab_block::{Geometry, Op};
use drivelab_method::LoadPlan;
use drivelab_record::{Notice, Severity};
use drivelab_view::format::block_size;
use drivelab_workload::Mix;

use crate::DriveUnderTest;

/// Says so in a run, where it is so.
pub(crate) fn note<S: DriveUnderTest>(load: &LoadPlan, geometry: &Geometry, session: &mut S) {
    if let Some(notice) = notice(load, geometry) {
        session.notice(notice.severity, notice.text);
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
    let text = format!(
        "{what}: a drive may have to read and change a physical block for each write, so that these are slower than whole ones."
    );
    Some(Notice { severity: Severity::Warning, text })
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
