//! The columns of drivelab's own traces as CSV (RFC 4180), with names in the place of numbers.

use std::borrow::Cow;
use std::io::{self, Write};

use drivelab_block::{Nanos, TracedIo};

use super::Export;
use super::losses::Losses;
use crate::format::own_csv::HEADER;
use crate::manifest::{Measured, TraceManifest};

pub struct Csv<'a> {
    devices: Vec<(Cow<'a, str>, Measured)>,
    processes: Vec<Cow<'a, str>>,
}

impl<'a> Csv<'a> {
    pub fn new(manifest: &'a TraceManifest) -> Csv<'a> {
        Csv {
            devices: manifest.devices.iter().map(|device| (quoted(&device.name), device.measured)).collect(),
            processes: manifest.processes.iter().map(|name| quoted(name)).collect(),
        }
    }
}

impl Export for Csv<'_> {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")
    }

    fn io(&mut self, io: &TracedIo, _: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{},", io.issued_at.as_nanos())?;
        span(io.queued_for, out)?;
        span(io.service, out)?;
        let (start, length) = (io.extent.start.get(), io.extent.length.get());
        let (op, flags, status) = (io.op.code(), io.flags.bits(), io.status.code());
        let device = self.devices.get(usize::from(io.device.0));
        let (device, measured) =
            device.map_or(("", Measured::Nothing), |(name, measured)| (name.as_ref(), *measured));
        let process = usize::try_from(io.process.0).ok().and_then(|number| self.processes.get(number));
        let process = process.map_or("", AsRef::as_ref);
        writeln!(out, "{start},{length},{op},{flags},{status},{device},{process},{}", measured.word())
    }
}

/// Writes a span and a comma; nothing before it where the span is not known.
fn span(span: Option<Nanos>, out: &mut dyn Write) -> io::Result<()> {
    match span {
        Some(span) => write!(out, "{},", span.get()),
        None => out.write_all(b","),
    }
}

fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}
