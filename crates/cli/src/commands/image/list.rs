//! `drivelab image list`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use drivelab_image::{Listed, ListedPartition, Shown, list};
use drivelab_runner::{Ending, Failure, one_line, output};
use schemars::JsonSchema;
use serde::Serialize;

/// The partitions of an image.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::commands) struct ImageListDocument<'a> {
    /// The name and version of the document.
    schema: &'static str,
    /// The image, as the user named it.
    image: &'a Path,
    /// Its length.
    bytes: u64,
    /// Its partitions; null where it has no partition table, or one of a kind that is not opened.
    partitions: Option<Vec<PartitionDocument>>,
    /// The kind of a partition table that is not opened, such as BSD; null where it has none of those.
    other_table: Option<String>,
    /// The devices that show something else of it, such as all of it.
    others: Vec<ShownDocument>,
}

/// A partition of an image.
#[derive(Debug, Serialize, JsonSchema)]
struct PartitionDocument {
    /// Its number, from 1.
    number: u32,
    /// Its first byte.
    start: u64,
    /// Its length.
    bytes: u64,
    /// The devices that show it.
    attached: Vec<ShownDocument>,
}

/// A loop device that shows a part of an image.
#[derive(Debug, Serialize, JsonSchema)]
struct ShownDocument {
    /// Its device file.
    device: PathBuf,
    /// The folders that it is mounted on.
    mounted_on: Vec<PathBuf>,
}

/// Lists an image.
pub fn main(image: &Path, json: bool) -> Result<Ending, Failure> {
    let listed = list(image)?;
    if json {
        output::print_json(&ImageListDocument::from_listed(image, listed))
    } else {
        output::print(&text(image, &listed))
    }
}

impl<'a> ImageListDocument<'a> {
    pub(in crate::commands) const SCHEMA: &'static str = "drivelab.image-list/1";

    fn from_listed(image: &'a Path, listed: Listed) -> ImageListDocument<'a> {
        let partition = |one: ListedPartition| PartitionDocument {
            number: one.number,
            start: one.start,
            bytes: one.length.get(),
            attached: of_shown(one.shown),
        };
        ImageListDocument {
            schema: ImageListDocument::SCHEMA,
            image,
            bytes: listed.length.get(),
            partitions: listed.partitions.map(|all| all.into_iter().map(partition).collect()),
            other_table: listed.other_table.map(|table| table.to_string()),
            others: of_shown(listed.others),
        }
    }
}

fn of_shown(shown: Vec<Shown>) -> Vec<ShownDocument> {
    shown.into_iter().map(|one| ShownDocument { device: one.node, mounted_on: one.mounted_on }).collect()
}

fn text(image: &Path, listed: &Listed) -> String {
    let partitions = match &listed.partitions {
        None => match listed.other_table {
            Some(table) => format!("a partition table of a kind that is not opened ({table})"),
            None => "no partition table".to_owned(),
        },
        Some(all) if all.len() == 1 => "1 partition".to_owned(),
        Some(all) => format!("{} partitions", all.len()),
    };
    let name = one_line(&image.display().to_string());
    let mut text = format!("{name}: {}, {partitions}\n", listed.length);
    for one in listed.partitions.iter().flatten() {
        let ListedPartition { number, start, length, .. } = one;
        let at = format!("from byte {start}");
        let _ = writeln!(text, "  {number:>3}  {at:<26} {:<10} {}", length.to_string(), as_what(&one.shown));
    }
    if !listed.others.is_empty() {
        let _ = writeln!(text, "  another part, or all of it: {}", as_what(&listed.others));
    }
    text
}

fn as_what(shown: &[Shown]) -> String {
    if shown.is_empty() {
        return "not attached".to_owned();
    }
    let one = |one: &Shown| {
        let folder = |folder: &PathBuf| one_line(&folder.display().to_string());
        let folders: Vec<String> = one.mounted_on.iter().map(folder).collect();
        let mounted =
            if folders.is_empty() { String::new() } else { format!(", mounted on {}", folders.join(", ")) };
        format!("{}{mounted}", one.node.display())
    };
    shown.iter().map(one).collect::<Vec<_>>().join("; ")
}
