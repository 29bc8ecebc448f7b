//! What fuzzing found or was begun with, read again: nothing may panic, or go on without end.

use std::fs;
use std::path::Path;

use crate::common::ios;
use drivelab_trace::{Format, TraceError, import};

#[test]
fn every_file_of_the_corpus_is_imported_or_refused() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let trial = tempfile::tempdir().expect("a temporary folder");
    let mut count = 0;
    for folder in fs::read_dir(corpus).expect("the corpus").flatten() {
        let name = folder.file_name();
        // What is packed is read as MSR, so that damage at its very start is no reason to look no further.
        let format = match name.to_str() {
            Some("any") => None,
            Some("gz" | "bz2" | "xz" | "zst") => Some(Format::Msr),
            name => name.and_then(Format::of_word),
        };
        for file in fs::read_dir(folder.path()).expect("a folder of a format").flatten() {
            count += 1;
            let (file, trace) = (file.path(), trial.path().join(count.to_string()));
            match import(std::slice::from_ref(&file), format, &trace, "test", &mut || true) {
                Ok(manifest) => {
                    let ios = ios(&trace);
                    let account = manifest.account.expect("the trace was ended");
                    assert_eq!(ios.len() as u64, account.requests, "{}", file.display());
                    assert!(ios.is_sorted_by_key(|io| io.issued_at), "{}", file.display());
                }
                // The events of pages are described beside none of them.
                Err(TraceError::Usage(why))
                    if matches!(format, None | Some(Format::Ring))
                        && ["Pages of trace_pipe_raw need", "of binary files"]
                            .iter()
                            .any(|of| why.contains(of)) => {}
                Err(error) => {
                    let why = error.to_string();
                    let is_refused = why.contains("name one with --format")
                        || why.contains("is empty: there is nothing to import")
                        || (matches!(error, TraceError::Environment(_)) && !why.contains("before anything"));
                    assert!(is_refused && format.is_none(), "{}: {error}", file.display());
                }
            }
            fs::remove_dir_all(&trace)
                .or_else(|_| fs::metadata(&file).map(drop))
                .expect("nothing is in the way");
        }
    }
    assert!(count > 20, "the corpus is there");
}
