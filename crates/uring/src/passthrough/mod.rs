//! NVMe passthrough: the drive's own commands on a ring, past the block layer.
//!
//! A command goes through the character device of a namespace (`/dev/ng0n1`), which nobody can claim: it is used only beside a
//! claim on the namespace's block device, and never beyond its end. The ring holds both, so that the claim outlives the last
//! command, also where the program is killed.
//!
//! Source: `include/uapi/linux/nvme_ioctl.h`; NVM Command Set Specification, 3.2.

mod command;
mod described;
mod engine;
mod namespace;

pub use described::NoPassthrough;
pub use engine::{FIRST_FAILURE, PassthroughEngine};
pub use namespace::{Namespace, namespace_id, nvme_drive};
