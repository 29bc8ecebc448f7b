//! The documents of `--json`: what a recording is, and how it was found.

use std::path::Path;

use drivelab_inspect::stream::{
    RecoveryFindings, StreamFindings, StreamFraming, StreamMode, StreamRecording,
};
use drivelab_inspect::{Inspection as _, InspectionDocument};
use drivelab_runner::{Ending, Failure, output};
use drivelab_stream::layout::{Framing, Shape, Superblock};
use drivelab_stream::reader::Recording;
use serde::Serialize;

/// What a superblock holds of its recording.
pub fn recording_of(target: &Path, superblock: &Superblock) -> StreamRecording {
    StreamRecording {
        target: target.display().to_string(),
        run: superblock.run.to_string(),
        started_unix_ns: superblock.started_unix_ns,
        mode: match superblock.shape {
            Shape::Linear => StreamMode::Linear,
            Shape::Cyclic => StreamMode::Cyclic,
        },
        block_bytes: superblock.block_bytes,
        log_blocks: superblock.log_blocks,
    }
}

/// How a recording was found.
pub fn recovery_of(recording: &Recording<'_>) -> RecoveryFindings {
    let recovery = recording.recovery();
    RecoveryFindings {
        closed: recording.superblock().is_closed,
        blocks_read: recovery.blocks_read,
        index_lost: recovery.index_lost,
        superblock_lost: recovery.superblock_lost,
        cut_at_byte: recording.cut_at(),
    }
}

/// How frames are told apart.
pub fn framing_of(framing: Framing) -> StreamFraming {
    match framing {
        Framing::Length => StreamFraming::Length,
        Framing::Mjpeg => StreamFraming::Mjpeg,
    }
}

/// Findings as their document.
pub fn document_of<F>(findings: StreamFindings<F>) -> InspectionDocument<StreamFindings<F>> {
    InspectionDocument { schema: <StreamFindings>::document_name(), findings }
}

/// Prints the document of findings.
pub fn print<F: Serialize>(findings: StreamFindings<F>) -> Result<Ending, Failure> {
    output::print_json(&document_of(findings))
}
