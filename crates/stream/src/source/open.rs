//! Opening what frames are read from.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::FileTypeExt as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use rustix::fs::{Access, Mode, OFlags, access, open};
use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

use super::stop::{Stop, Woken};
use super::synthetic::SyntheticFrames;
use crate::StreamError;

/// What a channel is read from.
#[derive(Clone, Debug, PartialEq)]
pub enum SourceKind {
    /// A named pipe, or whatever else is read from its first byte to its end.
    Pipe(PathBuf),
    /// A descriptor that the program was started with.
    Descriptor(i32),
    /// A Unix socket that programs connect to, one after the other.
    Unix(PathBuf),
    /// A file.
    File(PathBuf),
    /// Frames that are made.
    Synthetic(SyntheticFrames),
}

/// A source that is open.
#[derive(Debug)]
pub enum Source {
    /// A stream of bytes, and what it is called.
    Descriptor(String, OwnedFd),
    /// A socket.
    Listener(Listener),
    /// Frames that are made.
    Synthetic(SyntheticFrames),
}

impl SourceKind {
    /// Looks whether it could be opened, without touching it: a pipe that is opened and closed again breaks the program that
    /// waits at its other end.
    ///
    /// # Errors
    /// Where it is not there, or cannot be read.
    pub fn look(&self) -> Result<(), StreamError> {
        match self {
            SourceKind::Pipe(path) | SourceKind::File(path) => {
                access(path, Access::READ_OK).map_err(|error| StreamError::source(path.display(), error))?;
                // What is there and cannot be read as a stream would be noticed when an earlier recording is gone.
                let is_stream = if path.is_dir() { Err(io::ErrorKind::IsADirectory) } else { Ok(()) };
                is_stream.map_err(|error| StreamError::source(path.display(), error))
            }
            SourceKind::Descriptor(_) => self.open().map(drop),
            SourceKind::Unix(path) => Listener::look(path),
            SourceKind::Synthetic(_) => Ok(()),
        }
    }

    /// Opens it.
    ///
    /// # Errors
    /// Where it is not there, or cannot be read.
    pub fn open(&self) -> Result<Source, StreamError> {
        match self {
            SourceKind::Pipe(path) | SourceKind::File(path) => {
                let name = path.display().to_string();
                // A pipe without a writer would keep the program waiting where it hears no signal.
                let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
                let opened = open(path, flags, Mode::empty());
                let opened = opened.map_err(|error| StreamError::source(&name, error))?;
                Ok(Source::Descriptor(name, opened))
            }
            SourceKind::Descriptor(number) => {
                let name = format!("descriptor {number}");
                let opened = inherited(*number).map_err(|error| StreamError::source(&name, error))?;
                Ok(Source::Descriptor(name, opened))
            }
            SourceKind::Unix(path) => Ok(Source::Listener(Listener::bind(path)?)),
            SourceKind::Synthetic(synthetic) => Ok(Source::Synthetic(synthetic.clone())),
        }
    }
}

/// A descriptor of this process as one of our own.
fn inherited(number: i32) -> io::Result<OwnedFd> {
    let process = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(pidfd_getfd(process, number, PidfdGetfdFlags::empty())?)
}

/// A socket in the file system, taken away at the end.
#[derive(Debug)]
pub struct Listener {
    path: PathBuf,
    listener: UnixListener,
}

impl Listener {
    /// Whether it could be made at `path`. Nobody is connected to: a server may take one connection and no other.
    fn look(path: &Path) -> Result<(), StreamError> {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let free = match fs::symlink_metadata(path) {
            // One that nobody answers at is what a killed recorder left; whether somebody does shows when it is made.
            Ok(found) if !found.file_type().is_socket() => Err(io::ErrorKind::AddrInUse.into()),
            _ => access(folder, Access::WRITE_OK).map_err(io::Error::from),
        };
        free.map_err(|error| StreamError::source(path.display(), error))
    }

    fn bind(path: &Path) -> Result<Listener, StreamError> {
        // What a killed recorder left is a socket that nobody answers at.
        if fs::symlink_metadata(path).is_ok_and(|found| found.file_type().is_socket())
            && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        {
            let _ = fs::remove_file(path);
        }
        let bound = UnixListener::bind(path);
        let listener = bound.map_err(|error| StreamError::source(path.display(), error))?;
        Ok(Listener { path: path.to_owned(), listener })
    }

    /// Serves one connection after the other until `stream` says that it is enough.
    pub(super) fn run(
        &self,
        stop: &Stop,
        mut stream: impl FnMut(&UnixStream) -> io::Result<()>,
    ) -> Result<(), StreamError> {
        use std::os::fd::AsFd as _;
        let failed = |error| StreamError::source(self.path.display(), error);
        loop {
            match stop.wait(Some(self.listener.as_fd()), None).map_err(failed)? {
                Woken::Stopped => return Ok(()),
                Woken::TimedOut => {}
                Woken::Ready => {
                    let (connection, _) = self.listener.accept().map_err(failed)?;
                    stream(&connection).map_err(failed)?;
                }
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}
