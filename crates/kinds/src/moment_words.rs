//! A moment of a run in words.

use drivelab_record::PhaseMoment;
use drivelab_view::format::digits;

/// Such as "second 4.00 of the phase random write".
pub(crate) fn moment(at: &PhaseMoment) -> String {
    format!("second {} of the phase {}", digits(at.at_s), at.phase)
}
