//! What fuzzing found or was begun with, read again: whatever a segment or tail holds, reading it comes to an end.

use std::fs;
use std::path::Path;

use drivelab_block::{Completion, TracedIo};
use drivelab_record::{RecordReader, Row};

/// Records that are read from the folder, and whether a part of it is damaged.
fn read<R: Row>(folder: &Path) -> (usize, bool) {
    let mut reader = RecordReader::<R>::open(folder).expect("the folder is there");
    let mut count = 0;
    while let Some(batch) = reader.next_batch() {
        count += batch.len();
    }
    (count, !reader.faults().is_empty())
}

#[test]
fn every_file_of_the_corpus_is_read_or_a_fault() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    for (kind, name) in [("segment", "000000.parquet"), ("tail", "000000.tail")] {
        for file in fs::read_dir(corpus.join(kind)).expect("the corpus").flatten() {
            let folder = tempfile::tempdir().expect("a temporary folder");
            fs::copy(file.path(), folder.path().join(name)).expect("room on disk");
            let (completions, ios) = (read::<Completion>(folder.path()), read::<TracedIo>(folder.path()));
            let is_whole = match file.file_name().to_str() {
                Some("run") => completions.0 > 0 && !completions.1,
                Some("trace") => ios.0 > 0 && !ios.1,
                _ => true,
            };
            assert!(is_whole, "{kind}/{}: {completions:?} {ios:?}", file.file_name().display());
        }
    }
}
