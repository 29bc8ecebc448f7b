//! Energy of a task by a meter's readings: what it took, what of that was above idle, and how well that is known.

mod task;
mod track;

pub use task::{Baseline, Estimate, TaskEnergy, battery_minutes, share_saved};
pub use track::{NoPower, PowerInterval, PowerKind, PowerPoint, PowerTrack, PowerWindow};
