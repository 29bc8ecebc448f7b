//! The commands, by what they are about.

mod boots;
mod devices;
mod drives;
mod found;
mod simulated;
mod streams;
mod texts;
mod traces;

use crate::golden_record::scene::{Detail, Scene};

/// Commands whose output is kept in a file of this name.
pub struct Case {
    /// The name of the file, without its ending.
    pub name: &'static str,
    /// How much of it is kept.
    pub detail: Detail,
    /// Whether this machine can run the commands. If not, it says so.
    pub can_run: fn() -> bool,
    /// Runs the commands.
    pub tell: fn(&mut Scene),
}

/// Commands on simulated drives and on files that the scene writes: the same bytes on every machine.
const fn exact(name: &'static str, tell: fn(&mut Scene)) -> Case {
    Case { name, detail: Detail::Exact, can_run: || true, tell }
}

/// Commands on what this machine has, such as files.
const fn shaped(name: &'static str, can_run: fn() -> bool, tell: fn(&mut Scene)) -> Case {
    Case { name, detail: Detail::Shape, can_run, tell }
}

/// The same of tests whose sentences depend on how fast the machine is.
const fn headed(name: &'static str, can_run: fn() -> bool, tell: fn(&mut Scene)) -> Case {
    Case { name, detail: Detail::Headings, can_run, tell }
}

pub use boots::CASES as BOOTS;
pub use devices::CASES as DEVICES;
pub use drives::CASES as DRIVES;
pub use found::CASES as FOUND;
pub use simulated::{FIRST as FIRST_TESTS, SECOND as SECOND_TESTS};
pub use streams::CASES as STREAMS;
pub use texts::{CASES as TEXTS, commands};
pub use traces::CASES as TRACES;

/// Every case.
pub fn all() -> impl Iterator<Item = &'static Case> {
    [BOOTS, DEVICES, DRIVES, FOUND, FIRST_TESTS, SECOND_TESTS, STREAMS, TEXTS, TRACES].into_iter().flatten()
}
