//! The I/O scheduler of a drive, chosen for a while.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;

use drivelab_program::Owner;

use crate::sharing::Places;

/// A scheduler that was chosen; the one before comes back when this is dropped.
#[derive(Debug)]
pub struct Scheduler {
    places: Places,
    drive: String,
    name: String,
    before: String,
    note: PathBuf,
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
    /// Where the drive has no such scheduler, another program has chosen one, or it cannot be noted what has to be undone.
    pub fn choose(places: &Places, drive: &str, name: &str) -> io::Result<Scheduler> {
        let offered = Scheduler::offered(places, drive).unwrap_or_default();
        let current = offered.first().cloned().ok_or_else(|| {
            io::Error::new(ErrorKind::Unsupported, format!("{drive} has no choice of I/O schedulers"))
        })?;
        if !offered.iter().any(|known| known == name) {
            let text = format!("{drive} has no I/O scheduler {name}: it has {}", offered.join(", "));
            return Err(io::Error::new(ErrorKind::Unsupported, text));
        }
        let owner = Owner::this_program().ok_or_else(|| io::Error::other("/proc is not there"))?;
        // One that could not be put back is still noted, and is what has to come back in the end.
        let noted = notes(places).into_iter().find(|note| note.drive == drive);
        let before = match noted {
            Some(note) if note.owner != owner && note.owner.is_alive() => {
                let text = format!("another run has chosen the I/O scheduler of {drive}: wait for its end");
                return Err(io::Error::new(ErrorKind::ResourceBusy, text));
            }
            Some(note) => note.before,
            None => current,
        };
        fs::create_dir_all(places.notes())?;
        let note = places.notes().join(format!("{}.scheduler", owner.instance(0)));
        // Noted before it is changed: a kill between the two undoes what was never done, which does no harm.
        fs::write(&note, format!("{drive} {before}\n"))?;
        if let Err(error) = fs::write(places.scheduler(drive), name) {
            let _ = fs::remove_file(&note);
            return Err(error);
        }
        let (places, drive, name) = (places.clone(), drive.to_owned(), name.to_owned());
        Ok(Scheduler { places, drive, name, before, note })
    }

    /// Puts the scheduler back that was there before.
    ///
    /// # Errors
    /// In words, where this one was no longer chosen (a rule of udev's may choose another whenever somebody closes the
    /// drive), or cannot be put back.
    pub fn end(self) -> Result<(), String> {
        let Scheduler { drive, name, before, .. } = &self;
        let now = Scheduler::offered(&self.places, drive).and_then(|names| names.into_iter().next());
        let kept = now.as_ref() == Some(name);
        self.put_back()
            .map_err(|error| format!("the I/O scheduler of {drive} is not {before} as it was: {error}"))?;
        let now = now.unwrap_or_else(|| "not known".to_owned());
        kept.then_some(()).ok_or_else(|| {
            format!("another program chose the I/O scheduler of {drive} meanwhile: it was {now} at the end, not {name}")
        })
    }

    fn put_back(&self) -> io::Result<()> {
        fs::write(self.places.scheduler(&self.drive), &self.before)?;
        let _ = fs::remove_file(&self.note);
        Ok(())
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        // After an end it is there already; a note that stays is for the next start.
        let _ = self.put_back();
    }
}

/// What is noted of a choice.
struct SchedulerChoice {
    path: PathBuf,
    owner: Owner,
    drive: String,
    before: String,
}

/// Every choice that is noted.
fn notes(places: &Places) -> Vec<SchedulerChoice> {
    let Ok(entries) = fs::read_dir(places.notes()) else { return Vec::new() };
    let choice = |entry: fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        let owner = Owner::of_instance(name.strip_suffix(".scheduler")?)?;
        let text = fs::read_to_string(entry.path()).unwrap_or_default();
        let (drive, before) = text.trim().split_once(' ').unwrap_or_default();
        Some(SchedulerChoice {
            path: entry.path(),
            owner,
            drive: drive.to_owned(),
            before: before.to_owned(),
        })
    };
    entries.flatten().filter_map(choice).collect()
}

/// The schedulers that programs chose that are due, in words.
pub(crate) fn left(places: &Places, is_due: &impl Fn(Owner) -> bool) -> Vec<String> {
    let due = notes(places).into_iter().filter(|note| is_due(note.owner) && !note.drive.is_empty());
    due.map(|SchedulerChoice { drive, before, .. }| {
        format!("the I/O scheduler of {drive}, which was {before}")
    })
    .collect()
}

/// Puts back what programs chose that are due.
pub(crate) fn undo(places: &Places, is_due: &impl Fn(Owner) -> bool) -> Vec<String> {
    let mut undone = Vec::new();
    for SchedulerChoice { path, drive, before, .. } in
        notes(places).into_iter().filter(|note| is_due(note.owner))
    {
        if !drive.is_empty() && places.scheduler(&drive).exists() {
            match fs::write(places.scheduler(&drive), &before) {
                Ok(()) => undone.push(format!("the I/O scheduler of {drive} is {before} again")),
                // The note stays for the next start.
                Err(error) => {
                    undone.push(format!("the I/O scheduler of {drive} is not {before} as it was: {error}"));
                    continue;
                }
            }
        }
        let _ = fs::remove_file(path);
    }
    undone
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sharing::{abandoned, clear_abandoned, undo_own};

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
    fn a_choice_that_another_program_changed_is_told_and_undone() {
        let (_root, places) = machine();
        let chosen = Scheduler::choose(&places, "sda", "bfq").expect("it has bfq");
        fs::write(places.scheduler("sda"), "[none] mq-deadline bfq\n").expect("a scheduler");
        assert!(chosen.end().expect_err("it is none").contains("it was none"));
        assert_eq!(fs::read_to_string(places.scheduler("sda")).expect("a file"), "mq-deadline");
        fs::write(places.scheduler("sda"), "none mq-deadline [bfq]\n").expect("a scheduler");
        let chosen = Scheduler::choose(&places, "sda", "none").expect("it has none");
        fs::write(places.scheduler("sda"), "[none] mq-deadline bfq\n").expect("a scheduler");
        chosen.end().expect("still none");
        assert_eq!(fs::read_to_string(places.scheduler("sda")).expect("a file"), "bfq");
    }

    #[test]
    fn what_is_noted_of_a_drive_comes_back_whatever_was_chosen_since() {
        let (_root, places) = machine();
        std::mem::forget(Scheduler::choose(&places, "sda", "bfq").expect("it has bfq"));
        fs::write(places.scheduler("sda"), "none mq-deadline [bfq]\n").expect("a scheduler");
        drop(Scheduler::choose(&places, "sda", "none").expect("it has none"));
        assert_eq!(fs::read_to_string(places.scheduler("sda")).expect("a file"), "mq-deadline");
        // A process that lives as long as the machine has chosen another.
        let init = fs::read_to_string("/proc/1/stat").expect("/proc");
        let started =
            init.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(19)).expect("a time");
        fs::write(places.notes().join(format!("drivelab-1-{started}-0.scheduler")), "sda none\n")
            .expect("a note");
        fs::write(places.scheduler("sda"), "none [mq-deadline] bfq\n").expect("a scheduler");
        let refused = Scheduler::choose(&places, "sda", "bfq").expect_err("another run has it");
        assert_eq!(refused.kind(), ErrorKind::ResourceBusy);
    }

    #[test]
    fn what_a_kill_left_is_undone_by_the_next_start() {
        let (_root, places) = machine();
        std::mem::forget(Scheduler::choose(&places, "sda", "bfq").expect("it has bfq"));
        assert_eq!(clear_abandoned(&places), Vec::<String>::new(), "its owner still runs");
        assert_eq!(abandoned(&places), Vec::<String>::new());
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
