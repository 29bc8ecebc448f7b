//! What is found where no drive is tested: what was ever written to drives, what a trace of block I/O shows.
//!
//! Each kind is a folder: findings, which are its document, and a view of them. There is no session, no plan and no run here;
//! what a test of a drive leaves is in the crate of the tests, which may use these findings for what both have in common,
//! such as whether slow I/Os are clustered. The crate is pure: it reads no clock and no file, and prints nothing.

#![forbid(unsafe_code)]

mod document;
pub mod lifetime;
pub mod slow;
pub mod trace;

pub use document::{Inspection, InspectionDocument, schema_of_findings};
