//! A target that was named, and what stands against using it, before it is claimed.

use std::path::Path;

use drivelab_block::{ByteCount, Geometry};
use drivelab_kinds::NeededDiscards;
use drivelab_safety::{System, Target, open_for_reading};

use crate::confirm::confirming;
use crate::{Failure, SafetyOptions, TargetName, check_safety, free_room, geometry_of};

/// A target that was understood, and looked up where it is a real one.
pub struct NamedTarget {
    /// Its name.
    pub name: TargetName,
    /// What it is; none of a simulated drive and of a directory.
    pub(crate) resolved: Option<Target>,
    /// The room in a directory; none of another target.
    pub(crate) room: Option<Geometry>,
}

impl NamedTarget {
    /// Looks a target up.
    ///
    /// # Errors
    /// Where there is nothing of that name, and no file of it can be made.
    pub fn look_up(name: TargetName) -> Result<NamedTarget, Failure> {
        let resolved = match &name {
            TargetName::Simulated(_) => None,
            TargetName::Path(path) => Some(Target::resolve(&System::live(), path)?),
        };
        Ok(NamedTarget { name, resolved, room: None })
    }

    /// Looks a directory up, in which files are made.
    pub fn look_up_directory(path: &Path) -> Result<NamedTarget, Failure> {
        let name = TargetName::Path(path.to_path_buf());
        Ok(NamedTarget { name, resolved: None, room: Some(room_in(path)?) })
    }

    /// Whether it is a regular file, or would be one.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.resolved, Some(Target::File(_)))
    }

    /// Its geometry, as far as that is known before it is claimed: a file that is not there has the size that is given.
    pub fn geometry(&self, file_size: Option<ByteCount>) -> Option<Geometry> {
        match (&self.name, &self.resolved) {
            (TargetName::Simulated(profile), _) => Some(profile.geometry()),
            (TargetName::Path(_), Some(target)) => geometry_of(target, file_size),
            (TargetName::Path(_), None) => self.room,
        }
    }

    /// What `--serial` confirms it with, where it is a drive.
    pub fn confirmation(&self) -> Option<String> {
        Some(confirming(self.resolved.as_ref()?)?.shortest())
    }

    /// Says why it cannot be read from, where it cannot.
    pub fn check_reading(&self) -> Result<(), Failure> {
        let Some(target) = &self.resolved else { return Ok(()) };
        open_for_reading(&System::live(), target)?;
        Ok(())
    }

    /// Says what stands against writing to it, without claiming it. The results of the command go to `output`.
    pub fn check_writing(&self, safety: &SafetyOptions, output: Option<&Path>) -> Result<(), Failure> {
        self.resolved.as_ref().map_or(Ok(()), |target| check_safety(target, safety, output))
    }

    /// Refuses discards where it takes none.
    pub fn check_discards(&self, needed: NeededDiscards) -> Result<(), Failure> {
        let why = match &self.name {
            TargetName::Simulated(profile) => {
                (!profile.takes_discards()).then_some("this simulated drive has no TRIM")
            }
            TargetName::Path(_) => self.resolved.as_ref().and_then(Target::no_discards),
        };
        let Some(why) = why else { return Ok(()) };
        let NeededDiscards { asked, instead } = needed;
        Err(environment!("{asked}, and the target takes no discards ({why}): {instead}"))
    }
}

/// The room in a directory, as a target that can be written.
pub fn room_in(directory: &Path) -> Result<Geometry, Failure> {
    let room = free_room(directory)?;
    if room.get() == 0 {
        let named = directory.display();
        return Err(environment!("{named} has no room for files: name a directory on a drive, with room"));
    }
    Ok(Geometry { capacity: room, logical_block: 512, physical_block: 4096 })
}
