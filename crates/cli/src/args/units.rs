//! Numbers with units, as people type them.

use drivelab_block::{ByteCount, Nanos};

/// Reads a size that is not nothing.
pub fn size_above_zero(text: &str) -> Result<ByteCount, String> {
    match size(text)? {
        size if size.get() == 0 => Err("0 bytes hold nothing: give a size above 0, such as 1GiB".to_owned()),
        size => Ok(size),
    }
}

/// Reads `4KiB`, `128k`, `1.5GB`, `512B`: KiB and the single letters are binary, kB, MB, GB, TB decimal. Only 0 needs no unit.
pub fn size(text: &str) -> Result<ByteCount, String> {
    let (number, unit) = split_unit(text);
    let factor: u64 = match unit.to_ascii_lowercase().as_str() {
        "" if number.parse() == Ok(0.0) => 1,
        "" if number.parse::<f64>().is_ok() => {
            return Err(format!(
                "a size has a unit: write {number}B for bytes, or {number}KiB, {number}MiB, {number}GB"
            ));
        }
        "" => return Err("a size is a number with a unit, such as 4KiB".to_owned()),
        "b" => 1,
        "k" | "kib" => 1 << 10,
        "m" | "mib" => 1 << 20,
        "g" | "gib" => 1 << 30,
        "t" | "tib" => 1 << 40,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        "tb" => 1_000_000_000_000,
        _ => return Err(format!("{unit:?} is no unit of size: use KiB, MiB, GiB, TiB, kB, MB, GB or TB")),
    };
    let number: f64 =
        number.parse().map_err(|_| "a size is a number with a unit, such as 4KiB".to_owned())?;
    let bytes = number * factor as f64;
    if !((0.0..9e18).contains(&bytes) && bytes.fract() == 0.0) {
        return Err("a size is a whole number of bytes below 9 EB".to_owned());
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked above")]
    Ok(ByteCount::new(bytes as u64))
}

/// Reads `2000s`, `0.5s`, `30min`, `1h 30m`. Only 0 needs no unit.
pub fn duration(text: &str) -> Result<Nanos, String> {
    let length = match (text.parse::<f64>(), text.strip_suffix('s').map(str::parse::<f64>)) {
        (Ok(0.0), _) => std::time::Duration::ZERO,
        (Ok(_), _) => {
            return Err(format!("a duration has a unit: write {text}s for seconds, or {text}min, {text}h"));
        }
        (Err(_), Some(Ok(seconds))) if (0.0..1e9).contains(&seconds) => {
            std::time::Duration::from_secs_f64(seconds)
        }
        (Err(_), Some(Ok(_))) => return Err("a duration is between 0 and 30 years".to_owned()),
        _ => humantime::parse_duration(text).map_err(|error| {
            format!("a duration is a number with a unit, such as 2000s or 30min ({error})")
        })?,
    };
    let nanos = u64::try_from(length.as_nanos()).map_err(|_| "a duration of centuries".to_owned())?;
    if nanos == 0 {
        return Err("a duration of zero measures nothing: give one such as 60s".to_owned());
    }
    Ok(Nanos::new(nanos))
}

/// Reads a number above zero: volts, watt-hours.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a number above zero, such as 12".to_owned()),
    }
}

/// Reads `25%`: a share of 0 or more and less than 100.
pub fn over_provisioning(text: &str) -> Result<f64, String> {
    if text.trim().is_empty() {
        return Err("nothing follows a comma: write the list without spaces, such as 0%,25%".to_owned());
    }
    match percent(text)? {
        percent if (0.0..100.0).contains(&percent) => Ok(percent),
        _ => Err("over-provisioning is 0% or more and less than 100%: something has to be left to write"
            .to_owned()),
    }
}

/// Reads `0%` to `100%`, in whole per cent.
pub fn whole_percent(text: &str) -> Result<u8, String> {
    let number = text.trim().strip_suffix('%').map(str::trim).unwrap_or_default();
    match (percent(text)?, number.parse::<u8>()) {
        (_, Ok(whole @ 0..=100)) => Ok(whole),
        _ => Err(format!("{text} is no whole percentage from 0% to 100%")),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    let text = text.trim();
    match (text.strip_suffix('%').map(|number| number.trim().parse::<f64>()), text.parse::<f64>()) {
        (Some(Ok(percent)), _) => Ok(percent),
        (_, Ok(_)) => Err(format!("a percentage has its sign: write {text}%")),
        _ => Err("a percentage is a number with its sign, such as 25%".to_owned()),
    }
}

/// A rate, by what its unit counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rate {
    /// I/Os a second.
    Ios(f64),
    /// Bytes a second.
    Bytes(f64),
}

impl Rate {
    /// Reads `5000/s` as I/Os, and `160MB/s` or `1.5GiB/s` as bytes a second.
    pub fn parse(text: &str) -> Result<Rate, String> {
        let example = "such as 5000/s for I/Os, or 160MB/s for bytes";
        let Some(amount) = text.trim().strip_suffix("/s") else {
            return Err(match text.trim().parse::<f64>() {
                Ok(_) => format!("a rate has a unit: write {text}/s for I/Os, or {text}MB/s for bytes"),
                Err(_) => format!("a rate is a number with a unit, {example}"),
            });
        };
        let rate = match amount.trim().parse::<f64>() {
            Ok(ios) => Rate::Ios(ios),
            Err(_) => Rate::Bytes(
                size(amount).map_err(|_| format!("a rate is a number with a unit, {example}"))?.get() as f64,
            ),
        };
        match rate {
            Rate::Ios(number) | Rate::Bytes(number) if number > 0.0 && number.is_finite() => Ok(rate),
            _ => Err(format!("a rate is above 0, {example}")),
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
    match Rate::parse(text) {
        Ok(Rate::Bytes(bytes)) if bytes <= 1e12 => Ok(bytes),
        Err(error) if text.trim().parse::<f64>().is_err() && !text.trim().ends_with("/s") => Err(error),
        _ => Err("the rate of a stream is a number of bytes a second above 0, such as 160MB/s".to_owned()),
    }
}

/// Splits `4KiB` into its number and its unit.
pub fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binary_and_decimal_units_are_told_apart() {
        assert_eq!(size("4k"), Ok(ByteCount::new(4096)));
        assert_eq!(size("4KiB"), Ok(ByteCount::new(4096)));
        assert_eq!(size("4kB"), Ok(ByteCount::new(4000)));
        assert_eq!(size("512B"), Ok(ByteCount::new(512)));
        assert_eq!(size("1.5GB"), Ok(ByteCount::new(1_500_000_000)));
        assert!(size("4 parsecs").is_err_and(|error| error.contains("KiB")));
        assert!(size("4096").is_err_and(|error| error.contains("4096B")));
        assert!(size("0.3B").is_err());
        assert!(size("-1").is_err());
    }

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("2000s"), Ok(Nanos::from_secs(2000)));
        assert_eq!(duration("0.5s"), Ok(Nanos::from_millis(500)));
        assert_eq!(duration("100ms"), Ok(Nanos::from_millis(100)));
        assert_eq!(duration("1h 30m"), Ok(Nanos::from_secs(5400)));
        assert!(duration("30").is_err_and(|error| error.contains("30s")));
        assert!(duration("0").is_err_and(|error| error.contains("60s")));
        assert!(duration("0s").is_err());
        assert!(duration("soon").is_err());
        assert!(duration("-5").is_err());
    }

    #[test]
    fn percentages_have_their_sign_and_over_provisioning_leaves_something() {
        assert_eq!(over_provisioning("25%"), Ok(25.0));
        assert_eq!(over_provisioning(" 25 % "), Ok(25.0));
        assert!(over_provisioning("25").is_err_and(|error| error.contains("25%")));
        assert!(over_provisioning("").is_err_and(|error| error.contains("without spaces")));
        assert!(over_provisioning("100%").is_err());
        assert!(over_provisioning("NaN%").is_err());
        assert_eq!(whole_percent("70%"), Ok(70));
        assert!(whole_percent("0.5%").is_err() && whole_percent("101%").is_err());
    }

    #[test]
    fn rates_say_what_they_count() {
        assert_eq!(Rate::parse("5000/s"), Ok(Rate::Ios(5000.0)));
        assert_eq!(Rate::parse("160MB/s"), Ok(Rate::Bytes(160e6)));
        assert_eq!(Rate::parse("5000/s").map(|rate| rate.bytes(ByteCount::new(4096))), Ok(20_480_000.0));
        assert_eq!(Rate::parse("4MiB/s").map(|rate| rate.ios(ByteCount::new(4096))), Ok(1024.0));
        assert!(Rate::parse("160").is_err_and(|error| error.contains("160/s") && error.contains("160MB/s")));
        assert!(Rate::parse("0/s").is_err() && Rate::parse("-3/s").is_err() && Rate::parse("fast").is_err());
        assert_eq!(byte_rate("160MB/s"), Ok(160e6));
        assert!(byte_rate("160").is_err_and(|error| error.contains("160MB/s")));
        assert!(byte_rate("5000/s").is_err_and(|error| error.contains("160MB/s")));
    }
}
