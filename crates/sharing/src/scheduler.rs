//! The I/O scheduler of a drive, chosen for a while.

use std::fs;
use std::io::{self, ErrorKind};

use drivelab_program::Owner;

use crate::Places;

/// A scheduler that was chosen; the one before comes back when this is dropped.
#[derive(Debug)]
pub struct Scheduler {
    places: Places,
    drive: String,
    before: String,
    note: std::path::PathBuf,
}

impl Scheduler {
    /// The schedulers that a drive can have, the chosen one first; `None` where it has no choice.
    pub fn offered(places: &Places, drive: &str) -> Option<Vec<String>> {
        let text = fs::read_to_string(places.scheduler(drive)).ok()?;
        let mut names: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        names.sort_by_key(|name| !name.starts_with('['));
        Some(names.iter().map(|name| name.trim_matches(['[', ']']).to_owned()).collect())
    }

    /// Chooses a scheduler for the drive with this kernel name.
    ///
    /// # Errors
    /// Where the drive has no such scheduler, or it cannot be noted what has to be undone.
    pub fn choose(places: &Places, drive: &str, name: &str) -> io::Result<Scheduler> {
        let offered = Scheduler::offered(places, drive).unwrap_or_default();
        let before = offered.first().cloned().ok_or_else(|| {
            io::Error::new(ErrorKind::Unsupported, format!("{drive} has no choice of I/O schedulers"))
        })?;
        if !offered.iter().any(|known| known == name) {
            let text = format!("{drive} has no I/O scheduler {name}: it has {}", offered.join(", "));
            return Err(io::Error::new(ErrorKind::Unsupported, text));
        }
        let owner = Owner::this_program().ok_or_else(|| io::Error::other("/proc is not there"))?;
        fs::create_dir_all(places.notes())?;
        let note = places.notes().join(format!("{}.scheduler", owner.instance(0)));
        // Noted before it is changed: a kill between the two undoes what was never done, which does no harm.
        fs::write(&note, format!("{drive} {before}\n"))?;
        if let Err(error) = fs::write(places.scheduler(drive), name) {
            let _ = fs::remove_file(&note);
            return Err(error);
        }
        Ok(Scheduler { places: places.clone(), drive: drive.to_owned(), before, note })
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        if fs::write(self.places.scheduler(&self.drive), &self.before).is_ok() {
            let _ = fs::remove_file(&self.note);
        }
    }
}

/// Puts back what programs chose that are due.
pub(crate) fn undo(places: &Places, is_due: &impl Fn(Owner) -> bool) -> Vec<String> {
    let Ok(entries) = fs::read_dir(places.notes()) else { return Vec::new() };
    let mut undone = Vec::new();
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let Some(instance) = name.strip_suffix(".scheduler") else { continue };
        if !Owner::of_instance(instance).is_some_and(is_due) {
            continue;
        }
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        if let Some((drive, before)) = text.trim().split_once(' ')
            && places.scheduler(drive).exists()
        {
            match fs::write(places.scheduler(drive), before) {
                Ok(()) => undone.push(format!("the I/O scheduler of {drive} is {before} again")),
                // The note stays for the next start.
                Err(error) => {
                    undone.push(format!("the I/O scheduler of {drive} is not {before} as it was: {error}"));
                    continue;
                }
            }
        }
        let _ = fs::remove_file(entry.path());
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clear_abandoned, undo_own};

    fn machine() -> (tempfile::TempDir, Places) {
        let root = tempfile::tempdir().expect("a folder");
        let places = Places::at(root.path());
        fs::create_dir_all(root.path().join("sys/block/sda/queue")).expect("a drive");
        fs::write(places.scheduler("sda"), "none [mq-deadline] bfq\n").expect("a scheduler");
        (root, places)
    }

    #[test]
    fn a_choice_is_undone() {
        let (_root, places) = machine();
        assert_eq!(Scheduler::offered(&places, "sda").expect("a choice")[0], "mq-deadline");
        let chosen = Scheduler::choose(&places, "sda", "bfq").expect("it has bfq");
        assert_eq!(fs::read_to_string(places.scheduler("sda")).expect("a file"), "bfq");
        drop(chosen);
        assert_eq!(fs::read_to_string(places.scheduler("sda")).expect("a file"), "mq-deadline");
        assert_eq!(fs::read_dir(places.notes()).expect("a folder").count(), 0);
        assert!(Scheduler::choose(&places, "sda", "kyber").is_err());
        assert!(Scheduler::choose(&places, "sdb", "bfq").is_err());
    }

    #[test]
    fn what_a_kill_left_is_undone_by_the_next_start() {
        let (_root, places) = machine();
        std::mem::forget(Scheduler::choose(&places, "sda", "bfq").expect("it has bfq"));
        assert_eq!(clear_abandoned(&places), Vec::<String>::new(), "its owner still runs");
        assert_eq!(undo_own(&places).len(), 1, "and may put it back");
        assert_eq!(fs::read_to_string(places.scheduler("sda")).expect("a file"), "mq-deadline");
        fs::write(places.scheduler("sda"), "none [mq-deadline] bfq\n").expect("a scheduler");
        std::mem::forget(Scheduler::choose(&places, "sda", "bfq").expect("it has bfq"));
        let own = fs::read_dir(places.notes()).expect("notes").flatten().next().expect("a note").path();
        fs::rename(own, places.notes().join("drivelab-1-99999999999-0.scheduler")).expect("renamed");
        assert_eq!(clear_abandoned(&places).len(), 1);
        assert_eq!(fs::read_to_string(places.scheduler("sda")).expect("a file"), "mq-deadline");
        assert_eq!(fs::read_dir(places.notes()).expect("a folder").count(), 0);
    }
}
