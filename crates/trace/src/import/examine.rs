//! What a source holds, without keeping it.

use std::io::Read;
use std::path::Path;

use drivelab_block::TracedIo;

use super::{LookedAtFile, detect, open, read, unknown};
use crate::collect::{IoSink, TraceBuilder};
use crate::folder::TraceError;
use crate::format::Format;
use crate::manifest::Account;
use crate::ring::{Layout, Layouts};

/// Keeps nothing.
struct Nothing;

impl IoSink for Nothing {
    fn keep(&mut self, _: TracedIo) -> Result<(), TraceError> {
        Ok(())
    }
}

/// Reads a file's bytes as [`super::import`] does, and says what an import of them would come to. Nothing is
/// written anywhere. `layouts` are the texts of the `format` files that pages of the kernel's ring buffer need.
///
/// # Errors
/// Where the bytes cannot be read at all, or no format be told.
pub fn examine(bytes: impl Read, format: Option<Format>, layouts: &[&str]) -> Result<Account, TraceError> {
    let path = Path::new("source");
    let source = open::unpacked(path, bytes).map_err(|error| TraceError::io(path, error))?;
    let layouts = Layouts::new(layouts.iter().filter_map(|text| Layout::parse(text)).collect());
    let source = LookedAtFile { layouts, ..source };
    let Some(format) = format.or_else(|| detect::detect(&source)) else { return Err(unknown(source)) };
    let mut collector = TraceBuilder::new(Nothing);
    read(vec![(source, format)], &mut collector, &mut || true);
    Ok(collector.finish()?.account)
}
