//! What is shown of a review: what of it is done, how it ended, and the figures of each drive.

mod answer;
mod reviewed_drive;
mod view;

pub use reviewed_drive::{ReviewedDrive, ReviewedLapses};
pub use view::{PartlyUsed, ReviewPage, view};
