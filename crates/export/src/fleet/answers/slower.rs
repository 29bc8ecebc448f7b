//! Drives that got slower.

use drivelab_block::Op;

use super::{absent_last, text};
use crate::fleet::findings::SlowerRow;
use crate::fleet::passes::{DriveSums, ReadTimes, place_of};
use crate::fleet::registry::Registry;

/// The fewest reads of which a p99 is compared: 100 of them are at or above it.
const LEAST_READS: u64 = 10_000;

/// Drives whose later p99 of reads is larger by more than one part in ten, and how many drives were compared.
pub fn slower_drives(
    registry: &Registry,
    drives: &[DriveSums],
    reads: &[ReadTimes],
) -> (Vec<SlowerRow>, u64) {
    let mut compared = 0;
    let mut rows = Vec::new();
    for (name, (sums, reads)) in registry.drives.names.iter().zip(drives.iter().zip(reads)) {
        if reads.before.ios < LEAST_READS || reads.late.ios < LEAST_READS {
            continue;
        }
        let (Some(before), Some(late)) = (reads.before.nanos_at(990), reads.late.nanos_at(990)) else {
            continue;
        };
        compared += 1;
        if before == 0 || u128::from(late) * 10 <= u128::from(before) * 11 {
            continue;
        }
        rows.push(SlowerRow {
            drive: name.drive.to_string(),
            drive_model: name.model.as_deref().map(str::to_owned),
            host: text(sums.of_op[place_of(Op::Read)].host.as_ref()),
            reads_before: reads.before.ios,
            reads_last_7_days: reads.late.ios,
            p99_before_us: before as f64 / 1e3,
            p99_last_7_days_us: late as f64 / 1e3,
            ratio: (late as f64 / before as f64 * 1e3).floor() / 1e3,
        });
    }
    rows.sort_by(|one, other| {
        let by_model = || absent_last(one.drive_model.as_ref(), other.drive_model.as_ref());
        other.ratio.total_cmp(&one.ratio).then_with(|| one.drive.cmp(&other.drive)).then_with(by_model)
    });
    (rows, compared)
}
