//! A part of a drive, as people type it.

use drivelab_block::{ByteCount, Geometry};
use drivelab_settings::{AskedRange, RangeEnd};

use super::units;

/// One end of an address range.
#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Bytes(ByteCount),
    Percent(f64),
}

impl End {
    fn parse(text: &str) -> Result<End, String> {
        match text.trim().strip_suffix('%') {
            Some(number) => match number.trim().parse::<f64>() {
                Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(End::Percent(percent)),
                _ => Err(format!("{text} is no percentage from 0% to 100%")),
            },
            None => units::size(text).map(End::Bytes),
        }
    }

    /// The byte on a drive of this size, on a boundary of `align` bytes; the end of the drive is its end.
    fn on(self, capacity: ByteCount, align: u64) -> ByteCount {
        match self {
            End::Bytes(bytes) => bytes,
            End::Percent(100.0..) => capacity,
            End::Percent(percent) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "a share of a size"
                )]
                let bytes = (capacity.get() as f64 * percent / 100.0) as u64;
                ByteCount::new(bytes.min(capacity.get()) / align * align)
            }
        }
    }
}

/// `START-END`, each a size or a percentage of the drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddressRange {
    start: End,
    end: End,
}

impl AddressRange {
    /// Reads `0-100%`, `10GiB-20GiB`, `50%-75%`.
    pub fn parse(text: &str) -> Result<AddressRange, String> {
        let (start, end) = text
            .split_once('-')
            .ok_or_else(|| "an address range is START-END, such as 0-50% or 10GiB-20GiB".to_owned())?;
        let is_bare = start.trim().parse::<f64>().is_ok_and(|number| number > 0.0);
        if is_bare && end.trim().ends_with('%') {
            return Err(format!("{start} has no unit: write {start}%-{end} for shares of the drive"));
        }
        Ok(AddressRange { start: End::parse(start)?, end: End::parse(end)? })
    }

    /// The range as it was asked for, to be compared with that of another drive.
    pub fn asked(self, geometry: &Geometry) -> AskedRange {
        let [start, end] = [self.start, self.end].map(|end| match end {
            End::Bytes(bytes) => RangeEnd::Bytes(bytes.get()),
            End::Percent(percent) => RangeEnd::Percent(percent),
        });
        AskedRange::new(start, end, geometry.capacity)
    }

    /// Whether that is the whole drive.
    pub fn is_whole(self) -> bool {
        let from_the_start = match self.start {
            End::Bytes(bytes) => bytes.get() == 0,
            End::Percent(percent) => percent <= 0.0,
        };
        from_the_start && matches!(self.end, End::Percent(100.0..))
    }

    /// The range on a drive: its first byte and the one past its last. Shares of a drive lie on boundaries of
    /// 1 MiB, or of its physical block where it is small: a write across two physical blocks costs a read.
    pub fn on(self, geometry: &Geometry) -> (ByteCount, ByteCount) {
        let capacity = geometry.capacity;
        let align =
            if capacity.get() < 64 << 20 { u64::from(geometry.physical_block.max(1)) } else { 1 << 20 };
        (self.start.on(capacity, align), self.end.on(capacity, align))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_sizes_or_shares() {
        let geometry =
            Geometry { capacity: ByteCount::new(1_000_000), logical_block: 512, physical_block: 4096 };
        let on = |text: &str| AddressRange::parse(text).map(|range| range.on(&geometry));
        assert_eq!(on("0-100%"), Ok((ByteCount::new(0), ByteCount::new(1_000_000))));
        assert_eq!(on("50%-75%"), Ok((ByteCount::new(499_712), ByteCount::new(749_568))));
        assert_eq!(on("4KiB-8KiB"), Ok((ByteCount::new(4096), ByteCount::new(8192))));
        assert!(on("50%").is_err_and(|error| error.contains("START-END")));
        assert!(on("0-101%").is_err());
        assert!(on("10-90%").is_err_and(|error| error.contains("10%-90%")));
    }
}
