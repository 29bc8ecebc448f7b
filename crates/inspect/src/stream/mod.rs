//! Recordings of streams: what was recorded, what is there, and whether it can be proved.

mod check;
mod findings;
mod record;

pub use check::{CheckFindings, ProvedChannel, view};
pub use findings::{
    ChannelSpan, ExtractFindings, InfoFindings, ListFindings, RecoveryFindings, StreamFindings, StreamFrame,
    StreamFraming, StreamMode, StreamRecording,
};
pub use record::{RecordEnd, RecordFindings, RecordedChannel};
