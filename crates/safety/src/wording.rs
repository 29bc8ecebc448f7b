//! Text from outside, made fit for a terminal and for a shell.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::path::Path;

/// The text without control characters: a process or a label may be named so as to rewrite a terminal's
/// lines.
pub(crate) fn shown(text: impl AsRef<OsStr>) -> String {
    let text = text.as_ref().to_string_lossy();
    text.chars().map(|letter| if letter.is_control() { '?' } else { letter }).collect()
}

/// The path as a shell takes it in one piece.
pub(crate) fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |letter: char| letter.is_alphanumeric() || "/._-+:,@%=".contains(letter);
    if !text.is_empty() && text.chars().all(plain) {
        return text.into_owned();
    }
    let inner: Cow<'_, str> = if text.contains('\'') { text.replace('\'', "'\\''").into() } else { text };
    format!("'{}'", shown(inner.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_with_spaces_or_quotes_is_one_word_to_a_shell() {
        assert_eq!(quoted(Path::new("/mnt/data")), "/mnt/data");
        assert_eq!(quoted(Path::new("/mnt/my disk")), "'/mnt/my disk'");
        assert_eq!(quoted(Path::new("/mnt/it's")), "'/mnt/it'\\''s'");
    }

    #[test]
    fn control_characters_do_not_reach_a_terminal() {
        assert_eq!(shown("a\u{1b}[2Jb\nc"), "a?[2Jb?c");
    }
}
