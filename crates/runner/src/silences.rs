//! What is printed while a drive answers nothing, and what is kept of it.

use drivelab_block::QueueId;
use drivelab_method::{Silence, Unanswered};
use drivelab_record::{Phase, SilenceDocument, UnansweredDocument};

use crate::output;

/// The most silences that are kept of a phase: each is five seconds long, so that these are some hours of nothing else.
const KEPT_MAX: usize = 1_000;

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

/// Keeps a silence of a phase; what is known of one that goes on is replaced by what is known later.
pub fn keep(phase: &mut Phase, silence: &Silence) {
    let kept = SilenceDocument {
        queue: silence.queue.0,
        from_ns: silence.since.as_nanos(),
        until_ns: silence.until.map(drivelab_block::Instant::as_nanos),
        watched_ns: silence.watched.get(),
        outstanding: silence.outstanding,
    };
    let is_same = |known: &&mut SilenceDocument| known.queue == kept.queue && known.from_ns == kept.from_ns;
    if let Some(known) = phase.silences.iter_mut().rev().find(is_same) {
        *known = kept;
    } else if phase.silences.len() < KEPT_MAX {
        phase.silences.push(kept);
    }
}

/// What was given up, as the manifest keeps it.
pub fn document(unanswered: Unanswered) -> UnansweredDocument {
    UnansweredDocument {
        count: unanswered.count,
        since_ns: unanswered.since.as_nanos(),
        given_up_at_ns: unanswered.given_up_at.as_nanos(),
    }
}
