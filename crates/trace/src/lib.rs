//! Traces of block I/O: other people's formats in, drivelab's own folder, and other people's formats out.
//!
//! ```text
//! file ─▶ unpacked ─▶ Format ──I/Os──────────────▶ Sorter ─▶ segments
//!                           └─events─▶ Pairing ──┘
//! pages of the kernel's ring buffer ─▶ Recording ─▶ Pairing ─▶ segments, in the order of completion
//! segments ─▶ Survey, then Export ─▶ lines of another format
//! ```
//!
//! What a source holds and a trace does not is counted by reason. This crate knows no device and no clock.

#![forbid(unsafe_code)]

mod event;
mod export;
mod folder;
mod format;
mod import;
mod manifest;
mod names;
mod pairing;
mod recording;
mod reject_reason;
mod ring;
mod scan;
mod shipped;
mod sort;
mod source;
mod stretch;
mod times;
mod trace_builder;

pub use export::{ExportFormat, Exported, export};
pub use folder::{TraceError, TraceFolder, is_trace_folder};
pub use format::Format;
pub use import::{examine, import};
pub use manifest::{Account, Device, Measured, TRACE_SCHEMA, TraceManifest};
pub use recording::{Begin, EndedRecording, Recording, RecordingProgress};
pub use ring::{PAGE_BYTES, ProgramRun, Programs};
pub use shipped::{SHIPPED_TRACES, ShippedTrace, is_shipped_trace};
pub use source::{SourceRun, TraceSource};
pub use stretch::{StretchRequest, TraceMoment};
