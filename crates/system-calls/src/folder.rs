//! New files in a folder: of a mounted file system, or of one made for the purpose.

use std::fs;
use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::{Path, PathBuf};

use drivelab_block::Caching;
use drivelab_program::Owner;
use rustix::fs::{AtFlags, CWD, OFlags, fsync, syncfs, unlinkat};
use rustix::io::retry_on_intr;

use crate::FilePlace;
use crate::in_place::{create, direct_flag, open_folder, write_all};
use crate::scratch::Scratch;

/// How the folders of files begin; what names the process that made them follows.
const NAME: &str = "drivelab-paths-";

/// A folder for the files of one run after the other. One that was made is removed with everything in it; where the
/// program was killed, the next one removes it.
#[derive(Debug)]
pub struct Folder {
    open: Option<OwnedFd>,
    at: OwnedFd,
    caching: Caching,
    files: u64,
    /// The folder that was made, where one was.
    made: Option<PathBuf>,
    /// The file system that ends with the folder; it goes last, when nothing in it is open any more.
    _scratch: Option<Scratch>,
}

impl Folder {
    /// Makes the folder inside `parent`, and removes those of programs that are gone.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn make(parent: &Path) -> io::Result<Folder> {
        sweep(parent);
        let owner = Owner::this_program().ok_or_else(|| io::Error::other("/proc is not there"))?;
        let path = parent.join(format!("{NAME}{}", owner.mark()));
        fs::create_dir(&path)?;
        Ok(Folder::of_root(open_folder(CWD, &path)?, Some(path), None))
    }

    /// The root of a file system that nobody else sees, and that is gone with the folder.
    ///
    /// # Errors
    /// Where it cannot be opened.
    pub fn of_scratch(scratch: Scratch) -> io::Result<Folder> {
        Ok(Folder::of_root(scratch.root()?, None, Some(scratch)))
    }

    fn of_root(at: OwnedFd, made: Option<PathBuf>, scratch: Option<Scratch>) -> Folder {
        Folder { open: None, at, caching: Caching::Buffered, files: 0, made, _scratch: scratch }
    }

    /// Whether its file system takes files for direct I/O.
    pub fn takes_direct(&self) -> bool {
        let opened = create(&self.at, "file-direct", OFlags::DIRECT);
        let _ = unlinkat(&self.at, "file-direct", AtFlags::empty());
        opened.is_ok()
    }

    /// How the files that come next are written.
    pub fn set_caching(&mut self, caching: Caching) {
        self.caching = caching;
    }

    /// Removes the files, and waits until their file system has nothing left to write.
    ///
    /// # Errors
    /// Where one cannot be removed.
    pub fn clear(&mut self) -> io::Result<()> {
        self.open = None;
        for file in 0..self.files {
            unlinkat(&self.at, name_of(file), AtFlags::empty())?;
        }
        self.files = 0;
        Ok(syncfs(&self.at)?)
    }
}

fn name_of(file: u64) -> String {
    format!("file-{file}")
}

impl FilePlace for Folder {
    fn begin(&mut self, file: u64) -> io::Result<()> {
        self.open = Some(create(&self.at, &name_of(file), direct_flag(self.caching))?);
        self.files = file + 1;
        Ok(())
    }

    fn write(&mut self, at: u64, piece: &[u8]) -> io::Result<()> {
        let open = self.open.as_ref().ok_or(io::ErrorKind::NotFound)?;
        write_all(open.as_fd(), at, piece)
    }

    fn end(&mut self) -> io::Result<()> {
        if let Some(open) = self.open.take()
            && self.caching == Caching::Buffered
        {
            retry_on_intr(|| fsync(&open))?;
        }
        Ok(())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.open = None;
        if let Some(made) = &self.made {
            let _ = remove(made);
        }
    }
}

/// Removes the folders that killed programs have left.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let owner = name.strip_prefix(NAME).and_then(Owner::of_mark);
        if owner.is_some_and(|owner| !owner.is_alive()) {
            let _ = remove(&path);
        }
    }
}

/// Removes the files that this program makes, and the folder where it held no others.
fn remove(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        if entry.file_name().to_str().is_some_and(|name| name.starts_with("file-")) {
            fs::remove_file(entry.path())?;
        }
    }
    fs::remove_dir(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_taken_away_and_what_others_put_there_is_not() {
        let parent = tempfile::tempdir().expect("a folder");
        // No process has this number: the kernel's largest is 2^22.
        let left = parent.path().join(format!("{NAME}4999999-1"));
        let others = parent.path().join(format!("{NAME}mine"));
        for folder in [&left, &others] {
            fs::create_dir(folder).and_then(|()| fs::write(folder.join("file-0"), "x")).expect("a file");
        }
        let mut folder = Folder::make(parent.path()).expect("a folder");
        assert!(!left.exists() && others.join("file-0").exists());
        for file in 0..3 {
            folder.begin(file).expect("a file");
            folder.write(0, &[7; 5000]).expect("its bytes");
            folder.end().expect("its end");
        }
        let own = Owner::this_program().expect("/proc").mark();
        let files = || fs::read_dir(parent.path().join(format!("{NAME}{own}"))).map(Iterator::count);
        assert_eq!(files().ok(), Some(3));
        folder.clear().expect("nothing");
        assert_eq!(files().ok(), Some(0));
        drop(folder);
        assert!(files().is_err());
    }
}
