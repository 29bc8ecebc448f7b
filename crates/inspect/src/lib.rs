//! What is found where no drive is tested: what was ever written to drives, what a trace of block I/O shows, whether a
//! recording of a stream is whole, which mechanism helps programs to share a drive, what the number of an error means.
//!
//! Each kind has findings, which are its document, and a view of them where there is more to show than a line. There is no
//! session, no plan and no run here; what a test of a drive leaves is in the crate of the tests, which may use these findings
//! for what both have in common, such as whether slow I/Os are clustered. The crate is pure: it reads no clock and no file,
//! and prints nothing.

#![forbid(unsafe_code)]

pub mod boot;
pub mod contend;
pub mod decode;
mod document;
pub mod fleet;
pub mod index;
pub mod lifetime;
mod over_runs;
pub mod review;
pub mod slow;
pub mod stream;
pub mod trace;

pub use document::{Inspection, InspectionDocument};
pub use over_runs::MeanOverRuns;
