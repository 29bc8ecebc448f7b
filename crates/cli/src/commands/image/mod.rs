//! `drivelab image`.

pub(super) mod list;

use std::fmt::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use drivelab_image::{Detached, ImageName, LoopAccess, attach, attach_partitions, detach, mount};
use drivelab_runner::{Ending, Failure, one_line, output};
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{ImageArgs, ImageCommand};

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
        ImageCommand::List(asked) => return list::main(&asked.image, args.json.is_asked()),
        ImageCommand::Attach(asked) if asked.partitions => ImageDocument {
            partitions: attached_partitions(&asked.image, access(asked.read_only))?,
            read_only: asked.read_only,
            ..ImageDocument::from_image(&asked.image)
        },
        ImageCommand::Attach(asked) => {
            let node = attach(&ImageName::parse(&asked.image), access(asked.read_only))?;
            ImageDocument {
                attached: Some(node),
                read_only: asked.read_only,
                ..ImageDocument::from_image(&asked.image)
            }
        }
        ImageCommand::Mount(asked) => {
            if !asked.folder.is_dir() {
                let folder = asked.folder.display();
                return Err(Failure::Usage(format!("{folder} is no folder: make it first, or name another")));
            }
            refuse_mount_point(&asked.folder)?;
            let node = mount(&ImageName::parse(&asked.image), &asked.folder, access(asked.read_only))?;
            ImageDocument {
                attached: Some(node),
                mounted_on: Some(&asked.folder),
                read_only: asked.read_only,
                ..ImageDocument::from_image(&asked.image)
            }
        }
        ImageCommand::Detach(asked) => {
            let Detached { gone, going } = detach(&ImageName::parse(&asked.image))?;
            ImageDocument { detached: gone, going, ..ImageDocument::from_image(&asked.image) }
        }
    };
    if args.json.is_asked() { output::print_json(&document) } else { output::print(&document.text()) }
}

fn attached_partitions(image: &str, access: LoopAccess) -> Result<Vec<AttachedPartition>, Failure> {
    let name = ImageName::parse(image);
    if name.partition.is_some() {
        let text = format!(
            "--partitions attaches all of them: name the image without a number, {}",
            name.file.display()
        );
        return Err(Failure::Usage(text));
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
    Err(Failure::Usage(format!("something is mounted on {folder} already: name another folder")))
}

fn access(read_only: bool) -> LoopAccess {
    if read_only { LoopAccess::ReadOnly } else { LoopAccess::ReadWrite }
}

impl ImageDocument<'_> {
    pub(super) const SCHEMA: &'static str = "drivelab.image/1";

    fn from_image(image: &str) -> ImageDocument<'_> {
        ImageDocument {
            schema: ImageDocument::SCHEMA,
            image,
            attached: None,
            partitions: Vec::new(),
            mounted_on: None,
            read_only: false,
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
