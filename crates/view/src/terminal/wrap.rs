//! Text in columns: how wide it is, and where it may be broken.

use unicode_width::UnicodeWidthChar as _;

/// The columns that a text takes. A text that was cleaned has no characters that join others into one, so that the columns of
/// its characters add up.
pub(super) fn width(text: &str) -> usize {
    text.chars().map(|character| character.width().unwrap_or(0)).sum()
}

/// The text, cut to so many columns, with `mark` where it was cut.
pub(super) fn shorten(text: &str, columns: usize, mark: char) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let (kept, _) = split(text, columns.saturating_sub(1));
    format!("{kept}{mark}")
}

/// The text with spaces in front, up to so many columns.
pub(super) fn right(text: &str, columns: usize) -> String {
    format!("{}{text}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text with spaces behind, up to so many columns.
pub(super) fn left(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// The text in lines of at most so many columns (at least two), broken between words, never between a number and its unit.
/// A word that is wider than a line is cut.
pub(super) fn wrap(text: &str, first: usize, others: usize) -> Vec<String> {
    let (mut lines, mut line) = (Vec::new(), String::new());
    for piece in pieces(text, first.min(others)) {
        let room = if lines.is_empty() { first } else { others };
        if !line.is_empty() && width(&line) + 1 + width(&piece) > room {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&piece);
        loop {
            let room = if lines.is_empty() { first } else { others }.max(2);
            if width(&line) <= room {
                break;
            }
            let (cut, rest) = split(&line, room);
            let (cut, rest) = (cut.to_owned(), rest.to_owned());
            lines.push(cut);
            line = rest;
        }
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// The words of a text; a number and the unit behind it are one where they fit.
fn pieces(text: &str, room: usize) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    let mut after_number = false;
    for word in text.split_whitespace() {
        let fits = |last: &String| width(last) + 1 + width(word) <= room;
        match pieces.last_mut() {
            Some(last) if after_number && is_unit(word) && fits(last) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => pieces.push(word.to_owned()),
        }
        after_number = word.ends_with(|character: char| character.is_ascii_digit());
    }
    pieces
}

/// Whether a word is as short as units are.
fn is_unit(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ';', ':', ')', '*']);
    word == "%"
        || (word.chars().count() <= 5
            && word.starts_with(|first: char| first.is_alphabetic() || first == '°'))
}

/// What fits into so many columns, and the rest.
fn split(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += character.width().unwrap_or(0);
        if used > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_units_and_long_words_are_cut() {
        assert_eq!(wrap("a rate of 210 MB/s, or so", 14, 12), ["a rate of", "210 MB/s, or", "so"]);
        assert_eq!(wrap("abcdefgh", 6, 4), ["abcdef", "gh"]);
        assert_eq!(wrap("", 6, 4), [""]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        assert_eq!(width("東芝 X"), 6);
        assert_eq!(shorten("東芝 XG5", 4, '~'), "東~");
        assert_eq!(wrap("東芝東芝", 5, 5), ["東芝", "東芝"]);
    }
}
