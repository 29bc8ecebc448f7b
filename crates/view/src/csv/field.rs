//! Fields of a CSV file.

/// A text, quoted where it has to be (RFC 4180). Control characters are spaces. A text that a spreadsheet would take for a
/// formula begins with a single quote, since names come from drives.
pub(super) fn text(text: &str) -> String {
    let spaced: String =
        text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    let trimmed = spaced.trim();
    let safe =
        if trimmed.starts_with(['=', '+', '-', '@']) { format!("'{trimmed}") } else { trimmed.to_owned() };
    if safe.contains([',', '"']) { format!("\"{}\"", safe.replace('"', "\"\"")) } else { safe }
}

/// A number in the fewest digits that read back as the same; nothing where it is missing.
pub(super) fn number(number: f64) -> String {
    match number.abs() {
        size if !size.is_finite() => String::new(),
        size if size == 0.0 || (1e-6..1e21).contains(&size) => number.to_string(),
        _ => format!("{number:e}"),
    }
}

/// A name as the head of a column: letters and digits in lower case, underlines between words. A slash within a word is left
/// out: "longest I/O" is `longest_io`.
pub(super) fn head(parts: &[&str], suffix: &str) -> String {
    let mut head = String::new();
    for character in parts.join(" ").chars() {
        if character.is_alphanumeric() {
            head.extend(character.to_lowercase());
        } else if character != '/' && !head.is_empty() && !head.ends_with('_') {
            head.push('_');
        }
    }
    let head = head.trim_end_matches('_');
    // "IOPS" has its unit already.
    let suffix = if head == suffix.trim_start_matches('_') { "" } else { suffix };
    if head.is_empty() { format!("value{suffix}") } else { format!("{head}{suffix}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_and_are_no_formulas() {
        let found = ["Granite G400, 25 %", "a\"b", "=1+1\n", "\t@x", "plain"].map(text);
        assert_eq!(found, ["\"Granite G400, 25 %\"", "\"a\"\"b\"", "'=1+1", "'@x", "plain"]);
    }

    #[test]
    fn numbers_are_short_and_heads_have_their_unit() {
        let found = [0.1, 1e300, 12_000.0, f64::NAN, 2.5e-7].map(number);
        assert_eq!(found, ["0.1", "1e300", "12000", "", "2.5e-7"]);
        assert_eq!(head(&["Service time", "p99.9"], "_ns"), "service_time_p99_9_ns");
        assert_eq!(head(&["Longest I/O"], ""), "longest_io");
        assert_eq!(head(&["IOPS"], "_iops"), "iops");
    }
}
