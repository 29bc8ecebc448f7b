//! Rates, as people type them.

use drivelab_block::ByteCount;

use super::{size, split_unit};

/// A rate, by what its unit counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// I/Os a second.
    Ios(f64),
    /// Bytes a second.
    Bytes(f64),
}

const EXAMPLE: &str = "such as 5000/s for I/Os, or 160MB/s for bytes";

impl Rate {
    /// Reads `5000/s` as I/Os, and `160MB/s` or `1.5GiB/s` as bytes a second.
    pub fn parse(text: &str) -> Result<Rate, String> {
        let Some(amount) = text.trim().strip_suffix("/s") else { return Err(not_a_second(text)) };
        let rate = match amount.trim().parse::<f64>() {
            Ok(ios) => Rate::Ios(ios),
            Err(_) => Rate::Bytes(bytes(amount)?),
        };
        match rate {
            Rate::Ios(number) | Rate::Bytes(number) if number > 0.0 && number.is_finite() => Ok(rate),
            _ => Err(format!("a rate is above 0, {EXAMPLE}")),
        }
    }

    /// I/Os of this size a second.
    pub fn ios(self, block_size: ByteCount) -> f64 {
        match self {
            Rate::Ios(ios) => ios,
            Rate::Bytes(bytes) => bytes / block_size.get() as f64,
        }
    }

    /// Bytes a second, in I/Os of this size.
    pub fn bytes(self, block_size: ByteCount) -> f64 {
        match self {
            Rate::Ios(ios) => ios * block_size.get() as f64,
            Rate::Bytes(bytes) => bytes,
        }
    }
}

/// Reads `160MB/s`: the rate of a stream, which is one of bytes. Returns bytes a second.
pub fn byte_rate(text: &str) -> Result<f64, String> {
    if text.trim().parse::<f64>().is_ok_and(|number| number > 0.0) {
        return Err(format!("a rate has a unit: write {}MB/s", text.trim()));
    }
    match Rate::parse(text)? {
        Rate::Bytes(bytes) if bytes <= 1e12 => Ok(bytes),
        Rate::Bytes(_) => Err("the rate of a stream is at most 1TB/s, such as 160MB/s".to_owned()),
        Rate::Ios(_) => Err("the rate of a stream is in bytes a second, such as 160MB/s".to_owned()),
    }
}

/// The bytes of `160MB`. A letter alone counts I/Os as well as bytes, and `Mb` bits.
fn bytes(amount: &str) -> Result<f64, String> {
    let (number, unit) = split_unit(amount);
    let bits = |bits: f64| {
        let prefix = unit[..1].to_uppercase().replace('K', "k");
        let eighth = bits / 8.0;
        format!("{unit} counts bits: write {eighth}{prefix}B/s, or {number}{prefix}B/s if bytes were meant")
    };
    match number.parse::<f64>() {
        Ok(number) if counts_bits(unit) => Err(bits(number)),
        Ok(number) if unit.len() == 1 && !unit.eq_ignore_ascii_case("b") => {
            let prefix = unit.to_uppercase();
            let Some(power) = ["K", "M", "G", "T"].iter().position(|known| *known == prefix) else {
                return Err(format!("a rate is a number with a unit, {EXAMPLE}"));
            };
            let ios = number * [1e3, 1e6, 1e9, 1e12][power];
            Err(format!(
                "{unit} counts I/Os or bytes: write {ios}/s for I/Os, or {number}{prefix}iB/s for bytes"
            ))
        }
        _ => size(amount)
            .map(|bytes| bytes.get() as f64)
            .map_err(|_| format!("a rate is a number with a unit, {EXAMPLE}")),
    }
}

/// Whether a unit is one of bits: `Mb` or `Mbit`. `mb`, all in lower case, is read as bytes.
fn counts_bits(unit: &str) -> bool {
    let lower = unit.to_ascii_lowercase();
    let is_short = unit.len() == 2 && unit.starts_with(['K', 'M', 'G', 'T']) && unit.ends_with('b');
    let is_long = ["kbit", "mbit", "gbit", "tbit"].iter().any(|bit| lower.trim_end_matches('s') == *bit);
    is_short || is_long
}

/// Why a text without `/s` is no rate, with the rate that was meant where that is clear.
fn not_a_second(text: &str) -> String {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>()
        && number > 0.0
        && number.is_finite()
    {
        return format!("a rate has a unit: write {text}/s for I/Os, or {text}MB/s for bytes");
    }
    let lower = text.to_ascii_lowercase();
    let without = |ending: &str| lower.ends_with(ending).then(|| text[..text.len() - ending.len()].trim());
    let of_ios = ["iops", "ios/s", "io/s", "ios", "io"].iter().find_map(|ending| without(ending));
    let of_bytes = ["/second", "/sec", "/s", "ps"].iter().find_map(|ending| without(ending)).unwrap_or(text);
    let meant = match text.strip_suffix("bps") {
        Some(bits) => format!("{bits}bit/s"),
        None => format!("{}/s", of_ios.unwrap_or(of_bytes)),
    };
    match Rate::parse(&meant) {
        Ok(_) => format!("a rate ends in /s: write {meant}"),
        // The error names what was meant by the unit.
        Err(error) if text.ends_with("bps") || split_unit(text).1.len() == 1 => error,
        Err(_) => format!("a rate is a number with a unit, {EXAMPLE}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_say_what_they_count() {
        assert_eq!(Rate::parse("5000/s"), Ok(Rate::Ios(5000.0)));
        assert_eq!(Rate::parse("160MB/s"), Ok(Rate::Bytes(160e6)));
        assert_eq!(Rate::parse("160mb/s"), Ok(Rate::Bytes(160e6)));
        assert_eq!(Rate::parse("5000/s").map(|rate| rate.bytes(ByteCount::new(4096))), Ok(20_480_000.0));
        assert_eq!(Rate::parse("4MiB/s").map(|rate| rate.ios(ByteCount::new(4096))), Ok(1024.0));
        assert!(Rate::parse("0/s").is_err() && Rate::parse("-3/s").is_err() && Rate::parse("fast").is_err());
        assert_eq!(byte_rate("160MB/s"), Ok(160e6));
    }

    #[test]
    fn an_error_names_the_rate_that_was_meant() {
        for (text, meant) in [
            ("160", "write 160/s for I/Os, or 160MB/s"),
            ("25Mb/s", "write 3.125MB/s, or 25MB/s"),
            ("200Mbit/s", "write 25MB/s"),
            ("200mbps", "write 25MB/s"),
            ("160MB", "write 160MB/s"),
            ("160MBps", "write 160MB/s"),
            ("160MB/S", "write 160MB/s"),
            ("160 MB/sec", "write 160 MB/s"),
            ("5000iops", "write 5000/s"),
            ("5k/s", "write 5000/s for I/Os, or 5KiB/s"),
            ("5k", "write 5000/s for I/Os, or 5KiB/s"),
            ("5q/s", "such as 5000/s"),
            ("fast", "such as 5000/s"),
        ] {
            let read = Rate::parse(text);
            assert!(read.as_ref().is_err_and(|error| error.contains(meant)), "{text}: {read:?}");
        }
        for (text, meant) in [("160", "write 160MB/s"), ("5000/s", "160MB/s"), ("2000TB/s", "at most")] {
            assert!(byte_rate(text).is_err_and(|error| error.contains(meant)), "{text}");
        }
    }
}
