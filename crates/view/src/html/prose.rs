//! Sentences as a page shows them.

/// Units that never begin a line.
const UNITS: [&str; 24] = [
    "%", "IOPS", "MB/s", "GB/s", "GB", "MB", "kB", "TB", "KiB", "MiB", "GiB", "B", "s", "ms", "us", "ns",
    "min", "h", "W", "J", "J/GB", "°C", "I/Os", "drives",
];

/// The text with every number and the unit that follows it on one line.
pub(super) fn unbroken(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut words = text.split(' ').peekable();
    while let Some(word) = words.next() {
        result.push_str(word);
        let Some(next) = words.peek() else { break };
        let next = next.trim_end_matches(['.', ',', ';', ':', ')']);
        let is_number = word.ends_with(|last: char| last.is_ascii_digit());
        result.push(if is_number && UNITS.contains(&next) { '\u{a0}' } else { ' ' });
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_and_its_unit_stay_on_one_line() {
        let text = "It wrote 34.6 GB at 2,172 IOPS (deviation 155 %), then 3 drives were 4 times as fast.";
        let wanted = "It wrote 34.6\u{a0}GB at 2,172\u{a0}IOPS (deviation 155\u{a0}%), then 3\u{a0}drives were 4 times as fast.";
        assert_eq!(unbroken(text), wanted);
    }
}
