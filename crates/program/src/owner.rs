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
        Some(Owner { process, started: life_of(process)?.started })
    }

    /// The name of the thing with this number.
    pub fn instance(self, number: u32) -> String {
        format!("{PREFIX}{}-{number}", self.mark())
    }

    /// Who made the thing with this name; `None` where it is not drivelab's.
    pub fn of_instance(name: &str) -> Option<Owner> {
        Owner::of_mark(name.strip_prefix(PREFIX)?)
    }

    /// What names this process in the name of a thing.
    pub fn mark(self) -> String {
        format!("{}-{}", self.process, self.started)
    }

    /// The process that a mark names, which other things may follow.
    pub fn of_mark(mark: &str) -> Option<Owner> {
        let mut parts = mark.split('-');
        Some(Owner { process: parts.next()?.parse().ok()?, started: parts.next()?.parse().ok()? })
    }

    /// Whether the process still runs. One that has ended, and that its parent has not waited for yet, does
    /// not: that may take as long as the parent lives.
    pub fn is_alive(self) -> bool {
        life_of(self.process).is_some_and(|life| life.started == self.started && !life.is_over)
    }
}

struct Life {
    /// When it started, in the kernel's ticks since boot.
    started: u64,
    /// Whether it has ended, with all its threads.
    is_over: bool,
}

/// What `stat` of a process says (proc(5): fields 3 and 22). The name before them is in brackets and may hold
/// anything.
fn life_of(process: u32) -> Option<Life> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, behind_the_name) = stat.rsplit_once(')')?;
    let mut fields = behind_the_name.split_whitespace();
    // Z: ended, and not waited for; X: about to be gone. A first thread that has ended may have left others
    // at work.
    let has_ended = matches!(fields.next()?, "Z" | "X");
    let threads = || fs::read_dir(format!("/proc/{process}/task")).map_or(0, Iterator::count);
    Some(Life { started: fields.nth(18)?.parse().ok()?, is_over: has_ended && threads() <= 1 })
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

    #[test]
    fn a_process_that_its_parent_has_not_waited_for_is_not_alive() {
        let mut child = std::process::Command::new("sleep").arg("600").spawn().expect("sleep");
        let life = life_of(child.id()).expect("/proc");
        let owner = Owner { process: child.id(), started: life.started };
        assert!(owner.is_alive());
        child.kill().expect("its end");
        // The kernel is done with it once it is a zombie.
        while !life_of(child.id()).expect("it is a zombie").is_over {
            std::thread::yield_now();
        }
        assert!(!owner.is_alive());
        child.wait().expect("its status");
    }
}
