//! What of a result was measured while its drive throttled, for its answer. A warning of the run has temperatures and rates.

use drivelab_record::{ThrottledPhase, ThrottlingEffect};
use drivelab_view::format::percent;

use crate::{Kept, ResultKind};

/// The phases in which it is shown that the drive throttled.
fn shown<K: ResultKind>(kept: &Kept<K>) -> impl Iterator<Item = &ThrottledPhase> {
    let phases = kept.heat().map_or(&[][..], |heat| &heat.throttled);
    phases.iter().filter(|one| one.is_shown())
}

/// The first measured phase whose rate fell when the drive began to throttle.
pub(crate) fn slowed<K: ResultKind>(kept: &Kept<K>) -> Option<&ThrottledPhase> {
    shown(kept).find(|one| one.has_slowed() && kept.run.measured.contains(&one.phase))
}

/// For how long the drive throttled in that phase, as words behind a rate.
pub(crate) fn slowed_in_words<K: ResultKind>(kept: &Kept<K>) -> Option<String> {
    let share = percent(slowed(kept)?.share);
    Some(format!("with the drive throttled for {share} of the time"))
}

/// Whether the drive throttled in a phase, and it is not shown that its rate stayed what it was.
pub(crate) fn may_have_slowed<K: ResultKind>(kept: &Kept<K>, phase: &str) -> bool {
    shown(kept).any(|one| one.phase == phase && one.effect() != ThrottlingEffect::DidNotFall)
}
