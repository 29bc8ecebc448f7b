//! Values as people write them: `256GiB`, `1.3ms`, `12%`, `550MB/s`.

/// What a key's value is counted in; every value is kept as a whole number of the base unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
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

impl Unit {
    /// The name of the base unit, for the table of keys.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Time => "time",
            Unit::Rate => "bytes a second",
            Unit::Share => "%",
            Unit::Power => "power",
            Unit::Energy => "energy",
            Unit::Temperature => "temperature",
            Unit::ThermalResistance => "thermal resistance",
            Unit::HeatCapacity => "heat capacity",
            Unit::Count => "number",
        }
    }

    /// How to write a value of this unit.
    pub(crate) fn example(self) -> &'static str {
        match self {
            Unit::Bytes => "64GiB or 240GB",
            Unit::Time => "1.3ms",
            Unit::Rate => "550MB/s",
            Unit::Share => "12%",
            Unit::Power => "300mW",
            Unit::Energy => "85uJ",
            Unit::Temperature => "70C",
            Unit::ThermalResistance => "12K/W",
            Unit::HeatCapacity => "30J/K",
            Unit::Count => "32",
        }
    }

    /// Nothing of this unit.
    fn zero(self) -> &'static str {
        match self {
            Unit::Bytes => "0B",
            Unit::Time => "0s",
            Unit::Rate => "0B/s",
            Unit::Share => "0%",
            Unit::Power => "0W",
            Unit::Energy => "0J",
            Unit::Temperature => "0C",
            Unit::ThermalResistance => "0K/W",
            Unit::HeatCapacity => "0J/K",
            Unit::Count => "0",
        }
    }

    /// What to say first of a value that is out of range for want of a unit; empty where it has one or needs none.
    pub(crate) fn bare_hint(self, text: &str) -> String {
        let is_bare = text.trim().ends_with(|sign: char| sign.is_ascii_digit());
        match self {
            Unit::Bytes | Unit::Rate if is_bare => {
                format!("without a unit it is {}, write one as in {}; ", self.name(), self.example())
            }
            _ => String::new(),
        }
    }

    /// The value in the base unit; `None` where the text is no value of this unit.
    pub(crate) fn parse(self, text: &str) -> Option<u64> {
        let text = text.trim();
        let digits_end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (number, suffix) = text.split_at(digits_end);
        let suffix = suffix.trim();
        let scale = match self {
            Unit::Bytes => lookup(BYTE_SUFFIXES, suffix)?,
            Unit::Rate => lookup(BYTE_SUFFIXES, suffix.strip_suffix("/s").unwrap_or(suffix))?,
            Unit::Time => lookup(TIME_SUFFIXES, suffix).or_else(|| lookup(LONG_TIME_SUFFIXES, suffix))?,
            Unit::Share => lookup(&[("%", 10_000)], suffix)?,
            Unit::Power => lookup(POWER_SUFFIXES, suffix)?,
            Unit::Energy => lookup(ENERGY_SUFFIXES, suffix)?,
            Unit::Temperature => lookup(TEMPERATURE_SUFFIXES, suffix)?,
            Unit::ThermalResistance => lookup(RESISTANCE_SUFFIXES, suffix)?,
            Unit::HeatCapacity => lookup(CAPACITY_SUFFIXES, suffix)?,
            Unit::Count => lookup(&[("", 1)], suffix)?,
        };
        if self == Unit::Count && number.contains('.') {
            return None;
        }
        scaled(number, scale)
    }

    /// The value as a person would write it, in the largest unit that shows it exactly.
    pub(crate) fn format(self, value: u64) -> String {
        if value == 0 {
            return self.zero().to_owned();
        }
        let table: &[(&str, u128)] = match self {
            Unit::Bytes | Unit::Rate => BYTE_SUFFIXES,
            Unit::Time => TIME_SUFFIXES,
            Unit::Power => POWER_SUFFIXES,
            Unit::Energy => ENERGY_SUFFIXES,
            Unit::Temperature => TEMPERATURE_SUFFIXES,
            Unit::ThermalResistance => RESISTANCE_SUFFIXES,
            Unit::HeatCapacity => CAPACITY_SUFFIXES,
            Unit::Share => return format!("{}%", value as f64 / 10_000.0),
            Unit::Count => return value.to_string(),
        };
        let exact = table.iter().filter(|(_, scale)| u128::from(value) % scale == 0);
        let (suffix, scale) = exact.max_by_key(|(_, scale)| *scale).copied().unwrap_or(table[0]);
        let per_second = if self == Unit::Rate { "/s" } else { "" };
        format!("{}{suffix}{per_second}", u128::from(value) / scale)
    }
}

fn lookup(table: &[(&str, u128)], suffix: &str) -> Option<u128> {
    table.iter().find(|(name, _)| *name == suffix).map(|(_, scale)| *scale)
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
        assert_eq!(Unit::Bytes.parse("256GiB"), Some(256 << 30));
        assert_eq!(Unit::Bytes.parse("499.7GB"), Some(499_700_000_000));
        assert_eq!(Unit::Bytes.parse("4096"), Some(4096));
        assert_eq!(Unit::Time.parse("1.3ms"), Some(1_300_000));
        assert_eq!(
            [Unit::Time.parse("1.5min"), Unit::Time.parse("2h")],
            [90, 7_200].map(|s| Some(s * 1_000_000_000))
        );
        assert_eq!(Unit::Rate.parse("550MB/s"), Some(550_000_000));
        assert_eq!(Unit::Share.parse("14.5%"), Some(145_000));
        assert_eq!((Unit::Count.parse("32"), Unit::Count.parse("0.5")), (Some(32), None));
        assert_eq!(Unit::Power.parse("5.4W"), Some(5_400_000));
        assert_eq!(Unit::Energy.parse("85uJ"), Some(85_000));
        assert_eq!(Unit::Temperature.parse("70.5C"), Some(70_500));
        assert_eq!(Unit::ThermalResistance.parse("12K/W"), Some(12_000));
        assert_eq!(Unit::HeatCapacity.format(30_000), "30J/K");
    }

    #[test]
    fn a_size_without_a_unit_is_told_what_it_is() {
        assert!(Unit::Bytes.bare_hint("8").contains("64GiB"));
        assert!(Unit::Rate.bare_hint("550").contains("bytes a second"));
        assert_eq!(Unit::Bytes.bare_hint("8KiB"), "");
        assert_eq!(Unit::Count.bare_hint("8"), "");
    }

    #[test]
    fn nonsense_is_no_value() {
        for text in ["", "GB", "1.2.3GB", "-4GB", "12 parsecs", "1e9", "5.", "999999999999999999999TB"] {
            assert_eq!(Unit::Bytes.parse(text), None, "{text}");
        }
        assert_eq!(Unit::Time.parse("5"), None, "a time without a unit says nothing");
        assert_eq!(Unit::Share.parse("0.12"), None);
        assert_eq!(Unit::Bytes.parse("16777216TiB"), None, "beyond 64 bits");
    }

    #[test]
    fn what_is_printed_can_be_read_again() {
        for (unit, value) in
            [(Unit::Bytes, 64 << 30), (Unit::Bytes, 240_000_000_000), (Unit::Time, 1_300_000)]
        {
            assert_eq!(unit.parse(&unit.format(value)), Some(value));
        }
    }
}
