//! Numbers as instruments write them.

use crate::MeterError;

/// What stands for infinity in SCPI-99 (7.2.1.4, 7.2.1.5); 9.91E37 is "not a number". No power or current is near it.
const NO_VALUE: f64 = 9.9e37;

/// One number and nothing else: `NR1`, `NR2` or `NR3` of IEEE 488.2.
pub(super) fn number(answer: &str) -> Result<f64, MeterError> {
    let text = answer.trim();
    let not_a_number = || MeterError::NotANumber(text.to_owned());
    // What Rust reads as numbers besides (inf, NaN) is no number of an instrument.
    if !text.bytes().all(|sign| sign.is_ascii_digit() || b"+-.eE".contains(&sign)) {
        return match text.to_ascii_uppercase().as_str() {
            "NAN" | "INF" | "+INF" | "-INF" | "NINF" => Err(MeterError::NoValue(text.to_owned())),
            _ => Err(not_a_number()),
        };
    }
    let value: f64 = text.parse().map_err(|_| not_a_number())?;
    if value.abs() >= NO_VALUE * 0.999 {
        return Err(MeterError::NoValue(text.to_owned()));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_forms_are_numbers() {
        for (text, value) in [("5", 5.0), ("+5.25", 5.25), (" -1.5E-3\r", -0.0015), ("0.250000e+01", 2.5)] {
            assert_eq!(number(text), Ok(value), "{text}");
        }
    }

    #[test]
    fn no_value_is_told_from_garbage() {
        for text in ["9.9E37", "+9.90000E+37", "-9.9E37", "9.91E+37", "NAN", "inf", "1e999"] {
            assert!(matches!(number(text), Err(MeterError::NoValue(_))), "{text}");
        }
        for text in ["", "1.5 W", "1,5", "1.5,2.5", "--1", "e", "0x10", "OVLD", "1.5\u{0}"] {
            assert!(matches!(number(text), Err(MeterError::NotANumber(_))), "{text}");
        }
    }
}
