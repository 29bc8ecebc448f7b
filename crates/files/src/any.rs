//! Files of any kind that are read as they come: also pipes, which may have nothing to read for a long time, or no writer.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};

/// Opens a file of any kind for reading, without waiting for whoever writes to it.
///
/// # Errors
/// Where it is not there, or cannot be opened.
pub fn open_any(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(open(path, flags, Mode::empty())?.into())
}

/// Whether what is to be read of a file may not be there yet: of all but regular files and drives.
///
/// # Errors
/// Where the system does not say what it is.
pub fn may_wait(file: &File) -> io::Result<bool> {
    let kind = file.metadata()?.file_type();
    Ok(!kind.is_file() && !kind.is_block_device())
}

/// Waits until there is something to read, or the end, and not longer than this; whether there is. A pipe that no one has written
/// to yet has neither.
///
/// # Errors
/// Where it cannot be waited for.
pub fn wait_readable(file: &File, longest: Duration) -> io::Result<bool> {
    let mut waited_for = [PollFd::new(file, PollFlags::IN)];
    let longest = Timespec::try_from(longest).map_err(io::Error::other)?;
    match poll(&mut waited_for, Some(&longest)) {
        Ok(ready) => Ok(ready > 0),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use rustix::fs::{CWD, mkfifoat};

    use super::*;

    const MOMENT: Duration = Duration::from_millis(1);

    #[test]
    fn a_pipe_without_a_writer_is_opened_and_has_no_end_yet() {
        let folder = tempfile::tempdir().expect("a folder");
        let pipe = folder.path().join("pipe");
        mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a pipe");
        let mut read = open_any(&pipe).expect("it is opened");
        assert!(may_wait(&read).expect("a pipe") && !wait_readable(&read, MOMENT).expect("nothing yet"));
        let mut written = File::options().write(true).open(&pipe).expect("the other end");
        written.write_all(b"row").expect("room");
        assert!(wait_readable(&read, MOMENT).expect("a row"));
        drop(written);
        let mut text = String::new();
        read.read_to_string(&mut text).expect("to its end");
        assert_eq!(text, "row");
        assert!(wait_readable(&read, MOMENT).expect("its end"));
        assert!(!may_wait(&File::open("/proc/self/exe").expect("a file")).expect("a regular file"));
    }
}
