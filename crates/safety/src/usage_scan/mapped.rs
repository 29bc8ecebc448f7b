//! What a process may have open or mapped, and what it has mapped: a file stays in its memory after its descriptor was closed.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io::{self, BufRead as _, BufReader, ErrorKind};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::Path;

use crate::DeviceNumber;

/// What a descriptor or a mapping refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenedFile {
    Device(DeviceNumber),
    /// Device and inode of a regular file.
    File(DeviceNumber, u64),
}

impl OpenedFile {
    /// What was looked at; `None` for a socket and the like.
    pub(super) fn from_metadata(found: &Metadata) -> Option<OpenedFile> {
        let kind = found.file_type();
        if kind.is_block_device() {
            return Some(OpenedFile::Device(DeviceNumber::from_raw(found.rdev())));
        }
        kind.is_file().then(|| OpenedFile::File(DeviceNumber::from_raw(found.dev()), found.ino()))
    }
}

/// What the mapped files of this machine are, by the numbers that the kernel's list of mappings has for them.
pub(super) type KnownMappings = HashMap<(DeviceNumber, u64), Option<OpenedFile>>;

/// Everything that a process has mapped, each once, and whether it may write there.
pub(super) fn list(folder: &Path, known: &mut KnownMappings) -> io::Result<Vec<(OpenedFile, bool)>> {
    let mut mapped: Vec<(OpenedFile, bool)> = Vec::new();
    // A process with a hundred thousand mappings has a list without end: it is read line by line.
    let list = BufReader::new(File::open(folder.join("maps"))?);
    let mut seen: HashMap<(DeviceNumber, u64), Option<OpenedFile>> = HashMap::new();
    for line in list.split(b'\n') {
        let Some(mapping) = MapsLine::parse(&line?) else { continue };
        let number = (mapping.device, mapping.inode);
        let opened = match seen.get(&number) {
            Some(opened) => *opened,
            None => *seen.entry(number).or_insert(mapping.opened(folder, known)?),
        };
        let Some(opened) = opened else { continue };
        match mapped.iter_mut().find(|(other, _)| *other == opened) {
            Some((_, writes)) => *writes |= mapping.writes,
            None => mapped.push((opened, mapping.writes)),
        }
    }
    Ok(mapped)
}

/// A line of a process's `maps`.
struct MapsLine {
    start: u64,
    end: u64,
    /// Whether what is written there gets to the file.
    writes: bool,
    device: DeviceNumber,
    inode: u64,
}

impl MapsLine {
    /// `7f2a8c000000-7f2a8c021000 rw-s 00000000 fe:00 247026   /srv/file`; `None` for one without a file.
    fn parse(line: &[u8]) -> Option<MapsLine> {
        let line = String::from_utf8_lossy(line);
        let mut fields = line.split_ascii_whitespace();
        let (start, end) = fields.next()?.split_once('-')?;
        let hex = |text: &str| u64::from_str_radix(text, 16).ok();
        let rights = fields.next()?.as_bytes();
        let (major, minor) = fields.nth(1)?.split_once(':')?;
        let device =
            DeviceNumber { major: hex(major)?.try_into().ok()?, minor: hex(minor)?.try_into().ok()? };
        let inode = fields.next()?.parse().ok().filter(|inode| *inode != 0)?;
        let writes = rights.get(1) == Some(&b'w') && rights.get(3) == Some(&b's');
        Some(MapsLine { start: hex(start)?, end: hex(end)?, writes, device, inode })
    }

    /// What is mapped here. The list has the number of the file system, which is not the one that `stat`
    /// gives for a file of an overlay or of a btrfs subvolume: there the mapping itself is looked at.
    fn opened(&self, folder: &Path, known: &mut KnownMappings) -> io::Result<Option<OpenedFile>> {
        let number = (self.device, self.inode);
        let as_listed = Some(OpenedFile::File(self.device, self.inode));
        // A number on a real device means one file; several subvolumes may have the same numbers.
        let is_certain = self.device.major != 0;
        if let Some(opened) = known.get(&number).filter(|_| is_certain) {
            return Ok(*opened);
        }
        let link = folder.join("map_files").join(format!("{:x}-{:x}", self.start, self.end));
        let opened = match fs::metadata(&link) {
            Ok(found) => OpenedFile::from_metadata(&found),
            Err(error) if is_certain || error.kind() == ErrorKind::NotFound => return Ok(as_listed),
            Err(error) => return Err(error),
        };
        known.insert(number, opened);
        Ok(opened)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_shared_mapping_writes_and_only_a_file_counts() {
        let parse = |line: &str| MapsLine::parse(line.as_bytes());
        let shared = parse("00400000-0040b000 rw-s 00002000 fe:10 247026 /srv/my file").expect("a mapping");
        assert_eq!((shared.start, shared.end, shared.inode), (0x40_0000, 0x40_b000, 247_026));
        assert_eq!(shared.device, DeviceNumber { major: 254, minor: 16 });
        assert!(shared.writes);
        for rights in ["rw-p", "r--s"] {
            let line = format!("1000-2000 {rights} 00000000 fe:00 5 /lib");
            assert!(!parse(&line).expect("a mapping").writes, "{rights}");
        }
        assert!(parse("7ffd0000-7ffe0000 rw-p 00000000 00:00 0 [stack]").is_none());
        assert!(parse("").is_none());
    }

    /// What a process is found to have mapped whose list has these lines.
    fn mapped(folder: &Path, lines: &str) -> io::Result<Vec<(OpenedFile, bool)>> {
        fs::write(folder.join("maps"), lines).expect("a list");
        list(folder, &mut KnownMappings::new())
    }

    #[test]
    fn a_file_that_is_mapped_piece_by_piece_counts_once_and_as_written_where_any_piece_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let device = DeviceNumber { major: 254, minor: 0 };
        let lines = "1000-2000 r--p 0 fe:00 5 /a\n2000-3000 rw-s 0 fe:00 5 /a\n3000-4000 r--p 0 fe:00 6 /b\n";
        let found = mapped(folder.path(), lines).expect("a list");
        assert_eq!(found, [(OpenedFile::File(device, 5), true), (OpenedFile::File(device, 6), false)]);
    }

    #[test]
    fn a_number_that_means_several_files_is_looked_up_and_the_process_is_hidden_where_that_fails() {
        let folder = tempfile::tempdir().expect("a folder");
        let listed = |major| OpenedFile::File(DeviceNumber { major, minor: 42 }, 5);
        let (on_a_drive, on_a_subvolume) = ("1000-2000 r--p 0 fe:2a 5 /a\n", "1000-2000 r--p 0 00:2a 5 /a\n");
        let links = folder.path().join("map_files");
        // The mapping has gone meanwhile.
        assert_eq!(mapped(folder.path(), on_a_subvolume).expect("a list"), [(listed(0), false)]);
        fs::write(&links, "").expect("a file, below which nothing can be looked at");
        assert_eq!(mapped(folder.path(), on_a_drive).expect("a list"), [(listed(254), false)]);
        mapped(folder.path(), on_a_subvolume).expect_err("which file it is cannot be told");
        fs::remove_file(&links).and_then(|()| fs::create_dir(&links)).expect("a folder");
        std::os::unix::fs::symlink(folder.path().join("maps"), links.join("1000-2000")).expect("a link");
        let found = mapped(folder.path(), on_a_subvolume).expect("a list");
        let real = OpenedFile::from_metadata(&fs::metadata(folder.path().join("maps")).expect("the file"));
        assert_eq!(found, [(real.expect("a file"), false)]);
    }
}
