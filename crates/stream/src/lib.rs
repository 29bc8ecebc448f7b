//! Streams of frames on a raw drive: recording them, and finding them again.
//!
//! A [`source`] delivers frames straight into the memory of a channel's [`ring`]; the [`writer`] writes that memory in
//! place, several blocks at a time, in the [`layout`] that a [`reader`] finds again after anything; [`kept`] decides
//! what may be reported. This crate has no unsafe code, knows no method and no record of I/Os, and prints nothing.

#![forbid(unsafe_code)]

pub mod kept;
pub mod layout;
pub mod plan;
pub mod reader;
pub mod ring;
pub mod source;
pub mod writer;

mod error;
mod now;
mod program_watch;
mod record;
mod watched;

pub use error::StreamError;
pub use now::{ChannelNow, RecordingNow};
pub use plan::RecordingStart;
pub use program_watch::ProgramWatch;
pub use record::{ChannelOutcome, RecordingOutcome, record};
pub use watched::{End, Observer};
pub use writer::EndedWrite;
