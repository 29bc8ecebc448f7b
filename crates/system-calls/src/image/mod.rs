//! Images of drives: which partitions they have, and showing one of them, or all of the image, as a loop device.
//!
//! Loop devices are made and taken away by `losetup`. One that is attached for a measurement goes with the last descriptor of
//! it, so with the program at the latest, be it killed.

mod attached;
mod error;
mod listed;
mod losetup;
mod name;
mod partitions;

pub use attached::{Attached, Detached, attach, attach_partitions, detach, mount};
pub use error::ImageError;
pub use listed::{Listed, ListedPartition, Shown, list};
pub use losetup::LoopAccess;
pub use name::ImageName;
pub use partitions::OtherTable;
