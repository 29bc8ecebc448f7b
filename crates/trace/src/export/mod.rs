//! Traces into other people's formats, one a file, so that peers can run or read them.
//!
//! A trace is read twice: a survey of it says what a format has to know before its first line, then its I/Os are
//! written one by one. What a format cannot hold is counted.

mod blkparse;
mod blkreplay;
mod csv;
mod fio;
mod losses;
mod survey;

use std::io::{self, BufWriter, Write};

use drivelab_block::{TracedIo, worded_enum};
use drivelab_record::TracedReader;

use crate::folder::TraceError;
use crate::manifest::TraceManifest;
use crate::source::TraceSource;
use losses::Losses;
use survey::TraceSurvey;

worded_enum! {
    /// The formats that a trace can be written in.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ExportFormat {
        /// fio's I/O log, version 2.
        Fio2 = "fio2",
        /// fio's I/O log, version 3.
        Fio3 = "fio3",
        /// The text of blkparse.
        Blkparse = "blkparse",
        /// The columns of drivelab's own traces, with names.
        Csv = "csv",
        /// blkreplay `.load`.
        Blkreplay = "blkreplay",
    }
}

impl ExportFormat {
    /// Whether its rows name files, which another may be put in the place of.
    pub const fn names_files(self) -> bool {
        matches!(self, ExportFormat::Fio2 | ExportFormat::Fio3)
    }

    /// What writes it; what of the devices' names and times it has no place for is noted in `losses`.
    fn exporter<'a>(
        self,
        manifest: &'a TraceManifest,
        survey: &'a TraceSurvey,
        file: Option<&'a str>,
        losses: &mut Losses,
    ) -> Box<dyn Export + 'a> {
        match self {
            ExportFormat::Fio2 | ExportFormat::Fio3 => {
                let has_times = self == ExportFormat::Fio3;
                Box::new(fio::Fio::new(has_times, &manifest.devices, survey, file, losses))
            }
            ExportFormat::Blkparse => Box::new(blkparse::Blkparse::new(manifest, survey, losses)),
            ExportFormat::Csv => Box::new(csv::Csv::new(manifest)),
            ExportFormat::Blkreplay => Box::new(blkreplay::Blkreplay::new(manifest, survey, losses)),
        }
    }
}

/// What came of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// I/Os of the trace that were looked at, also those that the format has no row for.
    pub requests: u64,
    /// I/Os of other phases of the run, which were left out, as far as it was read; 0 for a trace.
    pub left_out: u64,
    /// What the format cannot hold, in words, with how many requests or names that concerns.
    pub losses: Vec<(&'static str, u64)>,
    /// What of the trace is not there or cannot be read; each a few words.
    pub faults: Vec<String>,
}

/// Writes I/Os in one format.
trait Export {
    /// Writes what comes before all I/Os.
    fn begin(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Writes the next I/O, or holds it until its place has come. What of it has no place in the format is noted in `losses`.
    fn io(&mut self, io: &TracedIo, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()>;
    /// Learns that no I/O that is still to come was issued before this time (`u64::MAX` where none is to come), and writes what
    /// is held until then.
    fn settled(&mut self, _until: u64, _losses: &mut Losses, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
    /// Writes what comes after all I/Os.
    fn end(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a trace in another format. With `file`, formats that name files name this one for all devices.
///
/// `keep_going` is asked now and then; where it says no, the export ends there, well formed.
///
/// # Errors
/// Where the trace cannot be read at all, and where `out` cannot be written ([`TraceError::Output`]). Damage inside
/// the trace is no error: the rest is written, and the damage named.
pub fn export(
    source: &TraceSource,
    format: ExportFormat,
    file: Option<&str>,
    out: impl Write,
    keep_going: &mut dyn FnMut() -> bool,
) -> Result<Exported, TraceError> {
    let survey = TraceSurvey::read(source.reader()?, keep_going);
    let mut losses = Losses::default();
    let mut exporter = format.exporter(source.manifest(), &survey, file, &mut losses);
    let mut reader = source.reader()?;
    let mut out = BufWriter::with_capacity(1 << 18, out);
    let written = write(exporter.as_mut(), &survey, &mut reader, &mut losses, &mut out, keep_going);
    let requests = written.map_err(TraceError::Output)?;
    Ok(Exported {
        requests,
        left_out: reader.left_out(),
        losses: losses.named(),
        faults: reader.faults().to_vec(),
    })
}

fn write(
    exporter: &mut dyn Export,
    survey: &TraceSurvey,
    reader: &mut TracedReader,
    losses: &mut Losses,
    out: &mut dyn Write,
    keep_going: &mut dyn FnMut() -> bool,
) -> io::Result<u64> {
    let mut requests = 0;
    exporter.begin(out)?;
    while let Some(batch) = reader.next_batch().filter(|_| keep_going()) {
        for io in &batch {
            exporter.io(io, losses, out)?;
            requests += 1;
            if let Some(until) = survey.settled_after(requests) {
                exporter.settled(until, losses, out)?;
            }
        }
    }
    exporter.settled(u64::MAX, losses, out)?;
    exporter.end(out)?;
    out.flush()?;
    Ok(requests)
}
