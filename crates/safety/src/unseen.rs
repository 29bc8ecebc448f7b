//! What a look at the machine did not show: what cannot be looked at may be in use.

use std::path::PathBuf;

use crate::wording::shown;

/// Something that should have been looked at, and could not be. Its words say what is not known, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unseen {
    /// Nothing shows the processes: /proc is not mounted, or something else lies there.
    #[error("no process can be looked at: mount proc at /proc")]
    ProcessTable,
    /// /proc shows some of the processes alone: it hides those of others, or belongs to a PID namespace.
    #[error(
        "/proc does not show the processes of the whole machine: run as root, outside of a container or with its PID \
         namespace shared"
    )]
    OtherProcesses,
    /// So many processes did not show what they have open.
    #[error("{0} processes did not show what they have open: run as root (with CAP_SYS_PTRACE)")]
    OpenFiles(usize),
    /// Nothing shows the loop devices: /sys is not mounted, or something else lies there.
    #[error("no loop device can be looked at: mount sysfs at /sys")]
    LoopDevices,
    /// Nothing shows what is mounted.
    #[error("what is mounted cannot be read from /proc/self/mountinfo")]
    Mounts,
    /// Nothing shows what the system swaps to.
    #[error("what the system swaps to cannot be read from /proc/swaps")]
    Swap,
    /// Which files or drives are behind loop or zram devices with these kernel names; at least one.
    #[error(
        "it is not known which file or drive is behind {}: run as root where they have their nodes in /dev, or detach them \
         (losetup -d)",
        some_of(.0)
    )]
    Backing(Vec<String>),
    /// Some of the names that overlays give this file: it lies on one whose layers this program does not see, or below very many.
    #[error(
        "{} has other names through overlays that cannot all be looked at from here: run outside of the container, or \
         unmount overlays of it",
        shown(.0)
    )]
    Layers(PathBuf),
}

impl Unseen {
    /// Whether a drive may be in use without this: everything but what concerns files alone.
    pub(crate) fn concerns_drives(&self) -> bool {
        !matches!(self, Unseen::Layers(_))
    }
}

/// The first of many names, and how many more there are.
fn some_of(names: &[String]) -> String {
    const SHOWN: usize = 3;
    match names.len().saturating_sub(SHOWN) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..SHOWN].join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_of_files_is_no_reason_against_a_drive() {
        assert!(!Unseen::Layers("/f".into()).concerns_drives());
        for unseen in [
            Unseen::ProcessTable,
            Unseen::OtherProcesses,
            Unseen::OpenFiles(1),
            Unseen::LoopDevices,
            Unseen::Mounts,
            Unseen::Swap,
            Unseen::Backing(vec!["loop0".into()]),
        ] {
            assert!(unseen.concerns_drives(), "{unseen}");
            assert!(!unseen.to_string().is_empty());
        }
    }
    #[test]
    fn very_many_devices_are_one_line() {
        let devices = (0..30).map(|number| format!("loop{number}")).collect();
        let said = Unseen::Backing(devices).to_string();
        assert!(said.contains("behind loop0, loop1, loop2 and 27 more: "), "{said}");
    }
}
