//! What the documents and summaries of replays hold of the traces that they make.

mod bunching_document;
mod document;
mod terminal;

pub(crate) use drivelab_inspect::slow::words as bunching;

pub use bunching_document::BunchingDocument;
pub(crate) use document::MadeFigures;
pub(crate) use terminal::{bunches, latencies};
