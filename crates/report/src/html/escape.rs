//! Text inside markup.

use std::fmt::{self, Display, Write};

/// Text that stands in an element or in a quoted attribute; everything that could end either is escaped.
///
/// Control characters, which XML cannot hold at all, become the replacement character.
pub(crate) struct Escaped<'a>(pub &'a str);

impl Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in self.0.chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                '\t' | '\n' => f.write_char(' ')?,
                character if character.is_control() => f.write_char('\u{fffd}')?,
                character => f.write_char(character)?,
            }
        }
        Ok(())
    }
}

/// A document as JSON that can stand inside a script element: no `<` is left in it.
pub(crate) fn embedded(document: &impl serde::Serialize) -> String {
    let json = serde_json::to_string(document).expect("plain columns and strings always serialise");
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// A number and its unit stay on one line.
pub(crate) fn unbroken(text: &str) -> String {
    text.replace(" %", "\u{a0}%")
        .replace(" IOPS", "\u{a0}IOPS")
        .replace(" GB", "\u{a0}GB")
        .replace(" s ", "\u{a0}s ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_ends_an_element_or_an_attribute() {
        assert_eq!(Escaped("</script> \"&'\u{0}").to_string(), "&lt;/script&gt; &quot;&amp;&#39;\u{fffd}");
    }
}
