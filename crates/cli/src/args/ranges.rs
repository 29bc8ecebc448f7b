//! A part of a drive, as it is typed.

use drivelab_tests::{AskedRange, RangeEnd};

use super::units;

/// `START-END`, each a size or a percentage of the drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AddressRange(AskedRange);

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
        Ok(AddressRange(AskedRange { start: parse_end(start)?, end: parse_end(end)? }))
    }

    /// The range as it was typed.
    pub fn typed(self) -> AskedRange {
        self.0
    }

    /// Whether that is the whole drive.
    pub fn is_whole(self) -> bool {
        self.0.is_whole()
    }
}

fn parse_end(text: &str) -> Result<RangeEnd, String> {
    match text.trim().strip_suffix('%') {
        Some(number) => match number.trim().parse::<f64>() {
            Ok(percent) if (0.0..=100.0).contains(&percent) => Ok(RangeEnd::Percent(percent)),
            _ => Err(format!("{text} is no percentage from 0% to 100%")),
        },
        None => units::size(text).map(|bytes| RangeEnd::Bytes(bytes.get())),
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, Geometry};

    use super::*;

    #[test]
    fn ranges_are_sizes_or_shares() {
        let geometry =
            Geometry { capacity: ByteCount::new(1_000_000), logical_block: 512, physical_block: 4096 };
        let on = |text: &str| AddressRange::parse(text).map(|range| range.typed().on(&geometry));
        assert_eq!(on("0-100%"), Ok((ByteCount::new(0), ByteCount::new(1_000_000))));
        assert_eq!(on("50%-75%"), Ok((ByteCount::new(499_712), ByteCount::new(749_568))));
        assert_eq!(on("4KiB-8KiB"), Ok((ByteCount::new(4096), ByteCount::new(8192))));
        assert!(on("50%").is_err_and(|error| error.contains("START-END")));
        assert!(on("0-101%").is_err());
        assert!(on("10-90%").is_err_and(|error| error.contains("10%-90%")));
    }
}
