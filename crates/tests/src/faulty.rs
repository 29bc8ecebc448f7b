//! Whether a drive did not do what was asked.

use drivelab_record::Manifest;

/// Whether I/Os failed, or blocks are not as they were written: figures of such a drive are compared with no other's.
pub fn is_faulty(run: &Manifest) -> bool {
    let Some(outcome) = &run.outcome else { return false };
    let lapses = outcome.lapses.as_ref();
    outcome.failed > 0
        || lapses.is_some_and(|lapses| {
            lapses.unanswered.is_some() || !lapses.failed.is_empty() || lapses.not_as_written.is_some()
        })
}
