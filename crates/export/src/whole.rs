//! Whether a file is whole that is there already.

use parquet::file::metadata::KeyValue;
use parquet::file::reader::{ChunkReader, FileReader as _, SerializedFileReader};

/// The word of a footer that names the run.
pub const RUN_WORD: &str = "drivelab.run";
/// The word of a footer that names the format and its version.
pub const FORMAT_WORD: &str = "drivelab.format";

/// Whether a file is a whole one of this format of this run. Files get their name when they are whole, so that this finds what
/// was copied in part, or damaged at its end.
pub fn is_of<F: ChunkReader + 'static>(file: F, run: &str, format: &str) -> bool {
    let is_of = || {
        let reader = SerializedFileReader::new(file).ok()?;
        let words = reader.metadata().file_metadata().key_value_metadata()?;
        let is = |name: &str, value: &str| word(words, name).is_some_and(|found| found == value);
        Some(is(RUN_WORD, run) && is(FORMAT_WORD, format))
    };
    is_of().unwrap_or(false)
}

/// A word of a footer.
pub fn word<'a>(words: &'a [KeyValue], name: &str) -> Option<&'a str> {
    words.iter().find(|word| word.key == name)?.value.as_deref()
}
