//! Whether a file is whole that is there already.

use std::path::Path;

use drivelab_files::open_regular;
use parquet::file::metadata::KeyValue;
use parquet::file::reader::{FileReader as _, SerializedFileReader};

/// The word of a footer that names the run.
pub const RUN_WORD: &str = "drivelab.run";
/// The word of a footer that names the format and its version.
pub const FORMAT_WORD: &str = "drivelab.format";

/// How long a file is in bytes, where it is a whole file of this format of this run; none where it is not there, is cut, or is
/// another one. Files get their name when they are whole, so that this finds what was copied in part, or damaged at its end.
pub fn length_where_whole(path: &Path, run: &str, format: &str) -> Option<u64> {
    let file = open_regular(path).ok()?;
    let bytes = file.metadata().ok()?.len();
    let reader = SerializedFileReader::new(file).ok()?;
    let words = reader.metadata().file_metadata().key_value_metadata()?;
    let is = |name: &str, value: &str| word(words, name).is_some_and(|found| found == value);
    (is(RUN_WORD, run) && is(FORMAT_WORD, format)).then_some(bytes)
}

/// A word of a footer.
pub fn word<'a>(words: &'a [KeyValue], name: &str) -> Option<&'a str> {
    words.iter().find(|word| word.key == name)?.value.as_deref()
}
