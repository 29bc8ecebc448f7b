//! Numbers as they are shown, the same on the page, on the terminal and in Markdown. `page/src/format.ts` has the same rules
//! for hover texts and tables.

/// Each of these once, in the order in which they first come.
pub fn each_once<T: PartialEq>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// The words with a capital letter at their beginning.
pub fn capitalised(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A word as a shell reads it as one.
pub fn shell_word(word: &str) -> String {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || "/._-+:@%=,".contains(one);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// Small numbers as words, as in a title: `two` to `ten`, others in digits.
pub fn counted(count: usize) -> String {
    const WORDS: [&str; 9] = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];
    count
        .checked_sub(2)
        .and_then(|place| WORDS.get(place))
        .map_or(count.to_string(), |word| (*word).to_owned())
}

/// A number of things: `1 block`, `2 blocks`. The plural of their name ends in s.
pub fn things(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", count(number as f64), by_number(number, "", "s"))
}

/// Of two words or endings the one that fits a number of things: the first for one, the second for any other number.
pub fn by_number<'a>(number: u64, one: &'a str, many: &'a str) -> &'a str {
    if number == 1 { one } else { many }
}

/// A count, rounded to a whole number, with commas between thousands: `1,234,567`.
pub fn count(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let sign = if value < 0.0 && digits != "0" { "-" } else { "" };
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    text.push_str(sign);
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
    match value.abs() {
        size if size >= 99.95 || size.fract() == 0.0 || !size.is_finite() => count(value),
        size if size >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// A number with three significant digits: `0.127`, `5.20`, `127`, `1,270`.
pub fn digits(value: f64) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    match value.abs() {
        size if size >= 99.95 => count(value),
        size if size >= 9.995 => format!("{value:.1}"),
        size if size >= 0.9995 || size == 0.0 => format!("{value:.2}"),
        size if size >= 0.09995 => format!("{value:.3}"),
        size => format!("{value:.*}", decimals(size, 3)),
    }
}

/// A share between 0 and 1 in per cent: `27,529 %`, `38 %`, `4.2 %`, `0.050 %`, `0.00048 %`.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        return "-".to_owned();
    }
    let value = share * 100.0;
    match value.abs() {
        // Nearly all is not all, and is never rounded up to it.
        size if (99.5..99.95).contains(&size) => format!("{value:.1} %"),
        size if (99.95..100.0).contains(&size) => format!("{:.2} %", (value * 100.0).trunc() / 100.0),
        size if size >= 9.95 || size == 0.0 => format!("{} %", count(value)),
        size if size >= 0.095 => format!("{value:.1} %"),
        size => format!("{value:.*} %", decimals(size, 2)),
    }
}

/// A share that is judged by a limit: never rounded onto a limit that it does not have. A share of 0.8979 is not 90 % where 90 %
/// would be enough.
pub fn percent_beside(share: f64, limit: f64) -> String {
    let shown = percent(share);
    if shown != percent(limit) || (share * 100.0).to_bits() == (limit * 100.0).to_bits() {
        return shown;
    }
    let value = share * 100.0;
    let decimals =
        (1..6).find(|decimals| format!("{value:.decimals$}") != format!("{:.decimals$}", limit * 100.0));
    decimals.map_or(shown, |decimals| format!("{value:.decimals$} %"))
}

/// How many decimals show so many significant digits of a number below 1; at most 15.
fn decimals(size: f64, significant: i32) -> usize {
    #[expect(clippy::cast_possible_truncation, reason = "an exponent of a finite number is small")]
    let exponent = size.log10().floor() as i32;
    usize::try_from(significant - 1 - exponent).map_or(0, |decimals| decimals.min(15))
}

/// A span of nanoseconds in ns, us, ms or s, with three significant digits.
pub fn nanos(value: f64) -> String {
    in_units(value, "ns", &["us", "ms", "s"])
}

/// Bytes in decimal units, as drives are sold: `17.2 GB`.
pub fn bytes(value: f64) -> String {
    in_units(value, "B", &["kB", "MB", "GB", "TB"])
}

/// A number in a unit, or in the first of the greater ones, each of 1,000 of the one before, in which it is below 1,000.
fn in_units(value: f64, unit: &str, greater: &[&str]) -> String {
    if !value.is_finite() {
        return "-".to_owned();
    }
    let (mut size, mut name) = (1.0, unit);
    for next in greater {
        if value < size * 999.5 {
            break;
        }
        (size, name) = (size * 1e3, next);
    }
    if name == unit { format!("{value:.0} {unit}") } else { format!("{} {name}", three_digits(value / size)) }
}

/// The size of a block or of a buffer in binary units: `4 KiB`, `512 B`. Below 1 MiB it is exact, in bytes where it is no
/// whole number of KiB; above it has three digits where it is no whole number of MiB: `43.2 MiB`.
pub fn block_size(value: f64) -> String {
    let whole = |unit: f64| (value >= unit && value % unit == 0.0).then(|| count(value / unit));
    let units = [(1_073_741_824.0, "GiB"), (1_048_576.0, "MiB"), (1_024.0, "KiB")];
    let found = units.into_iter().find_map(|(unit, name)| Some(format!("{} {name}", whole(unit)?)));
    let rounded = |(unit, name)| (value >= unit).then(|| format!("{} {name}", three_digits(value / unit)));
    found
        .or_else(|| units[..2].iter().copied().find_map(rounded))
        .unwrap_or_else(|| format!("{} B", count(value)))
}

/// Seconds with a comma between thousands, with three significant digits below ten: `1,080 s`, `0.30 s`.
pub fn seconds(value: f64) -> String {
    match value {
        value if value.is_finite() && value.abs() < 9.995 && value.fract() != 0.0 => format!("{value:.2} s"),
        value => format!("{} s", count(value)),
    }
}

/// A time that is planned with, given in seconds, in s, min or h with three significant digits: `45 s`, `12 min`, `3.5 h`.
pub fn long_time(seconds: f64) -> String {
    match seconds {
        seconds if !seconds.is_finite() => "-".to_owned(),
        seconds if seconds < 1.0 => nanos(seconds * 1e9),
        seconds if seconds < 120.0 => format!("{} s", plain_digits(seconds)),
        seconds if seconds < 7200.0 => format!("{} min", plain_digits(seconds / 60.0)),
        seconds => format!("{} h", plain_digits(seconds / 3600.0)),
    }
}

/// A number above 0 with at most three significant digits below 1000, and no zeros behind a point: `12.5`, `60`, `1234`.
pub fn plain_digits(value: f64) -> String {
    let digits = if value < 10.0 { 2 } else { usize::from(value < 100.0) };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn three_digits(value: f64) -> String {
    match value {
        value if value >= 99.95 => format!("{value:.0}"),
        value if value >= 9.995 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// Up to this ratio two rates are called alike.
const ALIKE: f64 = 1.01;

/// How many times the fastest of several is as fast as each other one in `what`, by their rates and names, the fastest first;
/// nothing of a single one. Rates that are zero or not finite are left out.
pub fn times_as_fast<'a>(what: &str, rates: impl IntoIterator<Item = (f64, &'a str)>) -> Option<String> {
    let mut known: Vec<(f64, &str)> =
        rates.into_iter().filter(|(rate, _)| *rate > 0.0 && rate.is_finite()).collect();
    known.sort_by(|one, other| other.0.total_cmp(&one.0));
    let ((fastest, first), others) = known.split_first()?;
    let times = |(rate, label): &(f64, &str)| match fastest / rate {
        times if times < ALIKE => format!("as fast as {label} (within 1 %)"),
        times => format!("{} times as fast as {label}", digits(times)),
    };
    let slower: Vec<String> = others.iter().map(times).collect();
    (!slower.is_empty())
        .then(|| format!("In {what}, {first} is {}, measured once each.", slower.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let found = [0.0, 999.0, 1_000.0, 1_234_567.4, -1_234.0].map(count);
        assert_eq!(found, ["0", "999", "1,000", "1,234,567", "-1,234"]);
    }

    #[test]
    fn units_change_where_three_digits_end() {
        let found = [999.0, 82_000.0, 999_700.0, 804e6].map(nanos);
        assert_eq!(found, ["999 ns", "82.0 us", "1.00 ms", "804 ms"]);
        assert_eq!([999.0, 17_179_869_184.0].map(bytes), ["999 B", "17.2 GB"]);
        assert_eq!(
            [4_096.0, 512.0, 3_145_728.0, 1_500.0, 45_300_000.0].map(block_size),
            ["4 KiB", "512 B", "3 MiB", "1,500 B", "43.2 MiB"]
        );
    }

    #[test]
    fn small_shares_are_neither_nothing_nor_powers_of_ten() {
        let found = [0.38, 0.042, 0.0005, 0.000_004_8, 0.0].map(percent);
        assert_eq!(found, ["38 %", "4.2 %", "0.050 %", "0.00048 %", "0 %"]);
        assert_eq!([0.996, 0.999_999, 1.0].map(percent), ["99.6 %", "99.99 %", "100 %"]);
    }

    #[test]
    fn numbers_keep_three_digits() {
        let found = [5_020.4, 42.25, 0.5, 20.0].map(rate);
        assert_eq!(found, ["5,020", "42.2", "0.50", "20"]);
        let found = [0.126_95, 5.2, 104.02, 0.004_882_8, 0.0].map(digits);
        assert_eq!(found, ["0.127", "5.20", "104", "0.00488", "0.00"]);
    }

    #[test]
    fn what_is_no_number_is_a_hyphen() {
        let all = [count, rate, digits, percent, nanos, bytes];
        assert!(all.iter().all(|format| format(f64::NAN) == "-"));
    }

    #[test]
    fn the_fastest_is_named_first_and_alone_it_is_compared_with_nothing() {
        let sentence =
            times_as_fast("writing", [(10.0, "one"), (0.0, "idle"), (70.0, "two"), (69.9, "three")]);
        let expected = "In writing, two is as fast as three (within 1 %) and 7.00 times as fast as one, measured once each.";
        assert_eq!(sentence.as_deref(), Some(expected));
        assert_eq!(times_as_fast("writing", [(10.0, "one"), (0.0, "idle")]), None);
    }
}
