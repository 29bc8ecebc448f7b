//! Whether the machine shows itself: a check that could not look has failed.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::statfs;

use crate::Unseen;
use crate::kernel_owned::magic_of;
use crate::system::{System, names_in, text};

/// The magic numbers of proc and sysfs (linux/magic.h).
const PROC: u64 = 0x9fa0;
const SYSFS: u64 = 0x6265_6572;
/// The inode of the PID namespace that has all processes of the machine (`PROC_PID_INIT_INO` of the kernel).
const ALL_PROCESSES: u64 = 0xefff_fffc;

/// What the machine does not show of itself, apart from single processes and devices.
pub(super) fn unseen(system: &System) -> Vec<Unseen> {
    let mut unseen = Vec::new();
    if shows(system, &system.proc(""), PROC) {
        if system.is_live() && !shows_all_processes(system) {
            unseen.push(Unseen::OtherProcesses);
        }
        if system.is_live() && text(&system.proc("self/mountinfo")).is_none_or(|table| table.is_empty()) {
            unseen.push(Unseen::Mounts);
        }
        // A kernel without swap has no such file.
        let swaps = system.proc("swaps");
        if swaps.exists() && text(&swaps).is_none() {
            unseen.push(Unseen::Swap);
        }
    } else {
        // Without processes there are no mounts and no swap either.
        unseen.push(Unseen::ProcessTable);
    }
    if !shows(system, &system.sys("block"), SYSFS) {
        unseen.push(Unseen::LoopDevices);
    }
    unseen
}

/// Whether something is there, and what it has to be: an empty folder shows nothing either. A machine made of
/// files is on no special file system.
fn shows(system: &System, folder: &Path, magic: u64) -> bool {
    let is_it = || statfs(folder).is_ok_and(|found| magic_of(&found) == magic);
    fs::read_dir(folder).is_ok() && (!system.is_live() || (is_it() && !names_in(folder).is_empty()))
}

/// Whether /proc shows every process of the machine: it hides none (`hidepid=`), and belongs to the first PID
/// namespace.
fn shows_all_processes(system: &System) -> bool {
    let is_first = |process: &str| {
        let namespace = fs::metadata(system.proc(process).join("ns/pid"));
        namespace.is_ok_and(|namespace| namespace.ino() == ALL_PROCESSES)
    };
    // A process sees itself in a /proc of its own namespace or of one above it, and above the first there is
    // none.
    system.proc("1").is_dir() && (is_first("self") || is_first("1"))
}
