//! The file that is written again and again.

use std::path::{Path, PathBuf};

use drivelab_files::{OwnMark, ReplaceError, check_replaceable, replace};

/// What every such file begins with. Prometheus takes it for a comment.
const FIRST_LINE: &str = "# Metrics of drivelab: written anew while a command runs.\n";
/// What every such file ends with, as the format `OpenMetrics` asks for: a file without it is not whole.
const LAST_LINE: &str = "# EOF\n";
/// By which a file of an earlier command is known.
const MARK: OwnMark<'static> = OwnMark { start: FIRST_LINE.as_bytes(), part: b"" };
/// Everyone may read it: the collector has a user of its own.
const READ_BY_ALL: u32 = 0o644;

/// A file for the textfile collector.
#[derive(Clone, Debug)]
pub struct LiveFile {
    path: PathBuf,
}

impl LiveFile {
    /// A file of this name, which is not made yet.
    pub fn new(path: &Path) -> LiveFile {
        LiveFile { path: path.to_owned() }
    }

    /// Its name.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Checks that nothing but a file of an earlier command is there.
    ///
    /// # Errors
    /// Where something else is there, or cannot be looked at.
    pub fn check(&self) -> Result<(), ReplaceError> {
        check_replaceable(&self.path, MARK)
    }

    /// Puts this text, between the first and the last line of such files, into the place of what the file held.
    ///
    /// # Errors
    /// As [`LiveFile::check`], and where the folder is not there, or cannot be written to. The file is then what it was.
    pub fn replace(&self, text: &str) -> Result<(), ReplaceError> {
        replace(&self.path, format!("{FIRST_LINE}{text}{LAST_LINE}").as_bytes(), MARK, Some(READ_BY_ALL))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = LiveFile::new(&folder.path().join("now.prom"));
        for text in ["first\n", "second, which is longer\n", "3\n"] {
            file.replace(text).expect("a folder that can be written to");
            let written = fs::read_to_string(file.path()).expect("a file");
            let held = written.strip_prefix(FIRST_LINE).and_then(|rest| rest.strip_suffix("# EOF\n"));
            assert_eq!(held, Some(text));
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let mode = fs::metadata(file.path()).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        assert!(LiveFile::new(&folder.path().join("missing/now.prom")).replace("").is_err());
    }
}
