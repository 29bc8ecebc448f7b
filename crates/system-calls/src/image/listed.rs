//! What an image holds, and what is shown of it at the moment.

use std::path::{Path, PathBuf};

use drivelab_block::ByteCount;
use schemars::JsonSchema;
use serde::Serialize;

use crate::image::losetup::{LoopDevice, devices_of, mounted_on, mounts};
use crate::image::{ImageError, ImageName, OtherTable};

/// An image, its partitions, and the devices that show them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its length.
    pub length: ByteCount,
    /// Its partitions in the order of their numbers; none where it has no partition table that is opened.
    pub partitions: Option<Vec<ListedPartition>>,
    /// The kind of its partition table, where that is one that is not opened.
    pub other_table: Option<OtherTable>,
    /// The devices that show something else of it: all of it, for one.
    pub others: Vec<Shown>,
}

/// A partition of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "PartitionDocument")]
pub struct ListedPartition {
    /// Its number, from 1.
    pub number: u32,
    /// Its first byte.
    pub start: u64,
    /// Its length.
    pub bytes: u64,
    /// The devices that show it.
    pub attached: Vec<Shown>,
}

/// A loop device that shows a part of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "ShownDocument")]
pub struct Shown {
    /// Its device file.
    pub device: PathBuf,
    /// The folders that it is mounted on.
    pub mounted_on: Vec<PathBuf>,
}

/// Lists an image.
///
/// # Errors
/// [`ImageError`], where its partition table is damaged, for one.
pub fn list(file: &Path) -> Result<Listed, ImageError> {
    let name = ImageName { file: file.to_owned(), partition: None };
    let (_, length) = name.part()?;
    let partitions = name.partitions()?;
    let is_without = partitions.as_ref().is_none_or(Vec::is_empty);
    let other_table = if is_without { name.other_table()? } else { None };
    let partitions = partitions.filter(|_| other_table.is_none());
    let mut devices = devices_of(file)?;
    let mounts = mounts();
    let shown =
        |device: LoopDevice| Shown { mounted_on: mounted_on(&mounts, &device.node), device: device.node };
    let partitions = partitions.map(|mut partitions| {
        partitions.sort_by_key(|one| one.number);
        let listed = partitions.into_iter().map(|one| {
            let is_own =
                |device: &mut LoopDevice| device.offset == one.start && device.length == one.length.get();
            let own = devices.extract_if(.., is_own).map(shown).collect();
            ListedPartition { number: one.number, start: one.start, bytes: one.length.get(), attached: own }
        });
        listed.collect()
    });
    Ok(Listed {
        length: ByteCount::new(length),
        partitions,
        other_table,
        others: devices.into_iter().map(shown).collect(),
    })
}
