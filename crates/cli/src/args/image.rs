//! Arguments of `image`.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};

use super::JsonArg;

/// Arguments of `image`.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("json", |arg| arg.global(true)))]
#[command(after_help = "\
Examples:
  drivelab image list disk.img
  drivelab image attach --partitions disk.img
  drivelab image mount --read-only disk.img:2 /mnt
  drivelab image detach disk.img")]
pub struct ImageArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ImageCommand,
    /// Whether a document is printed.
    #[command(flatten)]
    pub json: JsonArg,
}

/// What to do with an image.
#[derive(Clone, Debug, Subcommand)]
pub enum ImageCommand {
    /// Show which partitions an image has, and as what they are attached and mounted
    List(ImageListArgs),
    /// Show an image, or a partition of it, as a loop device
    Attach(ImageAttachArgs),
    /// Attach it and mount the file system that it holds
    Mount(ImageMountArgs),
    /// Unmount and detach it; without a partition, all that is attached of it
    Detach(ImageNameArgs),
}

/// An image.
#[derive(Clone, Debug, Args)]
pub struct ImageNameArgs {
    /// A file that holds a drive's contents, and the number of a partition
    #[arg(value_name = "FILE[:PARTITION]", value_parser = NonEmptyStringValueParser::new())]
    pub image: String,
}

/// An image that is to be listed.
#[derive(Clone, Debug, Args)]
pub struct ImageListArgs {
    /// A file that holds a drive's contents
    #[arg(value_name = "FILE")]
    pub image: PathBuf,
}

/// An image that is to be shown.
#[derive(Clone, Debug, Args)]
pub struct ImageAttachArgs {
    /// A file that holds a drive's contents, and the number of a partition
    #[arg(value_name = "FILE[:PARTITION]", value_parser = NonEmptyStringValueParser::new())]
    pub image: String,
    /// Attach each partition as a loop device of its own
    #[arg(long)]
    pub partitions: bool,
    /// Let nothing be written to it
    #[arg(long)]
    pub read_only: bool,
}

/// An image and a folder.
#[derive(Clone, Debug, Args)]
pub struct ImageMountArgs {
    /// A file that holds a drive's contents, and the number of a partition
    #[arg(value_name = "FILE[:PARTITION]", value_parser = NonEmptyStringValueParser::new())]
    pub image: String,
    /// Where to mount it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Let nothing be written to it
    #[arg(long)]
    pub read_only: bool,
}
