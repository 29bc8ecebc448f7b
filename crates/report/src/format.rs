//! Numbers as a person reads them: never a unit guessed, never binary and decimal mixed.

/// A whole number with commas between thousands: `1,234,567`.
pub fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A rate: whole from 100 on, three significant digits below where it is not whole.
pub fn rate(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    match value.abs() {
        size if size >= 99.95 || size.fract() == 0.0 => whole(rounded(value)),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A share between 0 and 1 in per cent: `38 %`, `4.2 %`, `0.05 %`.
pub fn percent(share: f64) -> String {
    let value = share * 100.0;
    match value.abs() {
        // Nearly all is not all, and is never rounded up to it.
        size if (99.5..99.95).contains(&size) => format!("{value:.1} %"),
        size if (99.95..100.0).contains(&size) => format!("{:.2} %", (value * 100.0).trunc() / 100.0),
        size if size >= 9.95 || size == 0.0 => format!("{value:.0} %"),
        size if size >= 0.095 => format!("{value:.1} %"),
        size if size >= 0.001 => format!("{value:.3} %"),
        _ => format!("{value:.1e} %"),
    }
}

/// A span of nanoseconds in ns, us, ms or s, with three significant digits.
pub fn nanos(value: f64) -> String {
    let (scaled, unit) = match value {
        value if value < 999.5 => return format!("{value:.0} ns"),
        value if value < 999.5e3 => (value / 1e3, "us"),
        value if value < 999.5e6 => (value / 1e6, "ms"),
        value => (value / 1e9, "s"),
    };
    format!("{} {unit}", three_digits(scaled))
}

/// Bytes in decimal units, as drives are sold: `17.2 GB`.
pub fn bytes(value: u64) -> String {
    let size = value as f64;
    let (scaled, unit) = match value {
        0..1_000 => return format!("{value} B"),
        1_000..999_500 => (size / 1e3, "kB"),
        999_500..999_500_000 => (size / 1e6, "MB"),
        999_500_000..999_500_000_000 => (size / 1e9, "GB"),
        _ => (size / 1e12, "TB"),
    };
    format!("{} {unit}", three_digits(scaled))
}

/// Seconds with a comma between thousands, and a decimal below ten: `1,080 s`, `0.3 s`.
pub fn seconds(value: f64) -> String {
    if value < 9.95 && value.fract() != 0.0 {
        return format!("{value:.1} s");
    }
    format!("{} s", whole(rounded(value)))
}

/// A rate that marks a place on an axis: `50k`, `1M`.
pub fn short_rate(value: f64) -> String {
    let (scaled, unit) = match value {
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e3 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let text = format!("{scaled:.2}");
    format!("{}{unit}", text.trim_end_matches('0').trim_end_matches('.'))
}

/// A latency that marks a decade on an axis: `100 us`, `10 ms`.
pub fn decade(value: f64) -> String {
    nanos(value).replace(".00", "").replace(".0", "")
}

fn three_digits(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "rates and spans, never negative"
)]
fn rounded(value: f64) -> u64 {
    value.round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        assert_eq!([whole(0), whole(999), whole(1_000)], ["0", "999", "1,000"].map(String::from));
        assert_eq!(whole(1_234_567), "1,234,567");
    }

    #[test]
    fn units_change_where_three_digits_end() {
        assert_eq!(nanos(999.0), "999 ns");
        assert_eq!(nanos(82_000.0), "82.0 us");
        assert_eq!(nanos(999_700.0), "1.00 ms");
        assert_eq!(nanos(804e6), "804 ms");
        assert_eq!(bytes(17_179_869_184), "17.2 GB");
        assert_eq!(decade(1e5), "100 us");
        assert_eq!(decade(1e7), "10 ms");
    }

    #[test]
    fn small_shares_do_not_read_as_nothing() {
        assert_eq!(percent(0.38), "38 %");
        assert_eq!(percent(0.042), "4.2 %");
        assert_eq!(percent(0.0005), "0.050 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(0.996), "99.6 %");
        assert_eq!(percent(0.999_999), "99.99 %");
        assert_eq!(percent(1.0), "100 %");
        assert_eq!(rate(99.6), "99.6");
    }

    #[test]
    fn rates_keep_three_digits() {
        let found = [rate(5_020.4), rate(42.25), rate(0.5), rate(20.0)];
        assert_eq!(found, ["5,020", "42.2", "0.50", "20"].map(String::from));
    }
}
