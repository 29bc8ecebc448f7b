//! Files and drives written by plain system calls (`write`, `fsync`), as most programs do: what the ring is compared with.
//!
//! A drive is written through the descriptor of its [`WriteGrant`](drivelab_safety::WriteGrant) alone, which is switched
//! between direct and buffered I/O; a folder gets files of its own, which are taken away again; a file system is made on a
//! drive only while its claim is given up for it, for files one after the other or for threads that work at the same time.
//! Besides, there are images of drives ([`image`]), and the kernel's own events of block devices ([`tracer`]). This crate reads
//! no clock: it is given one.

#![forbid(unsafe_code)]

mod folder;
pub mod image;
mod in_place;
mod scratch;
mod threads;
pub mod tracer;
mod writer;

pub use folder::Folder;
pub use in_place::InPlace;
pub use scratch::{Scratch, ScratchError, least_size, maker_of};
pub use threads::{Crew, Done, STEP, Task};
pub use writer::{CellWriter, FilePlace, Job, PlainError, Spent};
