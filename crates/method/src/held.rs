//! Completions that are not analysed yet, as it is not known whether the program stood still while they were in flight.

use drivelab_block::{Completion, Instant};
use drivelab_stats::Standstill;

/// Tells when the program did not run. Asked by the recorder's thread alone: the workers pay nothing for it.
pub trait StandstillWatch {
    /// Up to when all standstills are known, on the clock of the completions. It never goes back; [`Instant::NEVER`] where
    /// nothing more will be known.
    fn known_until(&self) -> Instant;

    /// The standstills that were found since the last call. None of them leaves out an I/O that was complete at the moment
    /// that [`StandstillWatch::known_until`] gave before.
    fn take(&mut self) -> Vec<Standstill>;

    /// Waits until all is known up to a moment that has passed.
    fn wait_for(&mut self, moment: Instant);
}

/// The most that are held, 58 MB: the watch tells a hundred times a second what it knows, and has died where more wait.
const HELD_MAX: usize = 1 << 20;

/// Completions in the order in which they came. They are released in that order, so that live figures are those that the
/// records give later.
pub struct Held {
    watch: Box<dyn StandstillWatch>,
    completions: Vec<Completion>,
    known_until: Instant,
    /// When the last of them was complete.
    last: Instant,
}

impl Held {
    pub fn new(watch: Box<dyn StandstillWatch>) -> Held {
        Held { watch, completions: Vec::new(), known_until: Instant::ORIGIN, last: Instant::ORIGIN }
    }

    pub fn hold(&mut self, completions: &[Completion]) {
        self.completions.extend_from_slice(completions);
        self.last = completions.iter().map(|one| one.completed_at).fold(self.last, Instant::max);
    }

    /// Waits until all is known that concerns what is held.
    pub fn wait(&mut self) {
        if !self.completions.is_empty() {
            self.watch.wait_for(self.last);
        }
    }

    /// Looks what is known by now, and gives the standstills that are new.
    pub fn look(&mut self) -> Vec<Standstill> {
        let known_until = self.watch.known_until();
        if known_until == self.known_until {
            return Vec::new();
        }
        self.known_until = known_until;
        self.watch.take()
    }

    /// Hands over those of which all is known.
    pub fn release(&mut self, take: impl FnOnce(&[Completion])) {
        let is_open = |completion: &Completion| completion.completed_at > self.known_until;
        let known = match self.completions.first() {
            None => return,
            Some(_) if self.completions.len() > HELD_MAX => self.completions.len(),
            Some(first) if is_open(first) => return,
            Some(_) => self.completions.iter().position(is_open).unwrap_or(self.completions.len()),
        };
        take(&self.completions[..known]);
        self.completions.drain(..known);
    }
}
