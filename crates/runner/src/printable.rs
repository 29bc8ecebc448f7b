//! Text from outside, made fit for a terminal: names of files, schemas, profiles and drives may hold what
//! steers it.

use std::borrow::Cow;
use std::io::{self, Write};

use serde_json::ser::Formatter;

/// Whether a character steers a terminal, or hides or turns what stands next to it.
fn steers(character: char) -> bool {
    let turns = matches!(character,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{61c}');
    character.is_control() || turns
}

/// Whether a character is printed as it is. Lines and columns are this program's own.
fn is_plain(character: char) -> bool {
    matches!(character, '\n' | '\t') || !steers(character)
}

/// The text with everything that steers a terminal in its escaped form, such as `\u{1b}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut clean = String::with_capacity(text.len());
    for character in text.chars() {
        if is_plain(character) {
            clean.push(character);
        } else {
            clean.extend(character.escape_default());
        }
    }
    Cow::Owned(clean)
}

/// A name, or a message with names in it, on one line: line ends and columns are escaped, too.
pub fn one_line(text: &str) -> String {
    let escaped = |character: char| -> String {
        if steers(character) { character.escape_default().collect() } else { character.to_string() }
    };
    text.chars().map(escaped).collect()
}

/// Writes text as [`printable`] makes it; each write has to be of whole characters, as those of `write!` are.
pub struct PrintableWriter<W>(pub W);

impl<W: Write> Write for PrintableWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write_all(printable(&String::from_utf8_lossy(bytes)).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// JSON in which every character that steers a terminal is escaped, as JSON itself asks for below U+0020
/// alone.
pub struct PrintableJson;

impl Formatter for PrintableJson {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(steers) {
            let (before, from) = rest.split_at(at);
            writer.write_all(before.as_bytes())?;
            let mut characters = from.chars();
            // All of them lie in the first plane, so that four digits are enough.
            if let Some(character) = characters.next() {
                write!(writer, "\\u{:04x}", u32::from(character))?;
            }
            rest = characters.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize as _;

    use super::*;

    #[test]
    fn nothing_steers_a_terminal_and_json_means_the_same() {
        let name = "a\u{1b}[2J\u{9b}1m\u{202e}\u{7f}é\r\n\tb";
        assert_eq!(printable(name), "a\\u{1b}[2J\\u{9b}1m\\u{202e}\\u{7f}é\\r\n\tb");
        let mut json = Vec::new();
        let mut serializer = serde_json::Serializer::with_formatter(&mut json, PrintableJson);
        name.serialize(&mut serializer).expect("memory");
        let json = String::from_utf8(json).expect("text");
        assert!(!json.contains(steers), "{json}");
        assert_eq!(serde_json::from_str::<String>(&json).expect("JSON"), name);
    }
}
