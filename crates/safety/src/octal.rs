//! The kernel's way of writing odd characters in its tables: `\040` for a space.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// The path that `text` stands for.
pub(crate) fn unescape(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        if let Some(byte) = escaped(rest) {
            bytes.push(byte);
            rest = &rest[4..];
        } else {
            bytes.push(first);
            rest = after;
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

fn escaped(text: &[u8]) -> Option<u8> {
    let &[b'\\', high @ b'0'..=b'3', middle @ b'0'..=b'7', low @ b'0'..=b'7', ..] = text else { return None };
    Some((high - b'0') * 64 + (middle - b'0') * 8 + (low - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_become_the_characters_they_stand_for() {
        assert_eq!(unescape("/mnt/my\\040disk"), PathBuf::from("/mnt/my disk"));
        assert_eq!(unescape("/caf\\303\\251"), PathBuf::from("/café"));
        assert_eq!(unescape("/a\\134b\\"), PathBuf::from("/a\\b\\"));
        assert_eq!(unescape("\\400\\04"), PathBuf::from("\\400\\04"));
    }
}
