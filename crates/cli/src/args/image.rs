//! Arguments of `image`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `image`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  drivelab image mount disk.img:2 /mnt
  drivelab image detach disk.img")]
pub struct ImageArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: ImageCommand,
}

/// What to do with an image.
#[derive(Clone, Debug, Subcommand)]
pub enum ImageCommand {
    /// Show an image, or a partition of it, as a loop device
    Attach(ImageNameArgs),
    /// Attach it and mount the file system that it holds
    Mount(ImageMountArgs),
    /// Unmount and detach it; without a partition, all that is attached of it
    Detach(ImageNameArgs),
}

/// An image.
#[derive(Clone, Debug, Args)]
pub struct ImageNameArgs {
    /// A file that holds a drive's contents, and the number of a partition
    #[arg(value_name = "FILE[:PARTITION]")]
    pub image: String,
}

/// An image and a folder.
#[derive(Clone, Debug, Args)]
pub struct ImageMountArgs {
    /// A file that holds a drive's contents, and the number of a partition
    #[arg(value_name = "FILE[:PARTITION]")]
    pub image: String,
    /// Where to mount it
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}
