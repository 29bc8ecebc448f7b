//! What fuzzing found or was begun with, read again: a profile is taken, or refused in one line.

use std::fs;
use std::path::Path;

use drivelab_sim::Spec;

#[test]
fn every_file_of_the_corpus_is_taken_or_refused_in_one_line() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let profile = folder.path().join("drive.toml");
    let files = |kind: &str| fs::read_dir(corpus.join(kind)).expect("the corpus").flatten();
    let profiles = files("profile").map(|file| {
        fs::copy(file.path(), &profile).expect("room on disk");
        Spec::parse(&profile.display().to_string())
    });
    let overrides = files("overrides").map(|file| {
        let text = fs::read(file.path()).expect("a file of the corpus");
        Spec::parse(&format!("sm2246en?{}", String::from_utf8_lossy(&text)))
    });
    for error in profiles.chain(overrides).filter_map(Result::err) {
        assert_eq!(error.to_string().trim_end().lines().count(), 1, "{error}");
    }
}
