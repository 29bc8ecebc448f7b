//! Files that this program writes anew: what is in their place is known as its own before it is replaced, in one step.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::fs::{self, File, OpenOptions, Permissions};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{FileTypeExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, RenameFlags, open, renameat_with};

/// The bytes at the start of a file among which its mark is.
const MARK_WITHIN: u64 = 4096;

/// By what a file is known as one that this program wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnMark<'a> {
    /// What it begins with.
    pub start: &'a [u8],
    /// What its first 4,096 bytes have in them, too; empty if the start alone is enough.
    pub part: &'a [u8],
}

/// What is in the place of a file, and is not to be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A link, whatever it leads to.
    Link,
    /// A folder.
    Folder,
    /// A block device.
    Drive,
    /// A character device.
    Device,
    /// A named pipe or a socket.
    Pipe,
    /// A regular file that does not have the mark: of a user, or of another program.
    Other,
}

/// Why a file is not replaced.
#[derive(Debug)]
pub enum ReplaceError {
    /// Something else is there.
    Occupied(Occupant),
    /// The system refused.
    Io(io::Error),
}

impl fmt::Display for Occupant {
    /// What it is, behind its name.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Occupant::Link => "is a link",
            Occupant::Folder => "is a folder",
            Occupant::Drive => "is a drive",
            Occupant::Device => "is a device",
            Occupant::Pipe => "is a pipe or a socket",
            Occupant::Other => "is there already, and is no file of this kind that drivelab wrote",
        })
    }
}

impl From<io::Error> for ReplaceError {
    fn from(error: io::Error) -> ReplaceError {
        ReplaceError::Io(error)
    }
}

impl OwnMark<'_> {
    /// Whether a file that begins with these bytes has the mark.
    fn is_in(&self, head: &[u8]) -> bool {
        let has_part = self.part.is_empty() || head.windows(self.part.len()).any(|part| part == self.part);
        head.starts_with(self.start) && has_part
    }
}

/// Checks that nothing is in a place but a file with this mark. A link is not followed.
///
/// # Errors
/// Where something else is there, or where it cannot be looked at.
pub fn check_replaceable(path: &Path, mark: OwnMark<'_>) -> Result<(), ReplaceError> {
    find_own(path, mark).map(drop)
}

/// Whether a file with this mark is in a place; false if nothing is there.
fn find_own(path: &Path, mark: OwnMark<'_>) -> Result<bool, ReplaceError> {
    let found = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        found => found?.file_type(),
    };
    let occupant = match found {
        _ if found.is_symlink() => Some(Occupant::Link),
        _ if found.is_dir() => Some(Occupant::Folder),
        _ if found.is_block_device() => Some(Occupant::Drive),
        _ if found.is_char_device() => Some(Occupant::Device),
        _ if found.is_fifo() || found.is_socket() => Some(Occupant::Pipe),
        _ => None,
    };
    if let Some(occupant) = occupant {
        return Err(ReplaceError::Occupied(occupant));
    }
    // It may be another file by now: one that would be waited for is not.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(open(path, flags, Mode::empty()).map_err(io::Error::from)?);
    let mut head = Vec::new();
    file.take(MARK_WITHIN).read_to_end(&mut head)?;
    if mark.is_in(&head) { Ok(true) } else { Err(ReplaceError::Occupied(Occupant::Other)) }
}

/// Puts contents into the place of a file with this mark, or where nothing is, in one step: a reader finds the old ones or
/// the new ones. They are to have the mark themselves. `mode` are the permissions, else those that the user gives new files.
///
/// # Errors
/// Where something else is there, or the file cannot be written; what was there stays as it was, and no part of a new file
/// is left.
pub fn replace(
    path: &Path,
    contents: &[u8],
    mark: OwnMark<'_>,
    mode: Option<u32>,
) -> Result<(), ReplaceError> {
    debug_assert!(mark.is_in(&contents[..contents.len().min(4096)]), "{} has no mark", path.display());
    let is_there = find_own(path, mark)?;
    let (file, partial) = begin_partial(path)?;
    let written = write_partial(file, contents, mode).and_then(|()| rename(&partial, path, is_there));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        match error.kind() {
            ErrorKind::AlreadyExists if !is_there => ReplaceError::Occupied(Occupant::Other),
            _ => ReplaceError::Io(error),
        }
    })
}

/// Begins a file next to another one, under a name that no other program has: containers of one process number may write to one
/// folder.
fn begin_partial(path: &Path) -> io::Result<(File, PathBuf)> {
    loop {
        // Each state of this kind is another one, in every process.
        let number = RandomState::new().build_hasher().finish();
        // A collector of such files knows them by their endings, and does not take what is still being written.
        let partial = path.with_file_name(format!(".drivelab-{number:016x}.partial"));
        match create_new(&partial) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            file => return Ok((file?, partial)),
        }
    }
}

fn write_partial(mut file: File, contents: &[u8], mode: Option<u32>) -> io::Result<()> {
    if let Some(mode) = mode {
        file.set_permissions(Permissions::from_mode(mode))?;
    }
    file.write_all(contents)
}

/// Gives a new file its name. If nothing had that name, nothing may have got it meanwhile.
fn rename(partial: &Path, path: &Path, is_there: bool) -> io::Result<()> {
    if is_there {
        return fs::rename(partial, path);
    }
    match renameat_with(CWD, partial, CWD, path, RenameFlags::NOREPLACE) {
        // Not every file system has this.
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS) => fs::rename(partial, path),
        renamed => Ok(renamed?),
    }
}

/// What a file system answers that cannot sync a folder (`EINVAL`, `ENOTSUP`), or a folder that the user may not open.
const CANNOT_SYNC: [ErrorKind; 3] =
    [ErrorKind::InvalidInput, ErrorKind::Unsupported, ErrorKind::PermissionDenied];

/// Writes a file that this program knows as its own, by way of one with `.partial` behind its name: whole or not at all. It is on
/// the drive then, so that after a power cut it holds what it held before or what it holds now.
///
/// # Errors
/// Where it cannot be written; what was there is still there.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    // On the drive before it replaces anything: after a power cut a name without contents would be left.
    let written = create_partial(&partial).and_then(|mut file| {
        file.write_all(contents)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&partial, path)).inspect_err(|_| {
        // A part of a file is of no use to anybody; on a full disk even its name takes room.
        let _ = fs::remove_file(&partial);
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        // Not every file system can sync a folder; the file is whole in any case.
        Err(error) if CANNOT_SYNC.contains(&error.kind()) => Ok(()),
        synced => synced,
    }
}

/// Makes the file that is renamed into the place of another one when it is whole. What an earlier program left under its name is
/// removed: a link there, in a folder that others handed on, would lead what is written to another file.
///
/// # Errors
/// Where it cannot be made.
pub fn create_partial(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    create_new(path)
}

fn create_new(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

/// Where a path leads, also if nothing is there yet: without links as far as it is there.
///
/// # Errors
/// Where the current folder is not known.
pub fn place_of(path: &Path) -> io::Result<PathBuf> {
    let absolute = std::path::absolute(path)?;
    for above in absolute.ancestors() {
        if let (Ok(found), Ok(rest)) = (fs::canonicalize(above), absolute.strip_prefix(above)) {
            return Ok(if rest.as_os_str().is_empty() { found } else { found.join(rest) });
        }
    }
    Ok(absolute)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    use rustix::fs::mkfifoat;

    use super::*;

    const MARK: OwnMark<'static> = OwnMark { start: b"# own\n", part: b"more" };

    fn occupant(path: &Path) -> Occupant {
        let checked = check_replaceable(path, MARK);
        let replaced = replace(path, b"# own\nmore", MARK, None);
        match (checked, replaced) {
            (Err(ReplaceError::Occupied(checked)), Err(ReplaceError::Occupied(replaced))) => {
                assert_eq!(checked, replaced);
                replaced
            }
            other => panic!("{}: {other:?}", path.display()),
        }
    }

    #[test]
    fn only_what_has_the_mark_is_replaced() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        let own = at("own");
        for more in ["more", "more and more", "more"] {
            let text = format!("# own\n{more}");
            replace(&own, text.as_bytes(), MARK, Some(0o644)).expect("its own");
            assert_eq!(fs::read_to_string(&own).expect("a file"), text);
        }
        for (name, text) in [("notes", "# owner\nmore"), ("start", "# own\n"), ("empty", "")] {
            fs::write(at(name), text).expect("room");
            assert_eq!(occupant(&at(name)), Occupant::Other);
            assert_eq!(fs::read_to_string(at(name)).expect("a file"), text);
        }
        symlink(&own, at("link")).and_then(|()| symlink("nowhere", at("dangling"))).expect("links");
        mkfifoat(CWD, at("pipe"), Mode::RUSR | Mode::WUSR).expect("a pipe");
        let _socket = UnixListener::bind(at("socket")).expect("a socket");
        let others = [("link", Occupant::Link), ("dangling", Occupant::Link), ("pipe", Occupant::Pipe)];
        for (name, expected) in [&others[..], &[("socket", Occupant::Pipe), (".", Occupant::Folder)]].concat()
        {
            assert_eq!(occupant(&at(name)), expected, "{name}");
        }
        assert_eq!(occupant(Path::new("/dev/null")), Occupant::Device);
        let left = fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.file_name());
        assert!(!left.into_iter().any(|name| name.to_string_lossy().ends_with(".partial")));
    }

    #[test]
    fn a_partial_file_is_never_what_a_link_leads_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let (victim, partial) = (folder.path().join("victim"), folder.path().join("run.json.partial"));
        fs::write(&victim, "mine").and_then(|()| symlink(&victim, &partial)).expect("a link");
        create_partial(&partial).and_then(|mut file| file.write_all(b"ours")).expect("a file of its own");
        assert_eq!(fs::read(&victim).expect("a file"), b"mine");
        assert_eq!(fs::read(&partial).expect("a file"), b"ours");
    }

    #[test]
    fn a_file_is_written_whole_and_no_part_of_one_that_cannot_be_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("record.json");
        for text in ["first", "second, which is longer", "3"] {
            write_whole(&path, text.as_bytes()).expect("room");
            assert_eq!(fs::read_to_string(&path).expect("a file"), text);
        }
        fs::remove_file(&path).expect("it is there");
        fs::create_dir(&path).expect("a folder in its place");
        assert!(write_whole(&path, b"fourth").is_err());
        assert_eq!(
            fs::read_dir(folder.path()).expect("a folder").count(),
            1,
            "the folder in its place alone"
        );
    }
}
