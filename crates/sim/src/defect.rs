//! Drives that do not do what is asked, or have not the capacity that they announce.
//!
//! What fails is answered at once, as a controller answers what it does not try.

use drivelab_block::{Extent, Request, SECTOR_BYTES, Sector, SectorCount};

use crate::profile::{FaultParameters, UNIT_BYTES};

/// `EIO`: a medium error, an extent that goes beyond the end of the drive, and what the kernel makes of a write to a drive that
/// takes none any more.
pub(crate) const IO_ERROR: i32 = 5;
/// `ENODEV`: the kernel has no drive to send it to any more.
const NO_DEVICE: i32 = 19;

/// What makes a drive fail I/Os. A value of `u64::MAX` stands for never.
#[derive(Debug)]
pub(crate) struct Defects {
    /// The first byte of what fails.
    fail_from: u64,
    fail_every: u64,
    read_only_at: u64,
    gone_at: u64,
    /// I/Os so far, those that failed among them.
    ios: u64,
    /// I/Os that were failed on purpose.
    pub(crate) failed: u64,
}

impl Defects {
    /// `None` for a drive that fails nothing.
    pub(crate) fn new(parameters: &FaultParameters) -> Option<Box<Defects>> {
        let given = |value: u64| if value == 0 { u64::MAX } else { value };
        let defects = Defects {
            fail_from: given(parameters.fail_from),
            fail_every: given(parameters.fail_every),
            read_only_at: given(parameters.read_only_at),
            gone_at: given(parameters.gone_at),
            ios: 0,
            failed: 0,
        };
        let values = [defects.fail_from, defects.fail_every, defects.read_only_at, defects.gone_at];
        values.iter().any(|value| *value != u64::MAX).then(|| Box::new(defects))
    }

    /// The error that a request gets which the drive begins with at `at`, if it gets one. Every I/O of the drive is counted here.
    pub(crate) fn refusal(&mut self, at: u64, request: &Request) -> Option<i32> {
        self.ios += 1;
        let end = request.extent.end().byte_offset();
        let fails = end > self.fail_from
            || self.ios.is_multiple_of(self.fail_every)
            || at >= self.read_only_at && request.op.is_destructive();
        if at < self.gone_at && !fails {
            return None;
        }
        self.failed += 1;
        Some(if at >= self.gone_at { NO_DEVICE } else { IO_ERROR })
    }

    /// When the drive goes away and with what error, for a request that would be answered at `done`, after that.
    pub(crate) fn cut_off(&mut self, done: u64) -> Option<(u64, i32)> {
        if done < self.gone_at || self.gone_at == u64::MAX {
            return None;
        }
        self.failed += 1;
        Some((self.gone_at, NO_DEVICE))
    }
}

/// Where data really are on a drive whose capacity or contents are not what it announces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FalseCapacity {
    /// The mapping units that there are: the address of one behind them is that modulo this number.
    pub(crate) units: u32,
    /// The first mapping unit that brings back zeros.
    zeros_from: u32,
}

impl FalseCapacity {
    /// `None` for a drive that has what it announces. Parts of mapping units are rounded down, to one at least.
    pub(crate) fn new(parameters: &FaultParameters, announced: u32) -> Option<FalseCapacity> {
        let units = |bytes: u64| match bytes {
            0 => announced,
            bytes => u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX).clamp(1, announced),
        };
        let capacity =
            FalseCapacity { units: units(parameters.wrap_at), zeros_from: units(parameters.zeros_from) };
        (capacity.units < announced || capacity.zeros_from < announced).then_some(capacity)
    }

    /// The bytes from the first address on that the drive keeps.
    pub(crate) fn keeps(self) -> u64 {
        u64::from(self.units.min(self.zeros_from)) * UNIT_BYTES
    }

    /// The mapping unit whose contents an address shows; none where it shows zeros.
    pub(crate) fn shown(self, unit: u32) -> Option<u32> {
        (unit < self.zeros_from).then_some(unit % self.units)
    }

    /// Where an extent really lies: as many pieces as it goes over the true end, in its order.
    pub(crate) fn pieces(self, extent: Extent) -> Vec<Extent> {
        let sectors = u64::from(self.units) * UNIT_BYTES / SECTOR_BYTES;
        let mut pieces = Vec::new();
        let (mut at, mut left) = (extent.start.get(), u64::from(extent.length.get()));
        while left > 0 {
            let start = at % sectors;
            let length = left.min(sectors - start);
            let count = u32::try_from(length).unwrap_or(u32::MAX);
            pieces.push(Extent { start: Sector::new(start), length: SectorCount::new(count) });
            (at, left) = (at + length, left - length);
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(start: u64, length: u32) -> Extent {
        Extent { start: Sector::new(start), length: SectorCount::new(length) }
    }

    #[test]
    fn an_extent_over_the_true_end_goes_on_at_the_first_address() {
        let parameters = FaultParameters { wrap_at: 4 * UNIT_BYTES + 1, ..FaultParameters::default() };
        let capacity = FalseCapacity::new(&parameters, 16).expect("a false one");
        assert_eq!(capacity.pieces(extent(24, 16)), [extent(24, 8), extent(0, 8)]);
        assert_eq!(capacity.pieces(extent(64, 8)), [extent(0, 8)]);
        assert_eq!([3, 4, 15].map(|unit| capacity.shown(unit)), [Some(3), Some(0), Some(3)]);
        assert!(FalseCapacity::new(&FaultParameters::default(), 16).is_none());
    }
}
