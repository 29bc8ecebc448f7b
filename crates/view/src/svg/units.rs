//! The numbers of ticks, in a unit that the whole axis shares where its scale is linear.

use crate::{Quantity, format};

/// From here on a number is written with a power of ten.
const HUGE: f64 = 1e15;
/// Seconds from which on an axis is marked in hours, and in days.
const HOURS_FROM: f64 = 4.0 * 3_600.0;
const DAYS_FROM: f64 = 4.0 * 86_400.0;

/// The unit of an axis: how much of the quantity's base unit it is, and its name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AxisUnit {
    pub size: f64,
    pub name: Option<&'static str>,
}

impl AxisUnit {
    /// The unit of a linear axis that reaches to values of this size.
    pub fn choose(quantity: Quantity, most: f64) -> AxisUnit {
        let named = |size: f64, name: &'static str| AxisUnit { size, name: Some(name) };
        match quantity {
            Quantity::Nanoseconds => named_by_size(&NANOSECONDS, most),
            Quantity::Bytes | Quantity::BlockSize => named_by_size(&BYTES, most),
            Quantity::Seconds if most > DAYS_FROM => named(86_400.0, "days"),
            Quantity::Seconds if most > HOURS_FROM => named(3_600.0, "h"),
            Quantity::BytesPerSecond => named(1e6, "MB/s"),
            Quantity::Share => named(0.01, "%"),
            other => AxisUnit { size: 1.0, name: other.unit().or(constant_unit(other)) },
        }
    }

    /// The unit that ticks of different sizes share; none where each brings its own.
    pub fn of_own_ticks(quantity: Quantity) -> AxisUnit {
        match quantity {
            Quantity::Nanoseconds | Quantity::Bytes | Quantity::BlockSize => {
                AxisUnit { size: 1.0, name: None }
            }
            other => AxisUnit::choose(other, 0.0),
        }
    }
}

const NANOSECONDS: [(f64, &str); 4] = [(1.0, "ns"), (1e3, "us"), (1e6, "ms"), (1e9, "s")];
const BYTES: [(f64, &str); 6] =
    [(1.0, "B"), (1e3, "kB"), (1e6, "MB"), (1e9, "GB"), (1e12, "TB"), (1e15, "PB")];

fn constant_unit(quantity: Quantity) -> Option<&'static str> {
    (quantity == Quantity::Seconds).then_some("s")
}

/// The greatest unit that is not above a value, else the smallest.
fn named_by_size(units: &[(f64, &'static str)], most: f64) -> AxisUnit {
    let found = units.iter().rev().find(|(size, _)| *size <= most * (1.0 + 1e-9));
    let (size, name) = *found.unwrap_or(&units[0]);
    AxisUnit { size, name: Some(name) }
}

/// The numbers of the ticks of a linear axis, with as many decimals as tell them apart.
pub(super) fn alike(ticks: &[f64], unit: AxisUnit, quantity: Quantity) -> Vec<String> {
    let numbers: Vec<f64> = ticks.iter().map(|tick| tick / unit.size).collect();
    let most = numbers.iter().fold(0.0, |most: f64, number| most.max(number.abs()));
    let step = numbers.windows(2).map(|pair| pair[1] - pair[0]).fold(f64::INFINITY, f64::min);
    let is_prefixed = matches!(
        quantity,
        Quantity::Count
            | Quantity::Lba
            | Quantity::Iops
            | Quantity::FilesPerSecond
            | Quantity::Number
            | Quantity::Factor
    );
    let is_prefixed = is_prefixed && (1e4..HUGE).contains(&most);
    let (size, prefix) = if is_prefixed { prefix_of(most) } else { (1.0, "") };
    let step = if step.is_finite() && step > 0.0 { step / size } else { most / size };
    numbers.iter().map(|number| written(number / size, step, prefix)).collect()
}

/// How much the prefix of a number of this size stands for, from 1,000 on, and the prefix.
fn prefix_of(size: f64) -> (f64, &'static str) {
    match size {
        size if size < 1e6 => (1e3, "k"),
        size if size < 1e9 => (1e6, "M"),
        size if size < 1e12 => (1e9, "G"),
        _ => (1e12, "T"),
    }
}

/// A number with the decimals that a step needs.
fn written(number: f64, step: f64, prefix: &str) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small, and not below zero")]
    let decimals =
        if step > 0.0 { (-(step * 1.000_001).log10().floor()).clamp(0.0, 99.0) as usize } else { 0 };
    match number.abs() {
        size if decimals > 6 || size >= HUGE => power(number),
        size if size >= 1_000.0 && decimals == 0 => format!("{}{prefix}", format::count(number)),
        _ => format!("{number:.decimals$}{prefix}"),
    }
}

/// The number of one tick among others of quite different sizes: on a logarithmic axis, or at given values.
pub(super) fn own(tick: f64, quantity: Quantity, is_given: bool) -> String {
    let unit = match quantity {
        Quantity::BlockSize if (0.0..HUGE).contains(&tick) => return format::block_size(tick),
        Quantity::Nanoseconds => named_by_size(&NANOSECONDS, tick),
        Quantity::Bytes | Quantity::BlockSize => named_by_size(&BYTES, tick),
        other => AxisUnit::of_own_ticks(other),
    };
    let number = tick / unit.size;
    match (quantity, unit.name) {
        (Quantity::Nanoseconds | Quantity::Bytes | Quantity::BlockSize, Some(name)) => {
            format!("{} {name}", short(number, true))
        }
        _ => short(number, is_given),
    }
}

/// A number with at most three significant digits where it is small, and with a prefix where it is great.
fn short(number: f64, is_whole: bool) -> String {
    let (size, prefix) = match number.abs() {
        0.0 => return "0".to_owned(),
        size if !(1e-6..HUGE).contains(&size) => return power(number),
        size if size < if is_whole { 1e5 } else { 1e3 } => (1.0, ""),
        size => prefix_of(size),
    };
    let scaled = number / size;
    if scaled.abs() >= 1_000.0 {
        return format::count(scaled);
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 8")]
    let decimals = (2.0 - scaled.abs().log10().floor()).clamp(0.0, 8.0) as usize;
    let text = format!("{scaled:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{prefix}")
}

/// A number as a product with a power of ten, such as `2e-7`.
fn power(number: f64) -> String {
    format!("{number:.1e}").replace(".0e", "e")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_of_a_linear_axis_share_unit_and_decimals() {
        let words = |quantity, ticks: &[f64]| {
            let most = ticks.iter().fold(0.0, |most: f64, tick| most.max(*tick));
            let unit = AxisUnit::choose(quantity, most);
            (alike(ticks, unit, quantity).join(" "), unit.name)
        };
        assert_eq!(words(Quantity::Iops, &[0.0, 5e5, 1e6]), ("0 0.5M 1.0M".to_owned(), Some("IOPS")));
        assert_eq!(words(Quantity::Seconds, &[0.0, 7_200.0, 14_401.0 + 7_199.0]).1, Some("h"));
        assert_eq!(words(Quantity::Seconds, &[0.0, 500.0, 1_000.0]), ("0 500 1,000".to_owned(), Some("s")));
        assert_eq!(words(Quantity::Nanoseconds, &[0.0, 2e5, 4e5]), ("0 200 400".to_owned(), Some("us")));
        assert_eq!(words(Quantity::Share, &[0.0, 0.005, 0.01]), ("0 0.5 1.0".to_owned(), Some("%")));
        assert_eq!(words(Quantity::BytesPerSecond, &[0.0, 2e8]), ("0 200".to_owned(), Some("MB/s")));
        assert_eq!(words(Quantity::Number, &[0.0, 1e99]).0, "0 1e99");
    }

    #[test]
    fn ticks_of_a_logarithmic_axis_bring_their_own_units() {
        let log = |quantity, tick| own(tick, quantity, false);
        assert_eq!(log(Quantity::Iops, 50_000.0), "50k");
        assert_eq!(log(Quantity::Nanoseconds, 1e7), "10 ms");
        assert_eq!(log(Quantity::Share, 1e-6), "0.0001");
        assert_eq!(log(Quantity::Share, 1e-9), "1e-7");
        assert_eq!(own(131_072.0, Quantity::BlockSize, true), "128 KiB");
        assert_eq!(own(-4e78, Quantity::BlockSize, true), "-4e78 B");
        assert_eq!(own(1_024.0, Quantity::Count, true), "1,024");
        assert_eq!(own(100.0, Quantity::Count, true), "100");
    }
}
