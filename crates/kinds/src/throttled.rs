//! What of a result was measured while its drive throttled, for its answer. A warning of the run has temperatures and rates.

use drivelab_documents::{ThrottledPhase, ThrottlingEffect};
use drivelab_view::format::percent;

use crate::{ResultKind, StoredResult};

/// The phases in which the drive throttled, by its own counter or by what its rate and temperature say.
fn phases<K: ResultKind>(kept: &StoredResult<K>) -> &[ThrottledPhase] {
    kept.heat().map_or(&[], |heat| &heat.throttled)
}

/// The first measured phase in which it is shown that the drive throttled, and whose rate fell when that began.
pub(crate) fn slowed<K: ResultKind>(kept: &StoredResult<K>) -> Option<&ThrottledPhase> {
    let has_slowed = |one: &&ThrottledPhase| one.is_shown() && one.has_slowed();
    phases(kept).iter().filter(has_slowed).find(|one| kept.run.measured.contains(&one.phase))
}

/// For how long the drive throttled in that phase, as words behind a rate.
pub(crate) fn slowed_in_words<K: ResultKind>(kept: &StoredResult<K>) -> Option<String> {
    let share = percent(slowed(kept)?.share);
    Some(format!("with the drive throttled for {share} of the run"))
}

/// Whether the drive may have been slowed by heat in a phase: its rate is then none to draw conclusions from.
pub(crate) fn may_have_slowed<K: ResultKind>(kept: &StoredResult<K>, phase: &str) -> bool {
    phases(kept).iter().any(|one| one.phase == phase && one.effect() != ThrottlingEffect::DidNotFall)
}
