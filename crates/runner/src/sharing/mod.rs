//! What Linux has to keep a drive for one program among several: I/O schedulers and control groups, and undoing what was
//! changed.
//!
//! A choice is undone when it is dropped. A kill leaves it; its owner is in its name, and [`clear_abandoned`]
//! undoes what belongs to programs that are gone ([`abandoned`] only names it). I/O priorities need nothing
//! of that kind: they go with their thread.

mod controller;
mod group;
mod places;
mod scheduler;

pub use group::{Group, Limit};
pub use places::Places;
pub use scheduler::Scheduler;

use drivelab_program::Owner;

/// Undoes what programs left that are gone; what was undone, a few words each.
pub fn clear_abandoned(places: &Places) -> Vec<String> {
    undo(places, |owner| !owner.is_alive())
}

/// What programs left that are gone, a few words each; nothing is changed.
pub fn abandoned(places: &Places) -> Vec<String> {
    let is_due = |owner: Owner| !owner.is_alive();
    let mut left = scheduler::left(places, &is_due);
    left.extend(group::left(places, &is_due));
    left
}

/// Undoes what this program still holds, before it ends without dropping anything; what was undone, a few words each.
pub fn undo_own(places: &Places) -> Vec<String> {
    let own = Owner::this_program();
    undo(places, |owner| own == Some(owner))
}

fn undo(places: &Places, is_due: impl Fn(Owner) -> bool) -> Vec<String> {
    let mut undone = scheduler::undo(places, &is_due);
    undone.extend(group::undo(places, &is_due));
    undone
}
