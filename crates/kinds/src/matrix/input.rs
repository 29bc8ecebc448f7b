//! What a matrix is asked besides its settings.

use super::findings::LeftOutCell;

/// What a matrix is asked besides its settings.
#[derive(Clone, Debug, Default)]
pub struct MatrixInput {
    /// The image or the simulated drive that it is on; none of a drive, which the run itself names.
    pub begun_on: Option<String>,
    /// What was asked for and left out.
    pub left_out: Vec<LeftOutCell>,
    /// What speaks against the drive being the one that a run was begun on that goes on; none where nothing does.
    pub doubt: Option<String>,
    /// How a run that is cut off goes on, as a command; none of one that is not kept.
    pub goes_on_by: Option<String>,
}
