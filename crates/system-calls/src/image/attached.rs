//! Images attached as loop devices, mounted, and taken away again.
//!
//! A kill may leave a device that was attached and not yet asked to go with its last descriptor: that is noted before.

use std::fs;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use drivelab_program::Owner;

use crate::image::losetup::{self, LoopAccess, LoopDevice, mounted_on, mounts, run, text};
use crate::image::{ImageError, ImageName};

/// A loop device that goes with this value, and with the program at the latest.
#[derive(Debug)]
pub struct Attached {
    /// Its node.
    pub node: PathBuf,
    _held: File,
}

impl Attached {
    /// Attaches an image, or a partition of it, for as long as the program wants it.
    ///
    /// # Errors
    /// [`ImageError`].
    pub fn attach(name: &ImageName, access: LoopAccess) -> Result<Attached, ImageError> {
        clear_abandoned();
        let (offset, _) = name.part()?;
        let noted = |source: io::Error| {
            let root = losetup::root_words();
            ImageError::Environment(format!(
                "{NOTES} cannot be written, where it is noted what has to be undone: {source}{root}"
            ))
        };
        let _note = AttachNote::write(&name.file, offset).map_err(noted)?;
        Attached::holding(attach(name, access)?)
    }

    /// A device that was asked to go while it is open goes with its last descriptor (loop(4): autoclear), so nothing has to be
    /// undone after a kill.
    fn holding(node: PathBuf) -> Result<Attached, ImageError> {
        let opened = File::open(&node);
        let detached = losetup::detach(&node);
        let held = opened.map_err(|source| ImageError::io(&node, source))?;
        detached?;
        Ok(Attached { node, _held: held })
    }
}

/// Attaches an image, or a partition of it, until somebody detaches it.
///
/// # Errors
/// [`ImageError`], where it is attached already, for one.
pub fn attach(name: &ImageName, access: LoopAccess) -> Result<PathBuf, ImageError> {
    let (offset, length) = name.part()?;
    let shares = |one: &LoopDevice| {
        one.offset < offset.saturating_add(length) && offset < one.offset.saturating_add(one.length)
    };
    if let Some(LoopDevice { node, .. }) = losetup::devices_of(&name.file)?.into_iter().find(shares) {
        return Err(ImageError::Attached { path: name.file.clone(), node });
    }
    losetup::attach(&name.file, (offset, length), access)
}

/// Attaches each partition of an image as a device of its own, until somebody detaches them. Their numbers and nodes.
///
/// # Errors
/// [`ImageError`]; then none of them is attached.
pub fn attach_partitions(file: &Path, access: LoopAccess) -> Result<Vec<(u32, PathBuf)>, ImageError> {
    let name = |partition| ImageName { file: file.to_owned(), partition };
    let partitions = name(None).partitions()?.filter(|all| !all.is_empty());
    let partitions = partitions.ok_or_else(|| name(None).without_table())?;
    let mut attached: Vec<(u32, PathBuf)> = Vec::new();
    for partition in partitions {
        match attach(&name(Some(partition.number)), access) {
            Ok(node) => attached.push((partition.number, node)),
            Err(error) => {
                for (_, node) in attached {
                    losetup::detach(&node)?;
                }
                return Err(error);
            }
        }
    }
    Ok(attached)
}

/// Attaches an image, or a partition of it, and mounts it on a folder; the device goes with the mount. One that is attached
/// already is mounted as it is, and stays. The device's node.
///
/// # Errors
/// [`ImageError`]; then nothing more is attached than before.
pub fn mount(name: &ImageName, folder: &Path, access: LoopAccess) -> Result<PathBuf, ImageError> {
    let (offset, length) = name.part()?;
    let fits = |one: &LoopDevice| access == LoopAccess::ReadOnly || !one.is_read_only;
    let there =
        losetup::devices_of(&name.file)?.into_iter().find(|one| one.shows(offset, length) && fits(one));
    if let Some(LoopDevice { node, .. }) = there {
        mount_node(&node, folder, access)?;
        return Ok(node);
    }
    let attached = Attached::attach(name, access)?;
    mount_node(&attached.node, folder, access)?;
    Ok(attached.node)
}

fn mount_node(node: &Path, folder: &Path, access: LoopAccess) -> Result<(), ImageError> {
    let only: &[&str] = if access == LoopAccess::ReadOnly { &["--options", "ro"] } else { &[] };
    run("mount", &[only, &[text(node)?, text(folder)?]].concat()).map(drop)
}

/// What became of the devices of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Detached {
    /// Those that were taken away.
    pub gone: Vec<PathBuf>,
    /// Those that a program still has open, and that go with it.
    pub going: Vec<PathBuf>,
}

/// Unmounts and detaches an image, or a partition of it. One that was deleted meanwhile is known by the name that it had.
///
/// # Errors
/// [`ImageError`], where it is not attached, or where somebody works in it.
pub fn detach(name: &ImageName) -> Result<Detached, ImageError> {
    if fs::metadata(&name.file).is_ok_and(|found| !found.is_file()) {
        return Err(ImageError::not_a_file(&name.file));
    }
    let is_gone = !name.file.exists();
    let offset = match name.partition {
        Some(_) if !is_gone => Some(name.part()?.0),
        _ => None,
    };
    let devices = losetup::devices_of(&name.file)?;
    let own = devices.into_iter().filter(|one| offset.is_none_or(|at| one.offset == at));
    let own: Vec<PathBuf> = own.map(|one| one.node).collect();
    if !own.is_empty() {
        let nodes = || Ok(losetup::devices_of(&name.file)?.into_iter().map(|one| one.node).collect());
        return take_away(own, nodes);
    }
    // Where its partitions lay is not known any more.
    let own = if name.partition.is_none() { losetup::nodes_of_deleted(&name.file) } else { Vec::new() };
    if own.is_empty() {
        return Err(ImageError::Usage(format!("{} is not attached", name.file.display())));
    }
    take_away(own, || Ok(losetup::nodes_of_deleted(&name.file)))
}

/// Unmounts and detaches these nodes; `there` are those of the image that are left at a time.
fn take_away(
    own: Vec<PathBuf>,
    there: impl Fn() -> Result<Vec<PathBuf>, ImageError>,
) -> Result<Detached, ImageError> {
    for node in &own {
        if !mounted_on(&mounts(), node).is_empty() {
            run("umount", &["--all-targets", text(node)?])?;
        }
        // One that was attached by `mount` went with its mount.
        if there()?.contains(node) {
            losetup::detach(node)?;
        }
    }
    let left = there()?;
    let (going, gone) = own.into_iter().partition(|node| left.contains(node));
    Ok(Detached { gone, going })
}

/// Where it is noted what has to be undone.
const NOTES: &str = "/run/drivelab";
/// How the names of notes end.
const ENDING: &str = ".image";

/// A note that an image is being attached, taken away with this value.
struct AttachNote(PathBuf);

impl AttachNote {
    /// Notes it, before it is done.
    fn write(file: &Path, offset: u64) -> io::Result<AttachNote> {
        let owner = Owner::this_program().ok_or_else(|| io::Error::other("/proc is not there"))?;
        fs::create_dir_all(NOTES)?;
        let path = Path::new(NOTES).join(format!("{}{ENDING}", owner.instance(0)));
        fs::write(&path, format!("{offset} {}\n", file.canonicalize()?.display()))?;
        Ok(AttachNote(path))
    }
}

impl Drop for AttachNote {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// Detaches what programs that are gone were attaching. An image that somebody has attached is not attached again, so what
/// shows its part without going by itself is theirs.
fn clear_abandoned() {
    for entry in fs::read_dir(NOTES).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = name.strip_suffix(ENDING).and_then(Owner::of_instance);
        if owner.is_none_or(Owner::is_alive) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        if let Some((offset, file)) = text.trim_end().split_once(' ') {
            // Where that fails the note stays for the next start.
            let Ok(devices) = losetup::devices_of(Path::new(file)) else { continue };
            let left = devices.iter().filter(|one| !one.goes_by_itself && one.offset.to_string() == offset);
            if !left.map(|one| losetup::detach(&one.node)).all(|detached| detached.is_ok()) {
                continue;
            }
        }
        let _ = fs::remove_file(entry.path());
    }
}
