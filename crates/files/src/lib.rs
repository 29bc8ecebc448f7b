//! Files that come from outside: opened without waiting, and read up to a limit.
//!
//! A folder of a result may have been handed on by others, and a name that was typed may be that of a pipe.
//! Opening a pipe without a writer waits for ever, and reading a device or a file of any length fills
//! the memory.

//!
//! Files that this program writes anew are here, too: what is in the place of one may be anything.

#![forbid(unsafe_code)]

mod any;
mod replaced;

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

pub use any::{may_wait, open_any, wait_readable};
pub use replaced::{
    Occupant, OwnMark, ReplaceError, check_replaceable, create_partial, place_of, replace, write_whole,
};

/// What a small file that is written by hand may hold, such as a profile: a thousand times what any has.
pub const SMALL: u64 = 4 << 20;
/// What a document may hold that this program wrote: more than the longest run leaves.
pub const DOCUMENT: u64 = 1 << 30;

/// Opens a regular file for reading, without waiting. A pipe, a device or a folder is refused.
///
/// # Errors
/// Where it is not there, cannot be opened, or is no regular file.
pub fn open_regular(path: &Path) -> io::Result<File> {
    let file = open_any(path)?;
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is no regular file"))
    }
}

/// Reads a regular file whole.
///
/// # Errors
/// As [`open_regular`], and where it holds more than `limit` bytes.
pub fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open_regular(path)?;
    let mut bytes = Vec::new();
    // One byte more tells whether there is more: a file that grows meanwhile has no length that could be
    // believed.
    file.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it holds more than {limit} bytes")));
    }
    Ok(bytes)
}

/// Reads a regular file of text whole.
///
/// # Errors
/// As [`read`], and where it is not UTF-8.
pub fn read_text(path: &Path, limit: u64) -> io::Result<String> {
    let not_text = |_| io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read(path, limit)?).map_err(not_text)
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    #[test]
    fn a_pipe_is_not_waited_for_and_a_limit_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let (pipe, file) = (folder.path().join("pipe"), folder.path().join("file"));
        mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a pipe");
        assert_eq!(read(&pipe, 10).expect_err("a pipe").kind(), ErrorKind::InvalidInput);
        assert_eq!(read(folder.path(), 10).expect_err("a folder").kind(), ErrorKind::InvalidInput);
        assert!(read(Path::new("/dev/zero"), 10).is_err());
        std::fs::write(&file, "ten bytes!").expect("a file");
        assert_eq!(read_text(&file, 10).expect("ten bytes"), "ten bytes!");
        assert_eq!(read(&file, 9).expect_err("ten bytes").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(&folder.path().join("none"), 9).expect_err("none").kind(), ErrorKind::NotFound);
    }
}
