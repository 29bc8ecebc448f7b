//! Text that Markdown shows as it is.

/// What a sign in a text would mean to Markdown, or to a page that shows it.
const SIGNS: &str = "\\`*_<>[]|~&$";

/// A text in a line: its signs are escaped, line breaks are spaces, control characters are left out.
pub(super) fn inline(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        for character in word.chars().filter(|character| !character.is_control()) {
            if SIGNS.contains(character) {
                line.push('\\');
            }
            line.push(character);
        }
    }
    line
}

/// A text that begins a line: a sign or a number that would begin a heading or a list is escaped as well.
pub(super) fn paragraph(text: &str) -> String {
    let line = inline(text);
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let is_numbered = digits > 0 && line[digits..].starts_with(['.', ')']);
    match line.chars().next() {
        Some('#' | '+' | '-' | '=') => format!("\\{line}"),
        _ if is_numbered => format!("{}\\{}", &line[..digits], &line[digits..]),
        _ => line,
    }
}

/// A text within a tag of HTML.
pub(super) fn html(text: &str) -> String {
    let escaped = text.chars().filter(|character| !character.is_control() || character.is_whitespace());
    let mut found = String::with_capacity(text.len());
    for character in escaped {
        match character {
            '&' => found.push_str("&amp;"),
            '<' => found.push_str("&lt;"),
            '>' => found.push_str("&gt;"),
            character if character.is_whitespace() => found.push(' '),
            character => found.push(character),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_shown_and_not_obeyed() {
        assert_eq!(inline("a|b\n<i> *x* `y` \\|"), "a\\|b \\<i\\> \\*x\\* \\`y\\` \\\\\\|");
        let found = ["# a", "1. a", "- a", "2.5 ms", "10"].map(paragraph);
        assert_eq!(found, ["\\# a", "1\\. a", "\\- a", "2\\.5 ms", "10"]);
    }
}
