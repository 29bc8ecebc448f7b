//! fio's I/O logs, as its documentation has them: each line of an I/O has four words, waits and syncs too, or fio
//! takes it for damage.

use std::collections::HashSet;
use std::io::{self, Write};

use drivelab_block::{ByteCount, Op, TracedIo};

use super::Export;
use super::losses::{Losses, Lost};
use super::survey::TraceSurvey;
use crate::manifest::Device;

pub struct Fio {
    /// Each line begins with its time, as in version 3; in version 2 lines that wait stand between the others.
    has_times: bool,
    /// The file of each device, under its number.
    files: Vec<String>,
    /// The files that are named, each once.
    used: Vec<String>,
    origin: u64,
    /// The time of the last line, in microseconds.
    now: u64,
}

const MICROSECOND: u64 = 1_000;
/// fio reads a length into 32 bits.
const MOST_BYTES: u64 = u32::MAX as u64;

impl Fio {
    pub fn new(
        has_times: bool,
        devices: &[Device],
        survey: &TraceSurvey,
        file: Option<&str>,
        losses: &mut Losses,
    ) -> Fio {
        let most = survey.used.iter().map(|id| usize::from(id.0) + 1).max().unwrap_or(0);
        let mut files = vec![String::new(); most];
        let mut used: Vec<String> = Vec::new();
        let mut taken = HashSet::new();
        for id in &survey.used {
            let number = usize::from(id.0);
            let name = devices.get(number).map_or("", |device| device.name.as_str());
            let chosen = match file {
                Some(file) => file.to_owned(),
                None => free(&word(name), &taken),
            };
            losses.note(Lost::DeviceName, file.is_none() && chosen != name);
            if taken.insert(chosen.clone()) {
                used.push(chosen.clone());
            }
            files[number] = chosen;
        }
        Fio { has_times, files, used, origin: survey.first, now: 0 }
    }

    /// Begins a line: with the time, in version 3.
    fn stamp(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.has_times { write!(out, "{} ", self.now) } else { Ok(()) }
    }

    fn all_files(&self, action: &str, out: &mut dyn Write) -> io::Result<()> {
        for file in &self.used {
            self.stamp(out)?;
            writeln!(out, "{file} {action}")?;
        }
        Ok(())
    }

    fn note(io: &TracedIo, nanos: u64, losses: &mut Losses) {
        losses.note(Lost::Wait, io.queued_for.is_some());
        losses.note(Lost::Service, io.service.is_some());
        losses.note(Lost::Status, !io.status.is_ok());
        losses.note(Lost::Flags, io.flags.bits() != 0);
        losses.note(Lost::Process, io.process.0 != 0);
        losses.note(
            Lost::FlushPlace,
            io.op == Op::Flush && (io.extent.start.get(), io.extent.length.get()) != (0, 0),
        );
        losses.note(Lost::Nanoseconds, !nanos.is_multiple_of(MICROSECOND));
        losses.note(Lost::LongRequest, io.op != Op::Flush && io.bytes().get() > MOST_BYTES);
    }
}

impl Export for Fio {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let version = if self.has_times { 3 } else { 2 };
        writeln!(out, "fio version {version} iolog")?;
        self.all_files("add", out)?;
        self.all_files("open", out)
    }

    fn io(&mut self, io: &TracedIo, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
        let nanos = io.issued_at.as_nanos().saturating_sub(self.origin);
        Fio::note(io, nanos, losses);
        let at = nanos / MICROSECOND + u64::from(nanos % MICROSECOND >= MICROSECOND / 2);
        let file = self.files.get(usize::from(io.device.0)).map_or("", String::as_str);
        if !self.has_times && at > self.now {
            writeln!(out, "{file} wait {} 0", at - self.now)?;
        }
        self.now = self.now.max(at);
        self.stamp(out)?;
        let (action, offset, length) = match io.op {
            Op::Read => ("read", byte_offset(io), io.bytes()),
            Op::Write => ("write", byte_offset(io), io.bytes()),
            Op::Discard => ("trim", byte_offset(io), io.bytes()),
            Op::Flush => ("sync", 0, ByteCount::new(0)),
        };
        writeln!(out, "{file} {action} {offset} {}", length.get())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        self.all_files("close", out)
    }
}

/// A trace's sectors end within 8 EiB.
fn byte_offset(io: &TracedIo) -> u64 {
    io.extent.start.get().saturating_mul(512)
}

/// The name as one word, since fio splits its lines at blanks, and with the colons that an import makes of commas.
fn word(name: &str) -> String {
    let splits = |letter: char| letter.is_whitespace() || letter.is_control();
    let word = name.replace(splits, "_").replace(',', ":");
    if word.is_empty() { "device".to_owned() } else { word }
}

/// The name, or the first of its likes that is free: two devices stay two.
fn free(name: &str, taken: &HashSet<String>) -> String {
    let mut likes = std::iter::once(name.to_owned()).chain((2u32..).map(|number| format!("{name}_{number}")));
    likes.find(|name| !taken.contains(name)).unwrap_or_default()
}
