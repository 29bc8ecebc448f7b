//! Tests in cells: measurements one after the other whose I/Os are counted and timed, and not recorded.

use drivelab_record::Notice;

use crate::Test;

/// A test in cells: it has thousands of measurements, or does its I/Os through other paths than the engine.
pub trait CellTest: Test {
    /// What is asked of the drive at once.
    type Cell;

    /// What it came to.
    type Measured;

    /// Carries the plan out, and has what was found kept whenever something new is. What was found before something broke stays
    /// in `findings`.
    ///
    /// # Errors
    /// Those of the drive.
    fn run<D: CellDrive<Self>>(
        plan: &Self::Plan,
        drive: &mut D,
        findings: &mut Self::Findings,
    ) -> Result<(), D::Error>;
}

/// A drive on which the cells of a test are measured, real or simulated.
pub trait CellDrive<T: CellTest> {
    /// Why a test cannot go on.
    type Error;

    /// Checks again that the target is the one that was cleared for writing.
    ///
    /// # Errors
    /// Where it is not, or where that cannot be found out.
    fn check_target(&mut self) -> Result<(), Self::Error>;

    /// Measures a cell; none where the user ended it before it was whole.
    ///
    /// # Errors
    /// Where it cannot be measured.
    fn measure(&mut self, cell: &T::Cell) -> Result<Option<T::Measured>, Self::Error>;

    /// Whether the user, or the drive's temperature, wants the test to end.
    fn is_interrupted(&self) -> bool;

    /// Notes something that the reader of the result has to know; the same again is noted once.
    fn notice(&mut self, notice: Notice);

    /// Tells the user something at once, whatever is printed of the result.
    fn say(&mut self, text: &str);

    /// Keeps what was found so far, where the result is kept: a kill costs only what is found after this.
    ///
    /// # Errors
    /// Where it cannot be kept.
    fn keep(&mut self, findings: &T::Findings) -> Result<(), Self::Error>;
}
