//! Recordings of streams: what was recorded, what is there, and whether it can be proved.

mod check;
mod findings;

pub use check::view;
pub use findings::{
    ChannelSpan, CheckFindings, ExtractFindings, InfoFindings, ListFindings, ProvedChannel, RecordEnd,
    RecordFindings, RecordReadBack, RecordedChannel, RecoveryFindings, StreamFindings, StreamFrame,
    StreamRecording,
};
