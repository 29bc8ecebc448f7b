//! What Linux has to keep a drive for one program among several: I/O schedulers and control groups, and undoing what was
//! changed.
//!
//! A choice is undone when it is dropped. A kill leaves it; its owner is in its name, and [`clear_abandoned`] undoes what
//! belongs to programs that are gone. I/O priorities need nothing of that kind: they go with their thread.

#![forbid(unsafe_code)]

mod group;
mod places;
mod scheduler;

pub use group::{Group, Limit};
pub use places::Places;
pub use scheduler::Scheduler;

/// Undoes what programs left that are gone; what was undone, a few words each.
pub fn clear_abandoned(places: &Places) -> Vec<String> {
    let mut undone = scheduler::clear_abandoned(places);
    undone.extend(group::clear_abandoned(places));
    undone
}
