//! Finding a recording again: opening, recovering what no index tells of, listing, extracting, checking.
//!
//! A reader only reads, and takes whatever bytes there are: a recording that goes on, one that was killed, an image
//! that was cut off or damaged. What it gives out is proved: every block by its checksum, its number and its
//! recording, every frame by the unbroken run of the blocks that it lies in.

mod chart;
mod check;
mod frames;
mod image;
mod lost;
mod problem;
mod recover;

pub use chart::{Chart, LogPlace};
pub use check::{Checked, absent, check};
pub use frames::{Frame, FrameReader, Wanted};
pub use image::{Image, TargetImage};
pub use lost::first_lost;
pub use problem::{FrameSpot, Problem};
pub use recover::{Recording, Recovery};
