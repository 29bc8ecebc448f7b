//! Whether a file is whole that is there already.

use crate::rollup::{FORMAT_WORD, IOS_WORD, ROLLUP_FORMAT};
use parquet::file::metadata::KeyValue;
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};

/// The word of a footer that names the run.
pub const RUN_WORD: &str = "drivelab.run";

/// How many records a file has, or counts as a rollup, where it is a whole one of this format of this run. Files get their name
/// when they are whole, so that this finds what was copied in part, or damaged at its end.
pub fn records_where_whole<F: ChunkReader + 'static>(file: F, run: &str, format: &str) -> Option<u64> {
    let reader = SerializedFileReader::new(file).ok()?;
    let about = reader.metadata().file_metadata();
    let words = about.key_value_metadata()?;
    let is = |name: &str, value: &str| word(words, name).is_some_and(|found| found == value);
    if !is(RUN_WORD, run) || !is(FORMAT_WORD, format) {
        return None;
    }
    if format == ROLLUP_FORMAT {
        // Without the word an earlier version made it.
        word(words, IOS_WORD)?.parse().ok()
    } else {
        u64::try_from(about.num_rows()).ok()
    }
}

pub fn word<'a>(words: &'a [KeyValue], name: &str) -> Option<&'a str> {
    words.iter().find(|word| word.key == name)?.value.as_deref()
}
