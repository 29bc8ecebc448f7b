//! Whether a drive did not do what was asked.

use crate::{Kept, ResultKind};

/// Whether I/Os failed, or blocks are not as they were written: figures of such a drive are compared with no other's.
pub(crate) fn is_faulty<K: ResultKind>(kept: &Kept<K>) -> bool {
    if K::not_as_written_later(&kept.findings).is_some() {
        return true;
    }
    let Some(outcome) = &kept.run.outcome else { return false };
    let lapses = outcome.lapses.as_ref();
    outcome.failed > 0
        || lapses.is_some_and(|lapses| {
            lapses.unanswered.is_some() || !lapses.failed.is_empty() || lapses.not_as_written.is_some()
        })
}
