//! Which processes have a drive or a file open, or in their memory.

use std::collections::HashMap;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use rustix::io::Errno;
use rustix::process::Pid;

use super::kcmp::share_descriptors;
use super::mapped::{self, KnownMappings, OpenedFile};
use crate::system::{System, names_in, text};

/// The first process of the system: it may have rights that no other process has, and then shows nothing.
const INIT: u32 = 1;

/// A process that has something open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opener {
    pub process: u32,
    pub command: String,
    pub opened: OpenedFile,
    /// Whether it may write through that descriptor or mapping.
    pub writes: bool,
    /// Whether it is in the memory of the process, and not open.
    pub is_mapped: bool,
    /// Whether this program started the process.
    pub is_child: bool,
}

impl Opener {
    /// udev looks at every drive that was closed after writing, and lets go of it at once.
    pub(crate) fn is_udev_reading(&self) -> bool {
        !self.writes && ["(udev-worker)", "systemd-udevd", "udevd"].contains(&self.command.as_str())
    }
}

/// What all other processes have open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opening {
    pub openers: Vec<Opener>,
    /// How many processes did not let themselves be looked at, without the first.
    pub hidden: usize,
}

/// Every descriptor and mapping of another process that refers to a block device or a regular file.
pub(crate) fn all(system: &System) -> Opening {
    let mut all = Opening::default();
    let mut known = KnownMappings::new();
    let shares = shares_descriptors(system);
    let own_program = fs::read_link(system.proc("self/exe")).ok();
    let own_process = std::process::id();
    for process in system.processes() {
        if process == own_process {
            continue;
        }
        let folder = system.proc(process.to_string());
        if own_program.is_some() && parent_of(&folder) == Some(own_process) {
            // Between fork and exec a program that another thread starts still shows this one's descriptors.
            if fs::read_link(folder.join("exe")).ok() == own_program {
                continue;
            }
        }
        match of_process(system, process, &folder, &mut known, shares) {
            Ok(openers) => all.openers.extend(openers),
            // A process that has ended meanwhile has nothing open.
            Err(error) if is_gone(&error) => {}
            // It is noted with the result: see `init_is_hidden`.
            Err(_) if process == INIT => {}
            Err(_) => all.hidden += 1,
        }
    }
    all
}

/// Whether the first process does not show what it has open.
pub(crate) fn init_is_hidden(system: &System) -> bool {
    let folder = system.proc(INIT.to_string());
    of_process(system, INIT, &folder, &mut KnownMappings::new(), shares_descriptors(system))
        .is_err_and(|error| !is_gone(&error))
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == ErrorKind::NotFound || Errno::from_io_error(error) == Some(Errno::SRCH)
}

fn of_process(
    system: &System,
    process: u32,
    folder: &Path,
    known: &mut KnownMappings,
    shares: SharesDescriptors,
) -> io::Result<Vec<Opener>> {
    let mut openers: Vec<Opener> = Vec::new();
    let mut add = |opened: OpenedFile, writes: bool, is_mapped: bool| {
        let same = |other: &&mut Opener| other.opened == opened && other.is_mapped == is_mapped;
        if let Some(other) = openers.iter_mut().find(same) {
            other.writes |= writes;
            return;
        }
        let command = text(&folder.join("comm")).unwrap_or_default();
        let is_child = parent_of(folder) == Some(std::process::id());
        openers.push(Opener { process, command, opened, writes, is_mapped, is_child });
    };
    for_each_descriptor(folder, shares, &mut |descriptor, information| {
        if let Some(opened) = opened(system, descriptor)? {
            add(opened, may_write(information), false);
        }
        Ok(())
    })?;
    match mapped::list(folder, known) {
        Ok(mapped) => mapped.into_iter().for_each(|(opened, writes)| add(opened, writes, true)),
        Err(error) if is_gone(&error) => {}
        Err(error) => return Err(error),
    }
    Ok(openers)
}

/// Calls with every descriptor, and the file that tells about it. Threads may have descriptors of their own, also under a number
/// that the first one uses for the same file, and the first thread may have ended before the others.
fn for_each_descriptor(
    folder: &Path,
    shares: SharesDescriptors,
    look: &mut impl FnMut(&Path, &Path) -> io::Result<()>,
) -> io::Result<()> {
    let own = folder.join("fd");
    let tasks = folder.join("task");
    let threads = names_in(&tasks);
    // What the first thread has open, and whether it may write there.
    let mut shared: HashMap<(String, PathBuf), bool> = HashMap::new();
    for name in listed(&own)? {
        let (descriptor, information) = (own.join(&name), folder.join("fdinfo").join(&name));
        look(&descriptor, &information)?;
        if threads.len() > 1 {
            let link = fs::read_link(&descriptor).ok();
            shared.extend(link.map(|link| ((name, link), may_write(&information))));
        }
    }
    let is_first = |thread: &String| folder.file_name().is_some_and(|name| name == thread.as_str());
    // Nearly all threads share the table of the first or of the one before: a database has thousands of each, and to look at
    // every descriptor of every thread would take minutes.
    let mut looked_at: Vec<Pid> =
        threads.iter().filter(|thread| is_first(thread)).filter_map(|thread| number(thread)).collect();
    for thread in threads.iter().filter(|thread| !is_first(thread)) {
        if let Some(own) = number(thread) {
            if looked_at.iter().any(|other| shares(*other, own) == Some(true)) {
                continue;
            }
            looked_at.truncate(1);
            looked_at.push(own);
        }
        let task = tasks.join(thread);
        let names = match listed(&task.join("fd")) {
            Err(error) if is_gone(&error) => continue,
            names => names?,
        };
        for name in names {
            let (descriptor, information) = (task.join("fd").join(&name), task.join("fdinfo").join(&name));
            let Ok(link) = fs::read_link(&descriptor) else { continue };
            let first = shared.get(&(name, link));
            // The file that tells about it is read only where it can say something new.
            if !first.is_some_and(|writes| *writes || !may_write(&information)) {
                look(&descriptor, &information)?;
            }
        }
    }
    Ok(())
}

/// Whether two threads share what they have open; none where that is not known.
type SharesDescriptors = fn(Pid, Pid) -> Option<bool>;

/// How threads are compared: by the kernel where the numbers that are shown are those that it takes from this program, which may
/// see the processes of another namespace.
fn shares_descriptors(system: &System) -> SharesDescriptors {
    let own = fs::read_link(system.proc("self")).ok();
    let is_own = own.is_some_and(|own| own.to_str() == Some(&*std::process::id().to_string()));
    if is_own && system.is_live() { share_descriptors } else { |_, _| None }
}

/// The number of a thread by the name of its folder.
fn number(thread: &str) -> Option<Pid> {
    Pid::from_raw(thread.parse().ok()?)
}

fn listed(folder: &Path) -> io::Result<Vec<String>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// What a descriptor refers to; an error where the process does not show it.
fn opened(system: &System, descriptor: &Path) -> io::Result<Option<OpenedFile>> {
    if let Ok(found) = fs::metadata(descriptor) {
        return Ok(OpenedFile::from_metadata(&found));
    }
    // What cannot be looked at may still be told by the name it was opened by.
    match fs::read_link(descriptor) {
        Ok(path) => Ok(system.number_of_node(&path).map(OpenedFile::Device)),
        Err(error) if is_gone(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Whether a descriptor allows writing; where that cannot be told it is taken to.
fn may_write(fdinfo: &Path) -> bool {
    let flags = text(fdinfo).and_then(|text| {
        let line = text.lines().find_map(|line| line.strip_prefix("flags:"))?;
        u32::from_str_radix(line.trim(), 8).ok()
    });
    // The two lowest bits are the access mode: 0 reads only.
    flags.is_none_or(|flags| flags & 0b11 != 0)
}

fn parent_of(folder: &Path) -> Option<u32> {
    // The command name comes second, in brackets, and may hold anything, brackets too.
    let stat = text(&folder.join("stat"))?;
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_has_ended_meanwhile_hides_nothing() {
        for (error, expected) in [(Errno::NOENT, true), (Errno::SRCH, true), (Errno::ACCESS, false)] {
            assert_eq!(is_gone(&error.into()), expected, "{error}");
        }
        let system = System::live();
        let gone = opened(&system, Path::new("/nowhere/fd/3"));
        assert_eq!(gone.expect("nothing is open there any more"), None);
        opened(&system, Path::new("/dev/null/fd/3")).expect_err("what is open there cannot be told");
    }
}
