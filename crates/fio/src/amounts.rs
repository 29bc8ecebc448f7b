//! Amounts as fio writes them.

/// A part of a target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Bytes.
    Bytes(u64),
    /// A share of the target in per cent, 0 to 100.
    Percent(u8),
}

/// How fast requests are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobRate {
    /// Bytes a second.
    Bytes(u64),
    /// I/Os a second.
    Ios(u64),
}

/// Bytes: a number with a prefix, in which `k` is 1024 and `ki` is 1000, as fio has it by default (`kb_base=1024`).
pub fn bytes(text: &str) -> Option<u64> {
    let lower = text.trim().to_lowercase();
    let end = lower.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(lower.len());
    let (digits, unit) = lower.split_at(end);
    let unit = unit.strip_suffix("b").unwrap_or(unit);
    let (prefix, base) = match unit.strip_suffix('i') {
        Some(prefix) if !prefix.is_empty() => (prefix, 1_000_u64),
        _ => (unit, 1_024),
    };
    let power = match prefix {
        "" => 0,
        "k" => 1,
        "m" => 2,
        "g" => 3,
        "t" => 4,
        "p" => 5,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(base.pow(power))
}

/// A part of a target: bytes, or a share such as `20%`.
pub fn amount(text: &str) -> Option<Amount> {
    match text.trim().strip_suffix('%') {
        Some(percent) => percent.parse().ok().filter(|percent| *percent <= 100).map(Amount::Percent),
        None => bytes(text).map(Amount::Bytes),
    }
}

/// Milliseconds: a number of seconds, or with a unit (`d`, `h`, `m`, `s`, `ms`).
pub fn milliseconds(text: &str) -> Option<u64> {
    let lower = text.trim().to_lowercase();
    let end = lower.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(lower.len());
    let (digits, unit) = lower.split_at(end);
    let factor = match unit {
        "" | "s" | "sec" => 1_000_u64,
        "ms" | "msec" => 1,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_are_those_of_fio() {
        assert_eq!(bytes("512"), Some(512));
        assert_eq!(bytes("4k"), Some(4_096));
        assert_eq!(bytes("4KB"), Some(4_096));
        assert_eq!(bytes("4ki"), Some(4_000));
        assert_eq!(bytes("1MiB"), Some(1_000_000));
        assert_eq!(bytes("2g"), Some(2 << 30));
        assert_eq!([bytes("k"), bytes("4x"), bytes("-1"), bytes("99999999p")], [None; 4]);
        assert_eq!(amount("20%"), Some(Amount::Percent(20)));
        assert_eq!(amount("101%"), None);
        assert_eq!(
            [milliseconds("30"), milliseconds("2m"), milliseconds("500ms")],
            [30_000, 120_000, 500].map(Some)
        );
        assert_eq!(milliseconds("3 weeks"), None);
    }
}
