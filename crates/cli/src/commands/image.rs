//! `drivelab image`: images of drives as devices and folders.

use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_block::ByteCount;
use drivelab_runner::{Ending, Failure, one_line, output, usage};
use drivelab_system_calls::image::{
    Detached, ImageName, Listed, ListedPartition, LoopAccess, Shown, attach, attach_partitions, detach, list,
    mount,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{ImageArgs, ImageCommand, ImageNameArgs};

/// What was done with an image of a drive.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ImageDocument<'a> {
    /// The name and version of the document.
    schema: &'static str,
    /// The image, as the user named it.
    image: &'a str,
    /// The loop device that shows it from now on; null where it was detached, or attached by partitions.
    attached: Option<PathBuf>,
    /// The partitions that were attached, each as a device of its own.
    partitions: Vec<AttachedPartition>,
    /// Where that is mounted; null where it is not.
    mounted_on: Option<&'a Path>,
    /// Whether it is shown read-only.
    read_only: bool,
    /// The loop devices that show it no more.
    detached: Vec<PathBuf>,
    /// Those that a program still has open, and that go with it.
    going: Vec<PathBuf>,
}

/// A partition that is attached.
#[derive(Debug, Serialize, JsonSchema)]
struct AttachedPartition {
    /// Its number, from 1.
    number: u32,
    /// The loop device that shows it.
    attached: PathBuf,
}

/// Lists, attaches, mounts or detaches an image, and says what was done.
pub fn main(args: &ImageArgs) -> Result<Ending, Failure> {
    let document = match &args.command {
        ImageCommand::List { image } => return print_list(image, args.json.is_asked),
        ImageCommand::Attach { name: ImageNameArgs { image }, partitions, read_only } => {
            let mut document = ImageDocument::from_image(image, *read_only);
            if *partitions {
                document.partitions = attached_partitions(image, access(*read_only))?;
            } else {
                document.attached = Some(attach(&ImageName::parse(image), access(*read_only))?);
            }
            document
        }
        ImageCommand::Mount { name: ImageNameArgs { image }, folder, read_only } => {
            if !folder.is_dir() {
                return Err(usage!("{} is no folder: make it first, or name another", folder.display()));
            }
            refuse_mount_point(folder)?;
            ImageDocument {
                attached: Some(mount(&ImageName::parse(image), folder, access(*read_only))?),
                mounted_on: Some(folder),
                ..ImageDocument::from_image(image, *read_only)
            }
        }
        ImageCommand::Detach(asked) => {
            let Detached { gone, going } = detach(&ImageName::parse(&asked.image))?;
            ImageDocument { detached: gone, going, ..ImageDocument::from_image(&asked.image, false) }
        }
    };
    if args.json.is_asked { output::print_json(&document) } else { output::print(&document.text()) }
}

fn attached_partitions(image: &str, access: LoopAccess) -> Result<Vec<AttachedPartition>, Failure> {
    let name = ImageName::parse(image);
    if name.partition.is_some() {
        return Err(usage!(
            "--partitions attaches all of them: name the image without a number, {}",
            name.file.display()
        ));
    }
    let attached = attach_partitions(&name.file, access)?.into_iter();
    Ok(attached.map(|(number, attached)| AttachedPartition { number, attached }).collect())
}

/// Refuses a folder that is a mount point: another mount would hide what is there, and be taken away before it.
fn refuse_mount_point(folder: &Path) -> Result<(), Failure> {
    let device = |path: &Path| std::fs::metadata(path).ok().map(|found| found.dev());
    if device(folder) == device(&folder.join("..")) {
        return Ok(());
    }
    let folder = folder.display();
    Err(usage!("something is mounted on {folder} already: name another folder"))
}

fn access(read_only: bool) -> LoopAccess {
    if read_only { LoopAccess::ReadOnly } else { LoopAccess::ReadWrite }
}

impl ImageDocument<'_> {
    pub(super) const SCHEMA: &'static str = "drivelab.image/1";

    fn from_image(image: &str, read_only: bool) -> ImageDocument<'_> {
        ImageDocument {
            schema: ImageDocument::SCHEMA,
            image,
            attached: None,
            partitions: Vec::new(),
            mounted_on: None,
            read_only,
            detached: Vec::new(),
            going: Vec::new(),
        }
    }

    fn text(&self) -> String {
        let image = one_line(self.image);
        let mut text = String::new();
        if let Some(node) = &self.attached {
            let only = if self.read_only { ", read-only" } else { "" };
            let folder = self.mounted_on.map(|folder| one_line(&folder.display().to_string()));
            let mounted = folder.map_or_else(String::new, |folder| format!(", mounted on {folder}"));
            let _ = writeln!(text, "{image}: attached as {}{mounted}{only}", node.display());
        }
        for AttachedPartition { number, attached } in &self.partitions {
            let only = if self.read_only { ", read-only" } else { "" };
            let _ = writeln!(text, "{image}: partition {number} attached as {}{only}", attached.display());
        }
        for (what, nodes) in [
            ("detached from", &self.detached),
            ("to be detached by the end of who has it open:", &self.going),
        ] {
            if !nodes.is_empty() {
                let _ = writeln!(text, "{image}: {what} {}", named(nodes));
            }
        }
        text
    }
}

fn named(nodes: &[PathBuf]) -> String {
    nodes.iter().map(|node| node.display().to_string()).collect::<Vec<_>>().join(", ")
}

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
    partitions: Option<Vec<ListedPartition>>,
    /// The kind of a partition table that is not opened, such as BSD; null where it has none of those.
    other_table: Option<String>,
    /// The devices that show something else of it, such as all of it.
    others: Vec<Shown>,
}

fn print_list(image: &Path, json: bool) -> Result<Ending, Failure> {
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
        ImageListDocument {
            schema: ImageListDocument::SCHEMA,
            image,
            bytes: listed.length.get(),
            partitions: listed.partitions,
            other_table: listed.other_table.map(|table| table.to_string()),
            others: listed.others,
        }
    }
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
        let ListedPartition { number, start, bytes, attached } = one;
        let at = format!("from byte {start}");
        let _ = writeln!(
            text,
            "  {number:>3}  {at:<26} {:<10} {}",
            ByteCount::new(*bytes).to_string(),
            as_what(attached)
        );
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
        format!("{}{mounted}", one.device.display())
    };
    shown.iter().map(one).collect::<Vec<_>>().join("; ")
}
