//! Percentages, as people type them.

use drivelab_block::typed::decimal_point;

/// Reads `25%`: a share of 0 or more and less than 100.
pub fn over_provisioning(text: &str) -> Result<f64, String> {
    if text.trim().is_empty() {
        return Err("nothing follows a comma: write the list without spaces, such as 0%,25%".to_owned());
    }
    match percent(text)? {
        percent if (0.0..100.0).contains(&percent) => Ok(percent),
        _ => Err("over-provisioning is at least 0% and below 100%, such as 25%: something is left to write"
            .to_owned()),
    }
}

/// Reads `0%` to `100%`, in whole per cent.
pub fn whole_percent(text: &str) -> Result<u8, String> {
    let number = text.trim().strip_suffix('%').map(str::trim).unwrap_or_default();
    match (percent(text)?, number.parse::<u8>()) {
        (_, Ok(whole @ 0..=100)) => Ok(whole),
        _ => Err(format!("{text} is no whole percentage from 0% to 100%, such as 70%")),
    }
}

/// Reads a number with its sign.
pub fn percent(text: &str) -> Result<f64, String> {
    let text = text.trim();
    match text.strip_suffix('%').map(|number| number.trim().parse::<f64>()) {
        Some(Ok(percent)) => Ok(percent),
        _ => Err(unreadable(text)),
    }
}

/// Why a text is no percentage, with the one that was meant where that is clear.
fn unreadable(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let words = ["percent", "per cent", "pct"].iter().find_map(|word| lower.strip_suffix(word));
    let number = words.unwrap_or(text).trim();
    match number.parse::<f64>() {
        Ok(share) if share > 0.0 && share < 1.0 && words.is_none() => {
            let hundredfold = (share * 1e4).round() / 1e2;
            format!("a percentage has its sign: write {hundredfold}% for that share, or {text}%")
        }
        Ok(_) => format!("a percentage has its sign: write {number}%"),
        Err(_) => match decimal_point(text).filter(|meant| percent(meant).is_ok()) {
            Some(meant) => format!("a fraction has a point: write {meant}"),
            None => "a percentage is a number with its sign, such as 25%".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_their_sign_and_over_provisioning_leaves_something() {
        assert_eq!(over_provisioning("25%"), Ok(25.0));
        assert_eq!(over_provisioning(" 25 % "), Ok(25.0));
        assert!(over_provisioning("").is_err_and(|error| error.contains("without spaces")));
        assert!(over_provisioning("100%").is_err());
        assert!(over_provisioning("NaN%").is_err());
        assert_eq!(whole_percent("70%"), Ok(70));
        assert!(whole_percent("0.5%").is_err() && whole_percent("101%").is_err());
    }

    #[test]
    fn an_error_names_the_percentage_that_was_meant() {
        for (text, meant) in [
            ("25", "write 25%"),
            ("0.25", "write 25% for that share"),
            ("25 percent", "write 25%"),
            ("25,5%", "write 25.5%"),
            ("a quarter", "such as 25%"),
        ] {
            assert!(percent(text).is_err_and(|error| error.contains(meant)), "{text}: {:?}", percent(text));
        }
    }
}
