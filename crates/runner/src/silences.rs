//! What is printed while a drive answers nothing, and what is kept of it.

use drivelab_block::QueueId;
use drivelab_method::Silence;
use drivelab_record::{Phase, SilenceDocument};

use crate::output;

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
                    output::say(format_args!(
                        "drivelab: the drive has answered no I/O for {watched} ({} in flight)",
                        silence.outstanding
                    ));
                }
            }
            Some(_) if was_silent && self.silent.is_empty() => {
                output::say(format_args!("drivelab: the drive answers again, after {watched}"));
            }
            Some(_) => {}
        }
    }

    /// Whether a drive answers nothing now.
    pub fn are_there(&self) -> bool {
        !self.silent.is_empty()
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
