//! The phases of a test of working sets.

use drivelab_block::{ByteCount, ByteRange, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, Pace, StopRule};
use drivelab_view::format::{self, block_size};
use drivelab_workload::{Mix, Order, Seed};

use super::WorkingSetSettings;
use crate::PlanError;

/// The first part of a range of 64 GiB or more; of a smaller one, the 64th of it.
const SMALLEST: u64 = 1 << 30;
/// Each part is this many times the one before.
const GROWTH: u64 = 4;
/// The least number of parts: those of a small drive begin below 1 GiB.
const PARTS_MIN: u32 = 4;
/// Bytes of a write of the fill.
const FILL_BLOCK: u64 = 1 << 20;

/// Reads of growing parts of a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct WorkingSetPlan {
    /// Size and block sizes of the drive.
    pub(super) geometry: Geometry,
    settings: WorkingSetSettings,
    /// The first byte of the range, and the one past its last.
    pub(super) range: ByteRange,
    /// The lengths of the parts, in rising order; the last is the whole range.
    parts: Vec<ByteCount>,
    seed: Seed,
}

/// The phase in which a part of this many bytes is read.
pub(super) fn phase_of(bytes: u64) -> String {
    format!("reads of {}", size(bytes))
}

/// A size in binary units where it is round in those, as all parts but the whole drive are.
pub(super) fn size(bytes: u64) -> String {
    if bytes.is_multiple_of(1 << 20) { block_size(bytes as f64) } else { format::bytes(bytes as f64) }
}

impl WorkingSetPlan {
    /// What these settings mean on a drive of this geometry.
    ///
    /// # Errors
    /// Where they make no sense there; the message says what to type instead.
    pub(super) fn new(
        settings: &WorkingSetSettings,
        geometry: Geometry,
        seed: Seed,
    ) -> Result<WorkingSetPlan, PlanError> {
        let range = settings.range.on(&geometry);
        let block = settings.block_size_bytes.max(1);
        let parts = parts(range.length().get(), block);
        let plan = WorkingSetPlan { geometry, settings: settings.clone(), range, parts, seed };
        let all = plan.read(plan.parts.last().copied().unwrap_or(ByteCount::new(0)));
        all.phase(&geometry, true).map_err(PlanError::new)?;
        if plan.parts.len() < PARTS_MIN as usize {
            let least = ByteCount::new(block * GROWTH.pow(PARTS_MIN - 1));
            return Err(PlanError(format!(
                "the range is too small for growing parts of it: they need at least {least}; choose a larger --range or target"
            )));
        }
        Ok(plan)
    }

    /// The lengths of the parts, in rising order.
    pub(super) fn parts(&self) -> &[ByteCount] {
        &self.parts
    }

    /// Whether the range is written first.
    pub(super) fn fills(&self) -> bool {
        self.settings.fill
    }

    /// Bytes of the range.
    pub(super) fn length(&self) -> ByteCount {
        self.range.length()
    }

    /// How long each part is measured.
    pub(super) fn cell_duration(&self) -> Nanos {
        Nanos::new(self.settings.cell_duration_ns)
    }

    /// How long all reads take.
    pub(super) fn timed(&self) -> Nanos {
        let each = self.settings.cell_duration_ns + self.settings.cell_duration_ns / 2;
        Nanos::new(each.saturating_mul(self.parts.len() as u64))
    }

    /// Random reads of the first bytes of the range.
    pub(super) fn read(&self, length: ByteCount) -> LoadPlan {
        LoadPlan {
            name: phase_of(length.get()),
            order: Order::Uniform,
            mix: Mix::Only(Op::Read),
            block_size: ByteCount::new(self.settings.block_size_bytes),
            range: ByteRange::new(self.range.start, ByteCount::new(self.range.start.get() + length.get())),
            queue_depth: self.settings.queue_depth,
            workers: 1,
            pace: Pace::Closed,
            stop: StopRule { duration: Some(Nanos::new(self.settings.cell_duration_ns)), bytes: None },
            seed: self.seed.child(&format!("reads of {} bytes", length.get())),
        }
    }

    /// The same before they are measured, of other places.
    pub(super) fn warm_up(&self, length: ByteCount) -> LoadPlan {
        let duration = Nanos::new((self.settings.cell_duration_ns / 2).max(1));
        LoadPlan {
            name: format!("warm-up of {}", size(length.get())),
            seed: self.seed.child("warm-up"),
            stop: StopRule { duration: Some(duration), bytes: None },
            ..self.read(length)
        }
    }

    /// Writes of the whole range, in sequence.
    pub(super) fn fill(&self) -> LoadPlan {
        let block = FILL_BLOCK.max(u64::from(self.geometry.logical_block)).min(self.length().get());
        LoadPlan {
            name: "fill".to_owned(),
            order: Order::Sequential,
            mix: Mix::Only(Op::Write),
            block_size: ByteCount::new(block),
            range: self.range,
            queue_depth: 8,
            stop: StopRule { duration: None, bytes: Some(self.length()) },
            ..self.read(self.length())
        }
    }
}

/// The lengths of the parts of a range, in whole blocks and rising order.
fn parts(length: u64, block: u64) -> Vec<ByteCount> {
    let small = length / GROWTH.pow(PARTS_MIN - 1);
    let first = SMALLEST.min(small) / block * block;
    let growing = std::iter::successors(Some(first), |part| part.checked_mul(GROWTH));
    let below = growing.take_while(|part| *part > 0 && *part <= length / 2);
    below.chain([length / block * block]).map(ByteCount::new).filter(|part| part.get() > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_grow_from_1_gib_to_the_whole_range() {
        let gib =
            |length: u64| parts(length << 30, 4096).iter().map(|part| part.get() >> 20).collect::<Vec<_>>();
        assert_eq!(gib(223), [1_024, 4_096, 16_384, 65_536, 223 << 10]);
        assert_eq!(gib(1_024), [1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20]);
        assert_eq!(gib(2), [32, 128, 512, 2_048]);
        assert_eq!(parts(20_000, 4096), [ByteCount::new(16_384)], "too small");
    }
}
