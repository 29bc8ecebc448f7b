//! What the results of a review give of one of its targets.

use drivelab_view::KeyFigure;

/// What the results give of one target.
#[derive(Clone, Debug, Default)]
pub struct ReviewedDrive {
    /// Its key figures, in the order of the steps.
    pub figures: Vec<KeyFigure>,
    /// What each of its results comes to, in the order of the steps: the kind of result in words, and the answer.
    pub answers: Vec<(String, String)>,
}
