//! What the results of a review give of one of its targets.

use drivelab_view::KeyFigure;

/// What the results give of one target.
#[derive(Clone, Debug, Default)]
pub struct ReviewedDrive {
    /// Its key figures, in the order of the steps.
    pub figures: Vec<KeyFigure>,
    /// The answer of each of its results, in the order of the steps, after the kind of result in words.
    pub answers: Vec<(String, String)>,
}
