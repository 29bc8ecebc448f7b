//! Where the recording's own files lie on a recorded drive.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::Failure;
use drivelab_block::{ByteCount, Extent, Sector, SectorCount};
use drivelab_safety::{DeviceNumber, DriveIdentity, System};

use super::devices::RecordedDrive;

const SECTOR: u64 = 512;

/// The files of a trace that lies on a recorded drive.
pub struct OwnFiles {
    folder: PathBuf,
    /// The drive's name.
    pub drive: String,
    /// Where their file system begins on the drive, in bytes.
    begins_at: u64,
}

impl OwnFiles {
    /// Finds the drive of the trace's folder among those that are recorded; `None` where it lies elsewhere.
    ///
    /// # Errors
    /// Where the file system does not say on which drive its files are.
    pub fn find(folder: &Path, recorded: &[RecordedDrive]) -> Result<Option<OwnFiles>, Failure> {
        let metadata =
            fs::metadata(folder).map_err(|error| Failure::io(&folder.display().to_string(), &error))?;
        let number = DeviceNumber::from_raw(metadata.dev());
        let Some(device) = DriveIdentity::read(&System::live(), number) else {
            // btrfs spreads its files, overlays and files in memory have no place on any drive.
            return Err(usage!(
                "--exclude-own-writes: the file system of {} does not say where its files lie: record into a folder \
                 on ext4, xfs or another drive, or leave the option out",
                folder.display()
            ));
        };
        let begins_at = device.start.map_or(0, ByteCount::get);
        // A recorded drive has the name that its folder in /sys has.
        let drive = device.whole_name().replace('/', "!");
        let is_recorded = recorded.iter().any(|recorded| recorded.name == drive);
        Ok(is_recorded.then(|| OwnFiles { folder: folder.to_owned(), drive, begins_at }))
    }

    /// Where they lie now. Files that grow are looked at again and again; those that are gone by now are left out.
    pub fn places(&self) -> Vec<Extent> {
        let mut places = Vec::new();
        for folder in [self.folder.clone(), self.folder.join("segments")] {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                places.extend(extents(&entry.path(), self.begins_at).into_iter().flatten());
            }
        }
        places
    }
}

fn extents(path: &Path, begins_at: u64) -> Option<Vec<Extent>> {
    let extents = fiemap::fiemap(path).ok()?.flatten().filter(|extent| extent.fe_physical > 0);
    Some(extents.map(|extent| on_the_drive(begins_at + extent.fe_physical, extent.fe_length)).collect())
}

fn on_the_drive(at: u64, bytes: u64) -> Extent {
    let length = SectorCount::new(u32::try_from(bytes.div_ceil(SECTOR)).unwrap_or(u32::MAX));
    Extent { start: Sector::new(at / SECTOR), length }
}
