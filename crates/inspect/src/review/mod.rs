//! What is shown of a review: what of it is done, how it ended, and the figures of each drive.

mod answer;
mod view;

pub use answer::{ReviewedDrive, ReviewedLapses};
pub use view::{PartlyUsed, ReviewPage, view};
