//! Values as people write them: `256GiB`, `1.3ms`, `12%`, `550MB/s`.

/// What a key's value is counted in; every value is kept as a whole number of the base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyUnit {
    /// Bytes; KiB, MiB, GiB, TiB are binary, kB, MB, GB, TB decimal.
    Bytes,
    /// Nanoseconds.
    Time,
    /// Bytes a second.
    Rate,
    /// Millionths, written in per cent.
    Share,
    /// Microwatts; mW and W.
    Power,
    /// Nanojoules; uJ, mJ and J.
    Energy,
    /// Thousandths of a degree Celsius.
    Temperature,
    /// Thousandths of a kelvin a watt.
    ThermalResistance,
    /// Thousandths of a joule a kelvin.
    HeatCapacity,
    /// A plain number.
    Count,
}

const BYTE_SUFFIXES: &[(&str, u128)] = &[
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("TB", 1_000_000_000_000),
    ("B", 1),
    ("", 1),
];

const TIME_SUFFIXES: &[(&str, u128)] = &[("ns", 1), ("us", 1_000), ("ms", 1_000_000), ("s", 1_000_000_000)];

/// Times that are taken as they are typed after an option, and not written.
const LONG_TIME_SUFFIXES: &[(&str, u128)] =
    &[("m", 60_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000)];

const POWER_SUFFIXES: &[(&str, u128)] = &[("uW", 1), ("mW", 1_000), ("W", 1_000_000)];

const ENERGY_SUFFIXES: &[(&str, u128)] = &[("nJ", 1), ("uJ", 1_000), ("mJ", 1_000_000), ("J", 1_000_000_000)];

const TEMPERATURE_SUFFIXES: &[(&str, u128)] = &[("mC", 1), ("°C", 1_000), ("C", 1_000)];

const RESISTANCE_SUFFIXES: &[(&str, u128)] = &[("mK/W", 1), ("K/W", 1_000)];

const CAPACITY_SUFFIXES: &[(&str, u128)] = &[("mJ/K", 1), ("J/K", 1_000)];

const SHARE_SUFFIXES: &[(&str, u128)] = &[("%", 10_000)];

const COUNT_SUFFIXES: &[(&str, u128)] = &[("", 1)];

/// How values of a unit are written.
pub(crate) struct UnitWords {
    /// The name of the base unit, for the table of keys.
    pub(crate) name: &'static str,
    pub(crate) example: &'static str,
    /// Nothing of this unit.
    zero: &'static str,
    /// Each with how many base units it stands for.
    suffixes: &'static [(&'static str, u128)],
}

impl KeyUnit {
    pub(crate) fn words(self) -> UnitWords {
        let (name, example, zero, suffixes) = match self {
            KeyUnit::Bytes => ("bytes", "64GiB or 240GB", "0B", BYTE_SUFFIXES),
            KeyUnit::Time => ("time", "1.3ms", "0s", TIME_SUFFIXES),
            KeyUnit::Rate => ("bytes a second", "550MB/s", "0B/s", BYTE_SUFFIXES),
            KeyUnit::Share => ("%", "12%", "0%", SHARE_SUFFIXES),
            KeyUnit::Power => ("power", "300mW", "0W", POWER_SUFFIXES),
            KeyUnit::Energy => ("energy", "85uJ", "0J", ENERGY_SUFFIXES),
            KeyUnit::Temperature => ("temperature", "70C", "0C", TEMPERATURE_SUFFIXES),
            KeyUnit::ThermalResistance => ("thermal resistance", "12K/W", "0K/W", RESISTANCE_SUFFIXES),
            KeyUnit::HeatCapacity => ("heat capacity", "30J/K", "0J/K", CAPACITY_SUFFIXES),
            KeyUnit::Count => ("number", "32", "0", COUNT_SUFFIXES),
        };
        UnitWords { name, example, zero, suffixes }
    }

    /// What to say first of a value that is out of range for want of a unit; empty where it has one or needs none.
    pub(crate) fn bare_hint(self, text: &str) -> String {
        let is_bare = text.trim().ends_with(|sign: char| sign.is_ascii_digit());
        match self {
            KeyUnit::Bytes | KeyUnit::Rate if is_bare => {
                let UnitWords { name, example, .. } = self.words();
                format!("without a unit it is {name}, write one as in {example}; ")
            }
            _ => String::new(),
        }
    }

    /// The value in the base unit; `None` where the text is no value of this unit.
    pub(crate) fn parse(self, text: &str) -> Option<u64> {
        let text = text.trim();
        let digits_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(digits_end);
        let suffix = match (self, suffix.trim()) {
            (KeyUnit::Rate, suffix) => suffix.strip_suffix("/s").unwrap_or(suffix),
            (_, suffix) => suffix,
        };
        let also = if self == KeyUnit::Time { LONG_TIME_SUFFIXES } else { &[] };
        let (_, scale) = self.words().suffixes.iter().chain(also).find(|(name, _)| *name == suffix)?;
        if self == KeyUnit::Count && number.contains('.') {
            return None;
        }
        scaled(number, *scale)
    }

    /// The value as a person would write it, in the largest unit that shows it exactly.
    pub(crate) fn format(self, value: u64) -> String {
        let UnitWords { zero, suffixes, .. } = self.words();
        if value == 0 {
            return zero.to_owned();
        }
        if self == KeyUnit::Share {
            return format!("{}%", value as f64 / 10_000.0);
        }
        let exact = suffixes.iter().filter(|(_, scale)| u128::from(value) % scale == 0);
        let (suffix, scale) = exact.max_by_key(|(_, scale)| *scale).copied().unwrap_or(suffixes[0]);
        let per_second = if self == KeyUnit::Rate { "/s" } else { "" };
        format!("{}{suffix}{per_second}", u128::from(value) / scale)
    }
}

/// `number` x `scale` as a whole number, rounded down; no floating point, so `499.7GB` is exact.
fn scaled(number: &str, scale: u128) -> Option<u64> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let valid = !whole.is_empty() && whole.len() <= 20 && fraction.len() <= 9 && !fraction.contains('.');
    if !valid || number.ends_with('.') {
        return None;
    }
    let mantissa: u128 = format!("{whole}{fraction}").parse().ok()?;
    let divisor = 10u128.pow(u32::try_from(fraction.len()).ok()?);
    u64::try_from(mantissa * scale / divisor).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_times_rates_and_shares_are_read_exactly() {
        assert_eq!(KeyUnit::Bytes.parse("256GiB"), Some(256 << 30));
        assert_eq!(KeyUnit::Bytes.parse("499.7GB"), Some(499_700_000_000));
        assert_eq!(KeyUnit::Bytes.parse("4096"), Some(4096));
        assert_eq!(KeyUnit::Time.parse("1.3ms"), Some(1_300_000));
        assert_eq!(
            [KeyUnit::Time.parse("1.5min"), KeyUnit::Time.parse("2h")],
            [90, 7_200].map(|s| Some(s * 1_000_000_000))
        );
        assert_eq!(KeyUnit::Rate.parse("550MB/s"), Some(550_000_000));
        assert_eq!(KeyUnit::Share.parse("14.5%"), Some(145_000));
        assert_eq!((KeyUnit::Count.parse("32"), KeyUnit::Count.parse("0.5")), (Some(32), None));
        assert_eq!(KeyUnit::Power.parse("5.4W"), Some(5_400_000));
        assert_eq!(KeyUnit::Energy.parse("85uJ"), Some(85_000));
        assert_eq!(KeyUnit::Temperature.parse("70.5C"), Some(70_500));
        assert_eq!(KeyUnit::ThermalResistance.parse("12K/W"), Some(12_000));
        assert_eq!(KeyUnit::HeatCapacity.format(30_000), "30J/K");
    }

    #[test]
    fn a_size_without_a_unit_is_told_what_it_is() {
        assert!(KeyUnit::Bytes.bare_hint("8").contains("64GiB"));
        assert!(KeyUnit::Rate.bare_hint("550").contains("bytes a second"));
        assert_eq!(KeyUnit::Bytes.bare_hint("8KiB"), "");
        assert_eq!(KeyUnit::Count.bare_hint("8"), "");
    }

    #[test]
    fn nonsense_is_no_value() {
        for text in ["", "GB", "1.2.3GB", "-4GB", "12 parsecs", "1e9", "5.", "999999999999999999999TB"] {
            assert_eq!(KeyUnit::Bytes.parse(text), None, "{text}");
        }
        assert_eq!(KeyUnit::Time.parse("5"), None, "a time without a unit says nothing");
        assert_eq!(KeyUnit::Share.parse("0.12"), None);
        assert_eq!(KeyUnit::Bytes.parse("16777216TiB"), None, "beyond 64 bits");
    }

    #[test]
    fn what_is_printed_can_be_read_again() {
        for (unit, value) in
            [(KeyUnit::Bytes, 64 << 30), (KeyUnit::Bytes, 240_000_000_000), (KeyUnit::Time, 1_300_000)]
        {
            assert_eq!(unit.parse(&unit.format(value)), Some(value));
        }
    }
}
