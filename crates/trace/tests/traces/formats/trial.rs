//! An import of a few rows.

use std::fs;
use std::path::PathBuf;

use drivelab_block::TracedIo;
use drivelab_trace::{Format, TraceError, TraceManifest, import};

use crate::common::ios;

/// A folder with the files of a test.
pub struct Trial(pub tempfile::TempDir);

impl Trial {
    pub fn new() -> Trial {
        Trial(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn file(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, contents).expect("room on disk");
        path
    }

    pub fn import(&self, files: &[PathBuf], format: Option<Format>) -> Result<Imported, TraceError> {
        let number = fs::read_dir(self.0.path()).expect("the folder").count();
        let folder = self.0.path().join(format!("trace{number}"));
        let manifest = import(files, format, &folder, "test", &mut || true)?;
        Ok(Imported { manifest, ios: ios(&folder) })
    }

    /// Imports a file of this text; its format is found out, and must be `format`.
    pub fn of_text(&self, text: &str, format: Format) -> Imported {
        let file = self.file("source", text.as_bytes());
        let imported = self.import(&[file], None).expect("a known format");
        assert_eq!(imported.manifest.source, format.word());
        imported
    }
}

#[derive(Debug)]
pub struct Imported {
    pub manifest: TraceManifest,
    pub ios: Vec<TracedIo>,
}

impl Imported {
    /// Each I/O as `issue operation sector+sectors wait service`, spans in nanoseconds.
    pub fn lines(&self) -> Vec<String> {
        let span =
            |span: Option<drivelab_block::Nanos>| span.map_or("-".to_owned(), |span| span.get().to_string());
        let line = |io: &TracedIo| {
            let (start, length) = (io.extent.start.get(), io.extent.length.get());
            let (wait, service) = (span(io.queued_for), span(io.service));
            format!("{} {} {start}+{length} {wait} {service}", io.issued_at.as_nanos(), io.op)
        };
        self.ios.iter().map(line).collect()
    }

    pub fn rejected(&self, reason: &str) -> u64 {
        self.account().rejected.get(reason).copied().unwrap_or(0)
    }

    pub fn unpaired(&self, reason: &str) -> u64 {
        self.account().unpaired.get(reason).copied().unwrap_or(0)
    }

    pub fn account(&self) -> &drivelab_trace::Account {
        self.manifest.account.as_ref().expect("the trace was ended")
    }
}
