//! A part of a drive, as it is typed.

use drivelab_kinds::{RangeEnd, RangeOption};

use super::{percent, size, split_unit};

/// Reads `START-END`, each a size or a percentage of the drive: `0%-100%`, `10GiB-20GiB`, `50%-75%`. An error says what to type
/// instead.
pub fn range(text: &str) -> Result<RangeOption, String> {
    let Some((start, end)) = text.trim().split_once('-').map(|(start, end)| (start.trim(), end.trim()))
    else {
        return Err(without_dash(text));
    };
    if start.is_empty() || end.is_empty() {
        let all = |end: &str, other: &str| if end.is_empty() { other.to_owned() } else { end.to_owned() };
        return Err(not_a_range(&format!("{}-{}", all(start, "0%"), all(end, "100%"))));
    }
    if let Some(meant) = with_units(start, end) {
        return Err(format!("both ends of a range have a unit: write {meant}"));
    }
    let both = RangeOption { start: parse_end(start)?, end: parse_end(end)? };
    match length(both) {
        Some(length) if length < 0.0 => {
            Err(format!("the range {text} ends before it begins: write {end}-{start}"))
        }
        Some(0.0) => Err(format!("the range {text} holds nothing: write one such as 50%-75%")),
        _ => Ok(both),
    }
}

fn parse_end(text: &str) -> Result<RangeEnd, String> {
    match text.ends_with('%').then(|| percent(text)) {
        Some(Ok(percent)) if (0.0..=100.0).contains(&percent) => Ok(RangeEnd::Percent(percent)),
        Some(_) => Err(format!("{text} is no percentage from 0% to 100%, such as 50%")),
        None => size(text).map(|bytes| RangeEnd::Bytes(bytes.get())),
    }
}

/// The length of a range whose ends are of one kind, in bytes or per cent; of others the drive's size
/// decides.
fn length(range: RangeOption) -> Option<f64> {
    match (range.start, range.end) {
        (RangeEnd::Bytes(start), RangeEnd::Bytes(end)) => Some(end as f64 - start as f64),
        (RangeEnd::Percent(start), RangeEnd::Percent(end)) => Some(end - start),
        (RangeEnd::Percent(start), RangeEnd::Bytes(0)) => Some(-start),
        _ => None,
    }
}

/// The range with the unit that one of its ends lacks, which is that of the other one or the sign of a share;
/// `None` where both have units, or where that makes no range. A 0 needs none.
fn with_units(start: &str, end: &str) -> Option<String> {
    let number = |text: &str| text.parse::<f64>().ok();
    let (first, last) = (number(start), number(end));
    let meant = match (first, last) {
        (Some(first), None) if first > 0.0 => format!("{start}{}-{end}", split_unit(end).1),
        (None, Some(last)) if last > 0.0 => format!("{start}-{end}{}", split_unit(start).1),
        (Some(first), Some(last)) if first > 0.0 || last > 0.0 => format!("{start}%-{end}%"),
        _ => return None,
    };
    range(&meant).is_ok().then_some(meant)
}

/// Why a text without a dash is no range.
fn without_dash(text: &str) -> String {
    let separators = ["..", ":", ",", " to "];
    let dashed = separators.iter().find_map(|other| text.split_once(other));
    not_a_range(&dashed.map_or_else(
        || format!("0%-{}", text.trim()),
        |(start, end)| format!("{}-{}", start.trim(), end.trim()),
    ))
}

/// Why a text is no range, with the one that may have been meant.
fn not_a_range(meant: &str) -> String {
    match range(meant) {
        Ok(_) => format!("an address range is START-END: write {meant}"),
        Err(_) => "an address range is START-END, such as 0%-50% or 10GiB-20GiB".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::{ByteCount, ByteRange, Geometry};

    use super::*;

    #[test]
    fn ranges_are_sizes_or_shares() {
        let geometry =
            Geometry { capacity: ByteCount::new(1_000_000), logical_block: 512, physical_block: 4096 };
        let on = |text: &str| range(text).map(|range| range.on(&geometry));
        assert_eq!(on("0-100%"), Ok(ByteRange::new(ByteCount::new(0), ByteCount::new(1_000_000))));
        assert_eq!(on("50%-75%"), Ok(ByteRange::new(ByteCount::new(499_712), ByteCount::new(749_568))));
        assert_eq!(on("4KiB-8KiB"), Ok(ByteRange::new(ByteCount::new(4096), ByteCount::new(8192))));
        assert!(on("0-101%").is_err());
    }

    #[test]
    fn an_error_names_the_range_that_was_meant() {
        for (text, meant) in [
            ("50%-20%", "write 20%-50%"),
            ("1GiB-0", "write 0-1GiB"),
            ("50%-50%", "such as 50%-75%"),
            ("50%", "write 0%-50%"),
            ("-50%", "write 0%-50%"),
            ("10GiB-", "write 10GiB-100%"),
            ("10GiB..20GiB", "write 10GiB-20GiB"),
            ("10-90%", "write 10%-90%"),
            ("0-50", "write 0%-50%"),
            ("10-20GiB", "write 10GiB-20GiB"),
            ("10-2000", "10B"),
            ("0-NaN%", "0% to 100%"),
            ("0", "such as 0%-50%"),
            ("half", "such as 0%-50%"),
        ] {
            let read = range(text);
            assert!(read.as_ref().is_err_and(|error| error.contains(meant)), "{text}: {read:?}");
        }
    }
}
