//! A replay that is read back: the trace that it made, whose slow I/Os are judged at the threshold of the page.

use drivelab_analysis::{ReplayAnalysis, Thresholds};
use drivelab_block::PhaseId;
use drivelab_record::{Manifest, PhaseRequest};

/// Analyses the measured phase of a replay; none of other runs, nor of one that measured nothing.
pub fn replay_analysis(manifest: &Manifest, thresholds: Thresholds) -> Option<ReplayAnalysis> {
    if manifest.method != "replay" {
        return None;
    }
    let chosen = manifest.choose_phases(&PhaseRequest::Measured).ok()?;
    let place = (0..chosen.names().len()).find(|place| chosen.takes(*place))?;
    Some(ReplayAnalysis::new(PhaseId(u8::try_from(place).ok()?), thresholds))
}
