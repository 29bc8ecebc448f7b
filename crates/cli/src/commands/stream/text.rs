//! Words that several commands of `stream` say.

use std::fmt::Write as _;
use std::time::{Duration, UNIX_EPOCH};

use drivelab_stream::layout::{Shape, Superblock};
use drivelab_stream::reader::Recording;

/// A time as people read it.
pub fn time(unix_ns: u64) -> String {
    humantime::format_rfc3339_millis(UNIX_EPOCH + Duration::from_nanos(unix_ns)).to_string()
}

/// The line that says what a recording is.
pub fn heading(superblock: &Superblock) -> String {
    let channels: Vec<&str> = superblock.channels.iter().map(|channel| channel.name.as_str()).collect();
    format!(
        "recording {} of {}, {}, {} blocks of {} KiB: {}\n",
        superblock.run,
        time(superblock.started_unix_ns),
        mode(superblock.shape),
        superblock.log_blocks,
        superblock.block_bytes >> 10,
        channels.join(", ")
    )
}

/// A shape in a word.
fn mode(shape: Shape) -> &'static str {
    match shape {
        Shape::Linear => "linear",
        Shape::Cyclic => "cyclic",
    }
}

/// How it was found, where that is not as it should be.
pub fn recovery(recording: &Recording<'_>) -> String {
    let recovery = recording.recovery();
    let mut text = String::new();
    if !recording.superblock().is_closed {
        let _ = writeln!(
            text,
            "not closed: it still goes on, or it was killed; {} blocks were read to find its end",
            recovery.blocks_read
        );
    }
    if let Some(byte) = recording.cut_at() {
        let _ = writeln!(
            text,
            "the image ends at byte {byte}, before the log does: it was cut, and what lay behind is gone"
        );
    }
    if recovery.superblock_lost {
        text += "one of the two superblocks is unusable; the other is not\n";
    }
    if recovery.index_lost {
        text += "the last index is missing: the whole log was gone through\n";
    }
    text
}

/// What is said before something that is not whole, and has not to be.
pub fn by_right(superblock: &Superblock) -> &'static str {
    if superblock.is_closed { "not whole at an end of the log" } else { "under way or being overwritten" }
}
