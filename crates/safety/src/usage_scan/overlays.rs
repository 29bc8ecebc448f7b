//! Overlays: one file under several names, each with a device and inode number of its own.
//!
//! An overlay shows the files of its layers. The kernel keeps no link between a file of a layer and the one
//! that the overlay shows for it, so that both can be written, mapped or attached to a loop device without
//! knowing of each other.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::system::{System, unescape};
use crate::uses::mounts::{MountEntry, MountTable};
use crate::{DeviceNumber, FileIdentity};

/// Device and inode.
pub(crate) type FileNumber = (DeviceNumber, u64);

/// More names than any stack of overlays gives a file.
const MOST_NAMES: usize = 256;

/// Every overlay that is mounted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overlays {
    overlays: Vec<Overlay>,
    own: MountTable,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Overlay {
    number: DeviceNumber,
    /// The folder of the overlay that is seen at `point`.
    root: PathBuf,
    /// Where this program can look at it.
    point: PathBuf,
    /// The folders whose files it shows, with all links followed.
    layers: Vec<PathBuf>,
}

/// Everything that a file is known by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FileNames {
    pub numbers: Vec<FileNumber>,
    /// Whether it may have other names: it has more than are looked for, or lies on an overlay and none of the layers that could
    /// be looked at has it.
    pub is_incomplete: bool,
}

impl FileNames {
    pub(crate) fn has(&self, number: FileNumber) -> bool {
        self.numbers.contains(&number)
    }

    /// Whether they are names of this file, where it is one.
    pub(crate) fn are_of(&self, file: Option<&FileIdentity>) -> bool {
        file.is_some_and(|file| self.has(file.number()))
    }

    /// Whether both are names of one file.
    pub(crate) fn shares_with(&self, other: &FileNames) -> bool {
        self.numbers.iter().any(|number| other.has(*number))
    }
}

impl Overlays {
    pub(crate) fn read(system: &System, tables: &[MountTable]) -> Overlays {
        let own = tables.iter().find(|table| table.elsewhere.is_none()).cloned().unwrap_or_default();
        let mut overlays: Vec<Overlay> = Vec::new();
        for table in tables {
            let entries = table.entries.iter().filter(|entry| entry.file_system == "overlay");
            for overlay in entries.map(|entry| Overlay::read(system, entry, table.elsewhere)) {
                if !overlays.contains(&overlay) {
                    overlays.push(overlay);
                }
            }
        }
        Overlays { overlays, own }
    }

    /// Every name of a file: its own, and those that overlays over it and below it give it.
    pub(crate) fn names_of(&self, file: &FileIdentity) -> FileNames {
        let mut found: Vec<(PathBuf, FileNumber)> = vec![(file.path.clone(), (file.device, file.inode))];
        let mut is_incomplete = false;
        let mut next = 0;
        // The list grows while it is walked: overlays lie on overlays.
        while let Some((path, _)) = found.get(next).cloned() {
            next += 1;
            let Some((number, within)) = self.own.place_of(&path) else { continue };
            let below: Vec<PathBuf> = self.below(number, &within);
            let is_on_overlay = self.overlays.iter().any(|overlay| overlay.number == number);
            let mut has_layer = false;
            for (candidate, is_layer) in below
                .into_iter()
                .map(|path| (path, true))
                .chain(self.above(number, &within).map(|path| (path, false)))
            {
                let Some(metadata) = fs::metadata(&candidate).ok().filter(fs::Metadata::is_file) else {
                    continue;
                };
                has_layer |= is_layer;
                if found.iter().any(|(path, _)| *path == candidate) {
                    continue;
                }
                if found.len() < MOST_NAMES {
                    let number = (DeviceNumber::from_raw(metadata.dev()), metadata.ino());
                    found.push((candidate, number));
                } else {
                    is_incomplete = true;
                }
            }
            is_incomplete |= is_on_overlay && !has_layer;
        }
        FileNames { numbers: found.into_iter().map(|(_, number)| number).collect(), is_incomplete }
    }

    /// Where the layers of the overlay with this number have a file of it.
    fn below(&self, number: DeviceNumber, within: &Path) -> Vec<PathBuf> {
        let Ok(relative) = within.strip_prefix("/") else { return Vec::new() };
        let overlays = self.overlays.iter().filter(|overlay| overlay.number == number);
        overlays.flat_map(|overlay| &overlay.layers).map(|layer| layer.join(relative)).collect()
    }

    /// Where overlays show a file that lies there on a file system with this number.
    fn above(&self, number: DeviceNumber, within: &Path) -> impl Iterator<Item = PathBuf> {
        self.overlays.iter().flat_map(move |overlay| {
            overlay.layers.iter().filter_map(move |layer| {
                let (carrier, root) = self.own.place_of(layer)?;
                let relative = within.strip_prefix(root).ok().filter(|_| carrier == number)?;
                let shown = Path::new("/").join(relative);
                Some(overlay.point.join(shown.strip_prefix(&overlay.root).ok()?))
            })
        })
    }
}

impl Overlay {
    fn read(system: &System, entry: &MountEntry, elsewhere: Option<u32>) -> Overlay {
        let named = layers(&entry.options);
        let mut layers: Vec<PathBuf> =
            named.iter().filter_map(|layer| fs::canonicalize(layer).ok()).collect();
        let relative = |path: &Path| path.strip_prefix("/").unwrap_or(path).to_path_buf();
        let point = match elsewhere {
            None => entry.point.clone(),
            Some(process) => {
                let root = system.proc(format!("{process}/root"));
                // It may have been mounted by that process as well, from folders that it alone sees.
                layers.extend(named.iter().map(|layer| root.join(relative(layer))));
                root.join(relative(&entry.point))
            }
        };
        Overlay { number: entry.number, root: entry.root.clone(), point, layers }
    }
}

/// The folders in the options of an overlay: `lowerdir=/a:/b::/data,upperdir=/c`, or
/// `lowerdir+=/a,lowerdir+=/b`. A comma in a name is `\054`, and a colon `\134:`.
fn layers(options: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (key, value) in options.split(',').filter_map(|option| option.split_once('=')) {
        match key {
            "upperdir" | "lowerdir+" | "datadir+" => found.push(unescape(value)),
            "lowerdir" => {
                let escaped = value.replace("\\134:", "\\072");
                let layers = escaped.split(':').filter(|layer| !layer.is_empty());
                found.extend(layers.map(unescape));
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_layers_is_read() {
        let paths =
            |options| layers(options).into_iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
        assert_eq!(
            paths("rw,lowerdir=/a:/my\\040b::/d,upperdir=/c\\054c,workdir=/w"),
            ["/a", "/my b", "/d", "/c,c"]
        );
        assert_eq!(paths("ro,lowerdir+=/a:a,datadir+=/d"), ["/a:a", "/d"]);
        assert_eq!(paths("rw,lowerdir=/a\\134:a:/b"), ["/a:a", "/b"]);
    }

    /// A folder of which these folders are taken for overlays of `lower` and `upper`; their files are written by hand, since the
    /// names alone are looked at.
    fn overlays(folder: &Path, merged: &[String]) -> Overlays {
        for path in ["lower/low", "upper/up", "merged/low", "merged/up", "merged/whiteout", "outside"] {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("room on disk");
            fs::write(path, "x").expect("room on disk");
        }
        let number = |text: &str| DeviceNumber::parse(text).expect("a number");
        let carrier = MountEntry {
            number: number("8:1"),
            root: "/".into(),
            point: folder.to_owned(),
            file_system: "ext4".to_owned(),
            source: "/dev/sda1".to_owned(),
            options: "rw".to_owned(),
        };
        let layers = folder.display();
        let overlays = (40..).zip(merged).map(|(minor, name)| MountEntry {
            number: number(&format!("0:{minor}")),
            point: folder.join(name),
            file_system: "overlay".to_owned(),
            options: format!("rw,lowerdir={layers}/lower,upperdir={layers}/upper,workdir={layers}/work"),
            ..carrier.clone()
        });
        let entries = [carrier.clone()].into_iter().chain(overlays).collect();
        Overlays::read(&System::live(), &[MountTable { elsewhere: None, entries }])
    }

    /// All names of a file of the folder.
    fn names(overlays: &Overlays, path: &Path) -> FileNames {
        let found = fs::metadata(path).expect("a file");
        overlays.names_of(&FileIdentity::from_metadata(&System::live(), path, &found))
    }

    #[test]
    fn a_file_has_the_names_that_an_overlay_gives_it_and_only_one_without_a_layer_is_incomplete() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a folder");
        let overlays = overlays(&root, &["merged".to_owned()]);
        let number = |path: &str| {
            let found = fs::metadata(root.join(path)).expect("a file");
            (DeviceNumber::from_raw(found.dev()), found.ino())
        };
        let names = |path: &str| names(&overlays, &root.join(path));
        for (path, other) in [
            ("upper/up", Some("merged/up")),
            ("merged/up", Some("upper/up")),
            ("lower/low", Some("merged/low")),
            ("merged/low", Some("lower/low")),
            ("outside", None),
            ("merged/whiteout", None),
        ] {
            let found = names(path);
            let expected: Vec<FileNumber> = [Some(path), other].into_iter().flatten().map(number).collect();
            assert_eq!(found.numbers, expected, "{path}");
            assert_eq!(found.is_incomplete, path == "merged/whiteout", "{path}");
        }
        assert!(names("upper/up").shares_with(&names("merged/up")));
        assert!(!names("upper/up").shares_with(&names("merged/low")));
    }

    #[test]
    fn a_file_with_more_names_than_are_looked_for_is_not_said_to_be_unused() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = fs::canonicalize(folder.path()).expect("a folder");
        let merged: Vec<String> = (0..256).map(|number| format!("merged{number}")).collect();
        for name in &merged {
            fs::create_dir(root.join(name)).expect("room on disk");
            fs::write(root.join(name).join("low"), "x").expect("room on disk");
        }
        // The file has one name below all of them, so that the last one finds no place.
        let found = names(&overlays(&root, &merged), &root.join("lower/low"));
        assert_eq!((found.numbers.len(), found.is_incomplete), (256, true));
    }
}
