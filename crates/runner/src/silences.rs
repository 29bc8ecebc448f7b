//! What is printed while a drive answers nothing, and what is kept of it.

use drivelab_block::{QueueId, Silence, SilenceOf};
use drivelab_documents::{Phase, SilenceDocument};

/// The workers whose drive answers nothing now.
#[derive(Debug, Default)]
pub struct SilentWorkers {
    silent: Vec<QueueId>,
}

impl SilentWorkers {
    /// Notes a silence that has lasted for some seconds, or has ended, and prints a line where the first worker's begins or the
    /// last one's ends.
    pub fn note(&mut self, silence: &Silence) {
        let was_silent = !self.silent.is_empty();
        self.silent.retain(|queue| *queue != silence.queue);
        let watched = silence.watched;
        match silence.until {
            None => {
                self.silent.push(silence.queue);
                if !was_silent {
                    say_unanswered(silence);
                }
            }
            Some(_) if was_silent && self.silent.is_empty() => {
                let again = match silence.of {
                    SilenceOf::Drive | SilenceOf::Worker => "the drive answers again",
                    SilenceOf::OneIo => "the I/O was answered",
                };
                say!("drivelab: {again}, after {watched}");
            }
            Some(_) => {}
        }
    }

    /// Whether something is not answered now.
    pub fn are_there(&self) -> bool {
        !self.silent.is_empty()
    }
}

/// Prints that a silence has lasted for some seconds.
fn say_unanswered(silence: &Silence) {
    let (watched, outstanding) = (silence.watched, silence.outstanding);
    match silence.of {
        SilenceOf::Drive => {
            say!("drivelab: the drive has answered no I/O for {watched} ({outstanding} in flight)");
        }
        SilenceOf::Worker => say!(
            "drivelab: the drive has answered no I/O of one thread or more for {watched} ({outstanding} in flight in the first)"
        ),
        SilenceOf::OneIo => {
            say!("drivelab: an I/O has waited {watched} for its answer, while later ones are answered");
        }
    }
}

/// Keeps a silence of a phase as long as it goes on: the run may be killed meanwhile. When it has ended, the records have it.
pub fn keep(phase: &mut Phase, silence: &Silence) {
    phase.silences.retain(|known| known.queue != silence.queue.0);
    if silence.until.is_none() {
        phase.silences.push(SilenceDocument {
            queue: silence.queue.0,
            from_ns: silence.since.as_nanos(),
            watched_ns: silence.watched.get(),
            outstanding: silence.outstanding,
        });
    }
}
