//! The text of blkparse: asks (Q), issues (D) and completions (C) in the order of time.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};

use drivelab_block::{DeviceId, IoFlags, Op, Status, TracedIo};

use super::Export;
use super::losses::{Losses, Lost};
use super::survey::TraceSurvey;
use crate::event::rwbs;
use crate::manifest::{Device, Measured, TraceManifest};
use crate::scan::SECOND;

/// Events that are held for their place; beyond, the earliest are let go.
const MAX_HELD: usize = 4 << 20;

pub struct Blkparse<'a> {
    survey: &'a TraceSurvey,
    /// `major,minor` of each device, under its number.
    devices: Vec<String>,
    processes: Vec<Cow<'a, str>>,
    /// Devices of which only asks and completions are known.
    unissued: HashSet<DeviceId>,
    /// Events that wait for their place.
    held: BTreeMap<DueAt, TracedIo>,
    /// How many requests that are to end are in flight on a sector, flushes apart: text names no request, but where it was.
    in_flight: HashMap<(DeviceId, u64, bool), u32>,
    /// I/Os until now: of events at one time, those of the first I/O come first.
    ios: u64,
    /// Lines until now.
    lines: u64,
    written_until: u64,
}

/// The kinds of events, in the order in which one I/O has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum BlkparseEvent {
    Ask,
    Issue,
    Completion,
}

/// The order of events: by time, of one time by I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DueAt {
    at: u64,
    number: u64,
    kind: BlkparseEvent,
}

impl<'a> Blkparse<'a> {
    pub fn new(manifest: &'a TraceManifest, survey: &'a TraceSurvey, losses: &mut Losses) -> Blkparse<'a> {
        let devices = numbers(&manifest.devices);
        let mut unissued = HashSet::new();
        for id in &survey.used {
            let number = usize::from(id.0);
            let Some(device) = manifest.devices.get(number) else { continue };
            losses.note(Lost::DeviceName, device.name.replace(':', ",") != devices[number]);
            if device.measured == Measured::QueueToComplete {
                // A wait ends with an issue, and then all of the device's requests need one.
                let has_issues = survey.waiting.contains(id);
                losses.note(Lost::Measured, has_issues);
                unissued.extend((!has_issues).then_some(*id));
            }
        }
        Blkparse {
            survey,
            devices,
            processes: manifest.processes.iter().map(|name| on_one_line(name)).collect(),
            unissued,
            held: BTreeMap::new(),
            in_flight: HashMap::new(),
            ios: 0,
            lines: 0,
            written_until: 0,
        }
    }

    fn process(&self, io: &TracedIo) -> Option<&Cow<'a, str>> {
        self.processes.get(usize::try_from(io.process.0).ok()?)
    }

    fn hold(&mut self, at: u64, kind: BlkparseEvent, io: &TracedIo) {
        self.held.insert(DueAt { at, number: self.ios, kind }, *io);
    }

    /// Writes what is due until a time, and what there is no room for.
    fn let_go(
        &mut self,
        until: u64,
        most: usize,
        losses: &mut Losses,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        while let Some((due, _)) = self.held.first_key_value()
            && (due.at <= until || self.held.len() > most)
        {
            let Some((due, io)) = self.held.pop_first() else { break };
            self.line(due, &io, losses, out)?;
        }
        Ok(())
    }

    fn follow(&mut self, io: &TracedIo, kind: BlkparseEvent, losses: &mut Losses) {
        let opens =
            if self.unissued.contains(&io.device) { BlkparseEvent::Ask } else { BlkparseEvent::Issue };
        if io.service.is_none() || (kind != opens && kind != BlkparseEvent::Completion) {
            return;
        }
        let place = (io.device, io.extent.start.get(), io.op == Op::Flush);
        let in_flight = self.in_flight.remove(&place).unwrap_or(0);
        losses.note(Lost::Pair, kind == opens && in_flight > 0);
        let now = if kind == opens { in_flight + 1 } else { in_flight.saturating_sub(1) };
        if now > 0 {
            self.in_flight.insert(place, now);
        }
    }

    fn line(
        &mut self,
        due: DueAt,
        io: &TracedIo,
        losses: &mut Losses,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let DueAt { at, kind, .. } = due;
        losses.note(Lost::Order, at < self.written_until);
        self.written_until = self.written_until.max(at);
        self.lines += 1;
        self.follow(io, kind, losses);
        let device = self.devices.get(usize::from(io.device.0)).map_or("0,0", String::as_str);
        let letter = match kind {
            BlkparseEvent::Ask => 'Q',
            BlkparseEvent::Issue => 'D',
            BlkparseEvent::Completion => 'C',
        };
        let (letters, sequence) = (rwbs(io.op, io.flags), self.lines);
        let (start, length) = (io.extent.start.get(), io.extent.length.get());
        write!(out, "{device:>7}  0 {sequence:>8} {:>5}.{:09}     0  {letter} ", at / SECOND, at % SECOND)?;
        write!(out, "{letters:>3} {start} + {length} ")?;
        match kind {
            BlkparseEvent::Completion => writeln!(out, "[{}]", -error(io.status)),
            BlkparseEvent::Ask | BlkparseEvent::Issue => {
                writeln!(out, "[{}]", self.process(io).map_or("", AsRef::as_ref))
            }
        }
    }
}

impl Export for Blkparse<'_> {
    fn io(&mut self, io: &TracedIo, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
        let issued = self.survey.issued(io);
        if self.unissued.contains(&io.device) {
            self.hold(issued, BlkparseEvent::Ask, io);
        } else {
            if io.queued_for.is_some() {
                self.hold(self.survey.asked(io), BlkparseEvent::Ask, io);
            }
            self.hold(issued, BlkparseEvent::Issue, io);
        }
        if let Some(service) = io.service {
            self.hold(issued.saturating_add(service.get()), BlkparseEvent::Completion, io);
        }
        let is_said = io.status.is_ok() || (io.service.is_some() && io.status != Status::SHORT);
        losses.note(Lost::Status, !is_said);
        // Its letters are those of a flush with another one before it.
        let is_flush_with_fua = io.op == Op::Flush && io.flags.contains(IoFlags::FUA);
        losses.note(Lost::Flags, is_flush_with_fua && !io.flags.contains(IoFlags::PREFLUSH));
        let is_renamed = matches!(self.process(io), Some(Cow::Owned(_)));
        losses.note(Lost::ProcessName, is_renamed);
        self.ios += 1;
        if self.held.len() > MAX_HELD { self.let_go(0, MAX_HELD, losses, out) } else { Ok(()) }
    }

    fn settled(&mut self, until: u64, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
        // Asks before the clock's start are at its start in the survey, so that nothing can be said of them.
        let until = if until == 0 { 0 } else { until.saturating_add(self.survey.headroom) };
        self.let_go(until, MAX_HELD, losses, out)
    }
}

/// The error number; what ended short has none, and is counted as lost.
fn error(status: Status) -> i16 {
    status.code().max(0)
}

/// A device's own numbers where its name is such, else some that no other has: those of disk after disk.
fn numbers(devices: &[Device]) -> Vec<String> {
    let mut taken: HashSet<String> = devices.iter().filter_map(|device| own_numbers(&device.name)).collect();
    let mut disks = (0u64..).map(|disk| format!("8,{}", 16 * disk));
    let mut number = |device: &Device| {
        own_numbers(&device.name)
            .unwrap_or_else(|| disks.find(|numbers| taken.insert(numbers.clone())).unwrap_or_default())
    };
    devices.iter().map(&mut number).collect()
}

/// `major,minor` of a name like `8:16`.
fn own_numbers(name: &str) -> Option<String> {
    let (major, minor) = name.split_once([':', ','])?;
    let (major, minor) = (major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?);
    Some(format!("{major},{minor}"))
}

/// The name; a new one where that would end its line.
fn on_one_line(name: &str) -> Cow<'_, str> {
    if name.contains(['\n', '\r']) {
        Cow::Owned(name.replace(['\n', '\r'], "?"))
    } else {
        Cow::Borrowed(name)
    }
}
