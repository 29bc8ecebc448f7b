//! What is read as a trace: the folder of one, or phases of a run.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_documents::{ChosenPhases, Manifest, PhaseRequest};
use drivelab_record::{IssuedWithin, RunFolder, SortedReader, TracedReader, is_run_folder};
use tempfile::TempDir;

use crate::folder::{TraceError, TraceFolder};
use crate::format::Format;
use crate::manifest::{Account, Device, Measured, RECORDED, TraceManifest};
use crate::shipped::{SHIPPED_TRACES, ShippedTrace, shipped_name};
use crate::stretch::{StretchError, StretchRequest};

/// A trace that can be read any number of times, from its own folder or from that of a run.
#[derive(Clone, Debug)]
pub struct TraceSource {
    path: PathBuf,
    manifest: TraceManifest,
    records: Records,
    /// The part of it that is read, where it is not all.
    pub within: Option<IssuedWithin>,
    /// The folder of a trace that the program brings along, which is removed with the last copy of this.
    _unpacked: Option<Arc<TempDir>>,
}

/// Where its I/Os are.
#[derive(Clone, Debug)]
enum Records {
    Trace(TraceFolder),
    Run(Box<SourceRun>),
}

/// A run that is read as a trace of itself.
#[derive(Clone, Debug)]
pub struct SourceRun {
    folder: RunFolder,
    /// Its manifest.
    pub manifest: Manifest,
    /// Its phases, and which of them are read.
    pub chosen: ChosenPhases,
}

impl TraceSource {
    /// Whether it says which writes are synchronous: recordings, and imports of what the kernel wrote. A run does not.
    pub fn marks_synchronous_writes(&self) -> bool {
        let source = &self.manifest.source;
        source == RECORDED || Format::of_word(source).is_some_and(Format::marks_synchronous_writes)
    }

    /// Opens a folder. Of a run the phases are read that are asked for.
    ///
    /// # Errors
    /// Where it is neither the folder of a trace nor that of a run, where the run has no such phase, and where phases of a
    /// trace are asked for, which has none.
    pub fn open(path: &Path, request: &PhaseRequest) -> Result<TraceSource, TraceError> {
        match shipped_name(path) {
            Some(name) => TraceSource::of_shipped(path, name, request),
            None => TraceSource::of_folder(path, request),
        }
    }

    fn of_shipped(path: &Path, name: &str, request: &PhaseRequest) -> Result<TraceSource, TraceError> {
        let shipped = ShippedTrace::of_name(name).ok_or_else(|| TraceError::NotShipped {
            name: name.to_owned(),
            known: SHIPPED_TRACES
                .map(|shipped| format!("shipped:{} ({})", shipped.name, shipped.about))
                .join(", "),
        })?;
        let unpacked = shipped.unpack().map_err(|source| TraceError::io(path, source))?;
        let source = TraceSource::of_folder(unpacked.path(), request)?;
        Ok(TraceSource { path: path.to_owned(), _unpacked: Some(Arc::new(unpacked)), ..source })
    }

    fn of_folder(path: &Path, request: &PhaseRequest) -> Result<TraceSource, TraceError> {
        let (manifest, records) = if is_run_folder(path) {
            let (folder, run) = RunFolder::open(path)?;
            let no_phases = |why| TraceError::Phases(path.to_owned(), why);
            let chosen = run.choose_phases(request).map_err(no_phases)?;
            let manifest = as_trace(&run);
            (manifest, Records::Run(Box::new(SourceRun { folder, manifest: run, chosen })))
        } else {
            let (folder, manifest) = TraceFolder::open(path)?;
            if *request != PhaseRequest::Measured {
                return Err(TraceError::HasNoPhases(path.to_owned()));
            }
            (manifest, Records::Trace(folder))
        };
        Ok(TraceSource { path: path.to_owned(), manifest, records, within: None, _unpacked: None })
    }

    /// The same, of which the readers read the part that is asked for.
    ///
    /// # Errors
    /// Where there is no such part.
    pub fn stretch(self, request: StretchRequest) -> Result<TraceSource, TraceError> {
        match request.within(self.manifest.began()) {
            Ok(within) => Ok(TraceSource { within, ..self }),
            Err(source) => Err(TraceError::Stretch(self.path, source)),
        }
    }

    /// Refuses a part that lies before or behind all I/Os of the trace. One between two of them, in which nothing was issued, is
    /// a part of it.
    ///
    /// # Errors
    /// Says from when to when the trace has I/Os; and where its segments cannot be listed.
    pub fn check_stretch(&self) -> Result<(), TraceError> {
        let Some(within) = self.within else { return Ok(()) };
        if self.reader()?.next_batch().is_some() {
            return Ok(());
        }
        let mut whole = self.reader()?.within(None);
        let (mut first, mut last) = (None, 0);
        while let Some(batch) = whole.next_batch() {
            for io in &batch {
                let at = io.issued_at.as_nanos();
                first = first.or(Some(at));
                last = last.max(at);
            }
            whole.recycle(batch);
        }
        // Where there is no I/O at all, that is what is wrong, and not the part.
        let is_outside = |first: u64| within.from > last || within.until.is_some_and(|until| until <= first);
        first.filter(|first| is_outside(*first)).map_or(Ok(()), |first| {
            let source = StretchError::outside(self.manifest.began(), first, last);
            Err(TraceError::Stretch(self.path.clone(), source))
        })
    }

    /// What is known of the trace.
    pub fn manifest(&self) -> &TraceManifest {
        &self.manifest
    }

    /// The run that it is, where it is one.
    pub fn run(&self) -> Option<&SourceRun> {
        match &self.records {
            Records::Trace(_) => None,
            Records::Run(run) => Some(run),
        }
    }

    /// Reads its I/Os, in the order of their issue.
    ///
    /// # Errors
    /// Where its segments cannot be listed.
    pub fn reader(&self) -> Result<TracedReader, TraceError> {
        let reader = match &self.records {
            Records::Trace(folder) => folder.reader()?.into(),
            Records::Run(run) => {
                let reader = SortedReader::open(&run.folder.segments(), 0)?;
                TracedReader::of_run(reader, &run.manifest, run.chosen.clone())
            }
        };
        Ok(reader.within(self.within))
    }
}

/// What the manifest of a trace would say of a run. What became of its completions is in its own outcome.
fn as_trace(run: &Manifest) -> TraceManifest {
    let measured = Measured::by(run);
    TraceManifest {
        origins: vec![run.target.clone()],
        started: run.started.clone(),
        devices: vec![Device { name: run.target.clone(), measured }],
        processes: vec![String::new()],
        account: run.outcome.as_ref().map(|_| Account::default()),
        ..TraceManifest::of_source(format!("run of {}", run.method), &run.version)
    }
}
