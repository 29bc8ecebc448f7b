//! `NVMe` passthrough: the drive's own commands on a ring, past the block layer.
//!
//! A command goes through the character device of a namespace (`/dev/ng0n1`), which nobody can claim: it is used only beside a
//! claim on the namespace's block device, as long as that lives, and never beyond its end.
//!
//! Source: `include/uapi/linux/nvme_ioctl.h`; NVM Command Set Specification, 3.2.

mod command;
mod engine;
mod namespace;

pub use engine::PassthroughEngine;
pub use namespace::{Namespace, NoPassthrough};
