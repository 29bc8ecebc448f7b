//! The commands, by what they are about.

mod boots;
mod devices;
mod drives;
mod found;
mod simulated;
mod streams;
mod texts;
mod traces;

use std::ops::Range;

use crate::golden_record::scene::{Detail, Scene};
use crate::tested_kinds::TESTED;

/// Commands whose output is kept in a file of this name.
pub struct Case {
    /// The name of the file, without its ending.
    pub name: &'static str,
    /// How much of it is kept.
    pub detail: Detail,
    /// Whether this machine can run the commands. If not, it says so.
    pub can_run: fn() -> bool,
    /// Runs the commands.
    pub tell: Tell,
}

/// The tests of the kinds with these numbers among the tested kinds, one case each: all that a test prints and writes.
pub fn of_kinds(kinds: Range<usize>) -> impl Iterator<Item = Case> {
    TESTED[kinds].iter().flat_map(|kind| kind.kept).map(|test| Case {
        name: test.name,
        detail: Detail::Exact,
        can_run: || true,
        tell: Tell::Test(test.command),
    })
}

/// What is run.
pub enum Tell {
    /// One test, all forms of whose result are kept.
    Test(&'static str),
    /// These steps.
    Steps(fn(&mut Scene)),
}

/// Commands on simulated drives and on files that the scene writes: the same bytes on every machine.
const fn exact(name: &'static str, tell: fn(&mut Scene)) -> Case {
    Case { name, detail: Detail::Exact, can_run: || true, tell: Tell::Steps(tell) }
}

/// Commands on what this machine has, such as files.
const fn shaped(name: &'static str, can_run: fn() -> bool, tell: fn(&mut Scene)) -> Case {
    Case { name, detail: Detail::Shape, can_run, tell: Tell::Steps(tell) }
}

/// The same of tests whose sentences depend on how fast the machine is.
const fn headed(name: &'static str, can_run: fn() -> bool, tell: fn(&mut Scene)) -> Case {
    Case { name, detail: Detail::Headings, can_run, tell: Tell::Steps(tell) }
}

pub use boots::CASES as BOOTS;
pub use devices::CASES as DEVICES;
pub use drives::CASES as DRIVES;
pub use found::CASES as FOUND;
pub use simulated::CASES as SIMULATED;
pub use streams::CASES as STREAMS;
pub use texts::{CASES as TEXTS, commands};
pub use traces::CASES as TRACES;

/// The names of all cases.
pub fn names() -> Vec<&'static str> {
    let lists = [BOOTS, DEVICES, DRIVES, FOUND, SIMULATED, STREAMS, TEXTS, TRACES];
    let kinds = of_kinds(0..TESTED.len()).map(|case| case.name);
    lists.into_iter().flatten().map(|case| case.name).chain(kinds).collect()
}
