//! The file that is written again and again.

use std::fs::Permissions;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use tempfile::Builder;

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

    /// Puts this text into the place of what the file held. Everyone may read it: the collector has a user of its own.
    ///
    /// # Errors
    /// Where the folder is not there, or cannot be written to. The file is then what it was.
    pub fn replace(&self, text: &str) -> io::Result<()> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let mut builder = Builder::new();
        // The collector reads *.prom, and not what is still being written.
        builder.prefix(".drivelab-").suffix(".partial").permissions(Permissions::from_mode(0o644));
        // The library's own error names the other file, which means nothing to a reader.
        let plain = |error: io::Error| io::Error::from(error.kind());
        let mut file = builder.tempfile_in(folder.unwrap_or(Path::new("."))).map_err(plain)?;
        file.write_all(text.as_bytes())?;
        file.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = LiveFile::new(&folder.path().join("now.prom"));
        for text in ["first\n", "second, which is longer\n", "3\n"] {
            file.replace(text).expect("a folder that can be written to");
            assert_eq!(fs::read_to_string(file.path()).expect("a file"), text);
        }
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
        let mode = fs::metadata(file.path()).expect("a file").permissions().mode();
        assert_eq!(mode & 0o777, 0o644);
        assert!(LiveFile::new(&folder.path().join("missing/now.prom")).replace("").is_err());
    }
}
