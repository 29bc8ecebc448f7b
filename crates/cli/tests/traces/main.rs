//! Traces: recording, import, rollups, what is shown of them, and their replay.

#[path = "../common/mod.rs"]
mod common;

mod replay;
mod replay_ends;
mod trace;
mod trace_compared;
mod trace_import_pipes;
mod trace_phases;
mod trace_record;
mod trace_rollup;
mod trace_show;
