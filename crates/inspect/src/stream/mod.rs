//! Recordings of streams: what was recorded, what is there, and whether it can be proved.

mod check;
mod findings;
mod record;

pub use check::{CheckFindings, ProvedChannel, view};
pub use findings::{
    ChannelSpan, ExtractFindings, InfoFindings, ListFindings, StreamFindings, StreamFrame, StreamFraming,
};
pub use record::{
    RecordEnd, RecordFindings, RecordReadBack, RecordedChannel, RecoveryFindings, StreamMode, StreamRecording,
};
