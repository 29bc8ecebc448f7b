//! Whose a thing of the kernel's is (an instance of tracefs, a control group): its name says, so that what a kill left can
//! be told from what is in use.

use std::fs;

/// How the names of drivelab's things begin.
const PREFIX: &str = "drivelab-";

/// The process that made something. A process number alone would come back after a while; with the time of
/// the process's start it does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    process: u32,
    started: u64,
}

impl Owner {
    /// This program; `None` where `/proc` is not there.
    pub fn this_program() -> Option<Owner> {
        let process = std::process::id();
        Some(Owner { process, started: start_of(process)? })
    }

    /// The name of the thing with this number.
    pub fn instance(self, number: u32) -> String {
        format!("{PREFIX}{}-{}-{number}", self.process, self.started)
    }

    /// Who made the thing with this name; `None` where it is not drivelab's.
    pub fn of_instance(name: &str) -> Option<Owner> {
        let mut parts = name.strip_prefix(PREFIX)?.split('-');
        Some(Owner { process: parts.next()?.parse().ok()?, started: parts.next()?.parse().ok()? })
    }

    /// Whether the process still runs.
    pub fn is_alive(self) -> bool {
        start_of(self.process) == Some(self.started)
    }
}

/// When a process started, in the kernel's ticks since boot (proc(5): field 22 of `stat`). The name before it
/// is in brackets and may hold anything.
fn start_of(process: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, behind_the_name) = stat.rsplit_once(')')?;
    behind_the_name.split_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_who_made_it() {
        let owner = Owner::this_program().expect("/proc");
        assert_eq!(Owner::of_instance(&owner.instance(3)), Some(owner));
        assert!(owner.is_alive());
        assert!(!Owner { started: owner.started + 1, ..owner }.is_alive(), "the number was given to another");
        assert_eq!(Owner::of_instance("drivelab-x-1-0"), None);
        assert_eq!(Owner::of_instance("trace-cmd"), None);
    }
}
