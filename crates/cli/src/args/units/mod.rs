//! Numbers with units, as people type them. An error says what to type instead: an example of a good value
//! and, where it is clear what was meant, that value.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use drivelab_documents::ShownTime;
use drivelab_trace::TraceMoment;

mod percent;
mod range;
mod rate;
mod whole;

pub use drivelab_block::typed::{duration, duration_or_zero, size, size_above_zero, split_unit};
pub use percent::{over_provisioning, percent, whole_percent};
pub use range::range;
pub use rate::{Rate, byte_rate};
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

/// Reads one of these by its word.
pub fn word<T, const N: usize>(all: [T; N], word: fn(T) -> &'static str) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(all.map(word)).try_map(move |typed| {
        all.into_iter().find(|one| word(*one) == typed).ok_or("it is none of the possible values")
    })
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

/// Reads `90s` and `2h` after the beginning of a trace, and `03:10` and `2026-11-26T03:10` by its clock.
pub fn moment(text: &str) -> Result<TraceMoment, String> {
    let is_of_a_clock = text.contains(':') || text.matches('-').count() == 2;
    if is_of_a_clock {
        return text.trim().parse::<ShownTime>().map(TraceMoment::Shown).map_err(|_| not_a_moment(text));
    }
    duration(text).map(TraceMoment::After).map_err(|_| not_a_moment(text))
}

fn not_a_moment(text: &str) -> String {
    format!(
        "{text:?} is no time: give one after the beginning, such as 90s or 2h, or one of the clock, such as 03:10 or \
         2026-11-26T03:10"
    )
}

#[cfg(test)]
mod tests {
    use drivelab_block::Nanos;

    use super::*;

    #[test]
    fn a_moment_is_a_duration_or_a_time_of_the_clock() {
        assert_eq!(moment("90s"), Ok(TraceMoment::After(Nanos::new(90_000_000_000))));
        for text in ["03:10", "03:10:05", "2026-11-26", "2026-11-26T03:10", "2026-11-26 03:10:05"] {
            assert!(matches!(moment(text), Ok(TraceMoment::Shown(_))), "{text}");
        }
        for text in ["90", "3:", "yesterday", "24:10", "2026-11-31", "-5s", ""] {
            assert!(moment(text).is_err_and(|error| error.contains("such as 90s or 2h")), "{text}");
        }
    }
}
