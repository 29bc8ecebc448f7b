//! What the parts of a flash drive allow for sequential writes, by the modes of its SLC cache.

use drivelab_block::ByteCount;

use super::{Profile, SlcFull, UNIT_BYTES};

const SECOND: f64 = 1e9;

/// Rates of sequential writes at enough depth, in bytes a second: the least of what link, controller, channels and dies allow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteRates {
    /// Into the SLC cache; `None` where the drive has none.
    pub cache: Option<f64>,
    /// Directly to the dense cells, without any collection.
    pub direct: f64,
    /// Through a full cache, of which as much is folded as is written; where that is to gain free blocks, too (`slc_full =
    /// "direct_then_fold"`), b / (b - 1) times as much for b bits a cell. `None` where the drive has no cache.
    pub folding: Option<f64>,
}

/// What one mapping unit of host data costs each part, in nanoseconds.
struct UnitCost {
    controller: f64,
    channels: f64,
    dies: f64,
}

impl Profile {
    /// The rates of sequential writes in requests of this size; `None` for a disk.
    ///
    /// Source: the drive's own timings. Folding a block in SLC mode costs each of its pages a read and a dense program, each
    /// unit two transfers and the controller's move time, and an erase for the block.
    #[must_use]
    pub fn write_rates(&self, request: ByteCount) -> Option<WriteRates> {
        let shape = self.shape()?;
        let parameters = self.parameters();
        let flash = &parameters.flash;
        let units = request.get().max(UNIT_BYTES) as f64 / UNIT_BYTES as f64;
        let program_units = shape.units_per_program as f64;
        let command = parameters.command_time as f64 / units + parameters.unit_time as f64;
        let transfer = UNIT_BYTES as f64 * SECOND / flash.bus as f64 / shape.channels as f64;
        let dies = shape.dies as f64;
        let of = |nanos: u64| nanos as f64 / program_units / dies;
        let rate = |cost: UnitCost| {
            let slowest = cost.controller.max(cost.channels).max(cost.dies);
            (UNIT_BYTES as f64 * SECOND / slowest).min(parameters.link as f64)
        };
        let plain = |program: u64| UnitCost { controller: command, channels: transfer, dies: of(program) };
        let erase = flash.erase as f64 / shape.slc_block_units as f64 / dies;
        let bits = flash.bits_per_cell.max(2) as f64;
        let gains_blocks = flash.slc_full == SlcFull::DirectThenFold;
        let folded = if gains_blocks { bits / (bits - 1.0) } else { 1.0 };
        let folding = UnitCost {
            controller: command + folded * flash.move_time as f64,
            channels: (1.0 + 2.0 * folded) * transfer,
            dies: of(flash.slc_program) + folded * (of(flash.read) + of(flash.program) + erase),
        };
        let has_cache = shape.slc_blocks_per_die > 0;
        Some(WriteRates {
            cache: has_cache.then(|| rate(plain(flash.slc_program))),
            direct: rate(plain(flash.program)),
            folding: has_cache.then(|| rate(folding)),
        })
    }
}
