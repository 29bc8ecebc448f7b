//! Uses, as a refusal words them: what is so, and what to do about it.

use std::fmt;
use std::path::Path;

use super::Use;
use crate::wording::{quoted, shown};

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Use::Mounted { device, at, file_system, essential, process } => {
                mounted(f, device, at, file_system, *essential, *process)
            }
            Use::FileSystemMember { device, uuid } => write!(
                f,
                "{device} is one of the drives of the mounted btrfs {uuid}: unmount it, or remove the \
                drive from it (btrfs device remove)"
            ),
            Use::HoldsOutput { device, folder } => write!(
                f,
                "{device} carries the run's own output folder {}: choose a folder on another drive \
                (--output)",
                shown(folder)
            ),
            Use::Swap { path } => {
                write!(f, "{} is used as swap: switch it off (swapoff {})", shown(path), quoted(path))
            }
            Use::Hibernation { device, told_by } => write!(
                f,
                "the system hibernates to {device} ({told_by}): choose another drive, or take that setting \
                away and restart"
            ),
            Use::Held { device, by, holder } => {
                write!(f, "{device} is part of {}: {}", shown(holder.noun(by)), shown(holder.remedy(by)))
            }
            Use::StandIn { by } => {
                let remedy = if by.starts_with("loop") {
                    format!("drivelab image detach, or umount and losetup -d /dev/{by}")
                } else {
                    format!("reset {by}")
                };
                write!(f, "/dev/{by} reads and writes it: detach that first ({remedy})")
            }
            Use::Behind { device, used } => write!(f, "what lies behind {device} is in use: {used}"),
            Use::Exported { by } => write!(f, "{} serves it to other machines: stop that first", shown(by)),
            Use::Open { device, process, command, writes } => {
                let what = device.as_deref().unwrap_or("the file");
                let how = if *writes { "writing" } else { "reading" };
                let command = shown(command);
                write!(
                    f,
                    "{what} is open for {how} in process {process} ({command}): close it there, or end the \
                    process"
                )
            }
            Use::Mapped { device, process, command } => {
                let what = device.as_deref().unwrap_or("the file");
                let command = shown(command);
                write!(
                    f,
                    "{what} is mapped into the memory of process {process} ({command}): end the process"
                )
            }
        }
    }
}

fn mounted(
    f: &mut fmt::Formatter<'_>,
    device: &str,
    at: &Path,
    file_system: &str,
    essential: bool,
    process: Option<u32>,
) -> fmt::Result {
    write!(f, "{device} is mounted at {} ({})", shown(at), shown(file_system))?;
    if let Some(process) = process {
        write!(f, " for process {process}")?;
    }
    match (essential, process) {
        (true, _) => write!(f, " and carries the running system: choose another drive"),
        (false, None) => write!(f, ": unmount it (umount {})", quoted(at)),
        (false, Some(process)) => {
            write!(f, ": unmount it there (nsenter -t {process} -m umount {})", quoted(at))
        }
    }
}
