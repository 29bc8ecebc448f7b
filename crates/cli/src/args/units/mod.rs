//! Numbers with units, as people type them. An error says what to type instead: an example of a good value
//! and, where it is clear what was meant, that value.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

mod duration;
mod percent;
mod range;
mod rate;
mod size;
mod whole;

pub use duration::{duration, duration_or_zero, moment};
pub use percent::{over_provisioning, percent, whole_percent};
pub use range::range;
pub use rate::{Rate, byte_rate};
pub use size::{size, size_above_zero};
pub use whole::{Cpus, cpus, whole, whole_above_zero};

/// A value that is typed by one of a few names.
pub type NamedValue<T> = (&'static str, &'static str, T);

/// Reads one of these values by its name, the first of each; the second is a sentence of help.
pub fn choice<T, const N: usize>(values: [NamedValue<T>; N]) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
{
    let names = values.each_ref().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(names).try_map(move |typed| {
        let found = values.iter().find(|(name, ..)| *name == typed);
        found.map(|(.., value)| value.clone()).ok_or("it is none of the possible values")
    })
}

/// Reads a number above zero: volts, watt-hours.
pub fn positive(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number > 0.0 && number.is_finite() => Ok(number),
        _ => Err("give a number above zero and no unit, such as 12".to_owned()),
    }
}

/// Reads the endurance that a drive is rated for, in decimal terabytes written: 0.1 to 10 million.
pub fn rated_terabytes(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if (0.1..=1e7).contains(&number) => Ok(number),
        _ => Err("give the terabytes that the data sheet says, 0.1 to 10000000, without a unit, such as 600"
            .to_owned()),
    }
}

/// The longest name or remark, in characters.
const LINE_MAX: usize = 200;

/// Reads a name or a remark: one line of text.
pub fn line_of_text(text: &str) -> Result<String, String> {
    let line = text.trim();
    match line.chars().count() {
        0 => Err("give a few words, such as 'MX200, after a year'".to_owned()),
        length if length > LINE_MAX => Err(format!("give at most {LINE_MAX} characters; these are {length}")),
        _ if line.contains(char::is_control) => Err("give one line without control characters".to_owned()),
        _ => Ok(line.to_owned()),
    }
}

/// Splits `4KiB` into its number and its unit.
pub fn split_unit(text: &str) -> (&str, &str) {
    let text = text.trim();
    let end = text.find(|sign: char| !sign.is_ascii_digit() && sign != '.').unwrap_or(text.len());
    (&text[..end], text[end..].trim())
}

/// The text with a point for its only comma; `None` where it has no comma or several.
fn decimal_point(text: &str) -> Option<String> {
    (text.matches(',').count() == 1).then(|| text.trim().replace(',', "."))
}
