//! The kernel's binary blktrace, versions 7 and 8: a packed stream of headers and payloads, in the byte order of
//! the machine that wrote it.
//!
//! Source: `include/uapi/linux/blktrace_api.h`.

use std::io::{self, BufRead};

use ahash::AHashMap;
use drivelab_block::{DeviceId, IoFlags, Op, ProcessId, Status};

use crate::event::{Event, Named, What};
use crate::reject_reason::RejectReason;
use crate::trace_builder::{EventSink, device_of};

const MAGIC: u32 = 0x6561_7400;
const V7: usize = 48;
const V8: usize = 64;

/// Whether a file begins as a blktrace does.
pub fn is_blktrace(start: &[u8]) -> bool {
    start.first_chunk::<4>().is_some_and(|word| order(*word).is_some())
}

/// The byte order and version that a record's first word tells.
fn order(word: [u8; 4]) -> Option<(bool, u8)> {
    let is_ours = |number: u32| number & 0xFFFF_FF00 == MAGIC && matches!(number & 0xFF, 7 | 8);
    [(true, u32::from_le_bytes(word)), (false, u32::from_be_bytes(word))]
        .into_iter()
        .find(|(_, number)| is_ours(*number))
        .map(|(is_little, number)| (is_little, (number & 0xFF) as u8))
}

/// One record.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// Nanoseconds on the tracer's clock.
    pub at: u64,
    sector: u64,
    bytes: u32,
    pid: u32,
    action: u64,
    device: u32,
    error: u16,
    payload: u16,
    is_little: bool,
}

/// What the kind of record in the low bits of an action means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ActionKind {
    Event(What),
    /// Its payload names a process.
    ProcessName,
    /// Its payload is the time of day.
    TimeOfDay,
    /// It says nothing of when a request began or ended.
    Other,
}

/// Reads one processor's stream.
pub struct Stream<R> {
    source: R,
    /// The payload of the record that was read last.
    pub payload: Vec<u8>,
    position: u64,
}

impl<R: BufRead> Stream<R> {
    /// Reads from here on.
    pub fn new(source: R) -> Stream<R> {
        Stream { source, payload: Vec::new(), position: 0 }
    }

    /// The next record; `None` at the end. Where the stream is damaged or cut, the error says at which byte.
    #[inline]
    pub fn next(&mut self) -> io::Result<Option<Record>> {
        let Some(record) = self.header()? else { return Ok(None) };
        self.payload.clear();
        if record.payload > 0 {
            let mut payload = std::mem::take(&mut self.payload);
            payload.resize(usize::from(record.payload), 0);
            self.fill(&mut payload, false)?;
            self.payload = payload;
        }
        Ok(Some(record))
    }

    /// The next header; `None` at the end. It is parsed where it lies, but for the few that do not lie whole in the buffer.
    #[inline]
    fn header(&mut self) -> io::Result<Option<Record>> {
        let buffered = match self.source.fill_buf() {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Err(error),
            buffered => buffered.unwrap_or_default(),
        };
        if let Some((record, length)) = buffered.first_chunk().and_then(parse) {
            self.source.consume(length);
            self.position += length as u64;
            return Ok(Some(record));
        }
        let mut bytes = [0; V8];
        let Some(()) = self.fill(&mut bytes[..4], true)? else { return Ok(None) };
        let Some((_, length)) = parse(&bytes) else {
            return Err(io::Error::other(format!("no record begins at byte {}", self.position - 4)));
        };
        self.fill(&mut bytes[4..length], false)?;
        Ok(parse(&bytes).map(|(record, _)| record))
    }

    /// Fills the buffer; `None` where the stream ends before its first byte and that is allowed.
    fn fill(&mut self, buffer: &mut [u8], may_end: bool) -> io::Result<Option<()>> {
        let mut filled = 0;
        while filled < buffer.len() {
            match self.source.read(&mut buffer[filled..]) {
                Ok(0) if filled == 0 && may_end => return Ok(None),
                Ok(0) => return Err(io::Error::other(format!("cut in a record at byte {}", self.position))),
                Ok(count) => {
                    filled += count;
                    self.position += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Some(()))
    }
}

/// The record that begins with these bytes, and the length of its header; `None` where none does.
#[inline]
fn parse(bytes: &[u8; V8]) -> Option<(Record, usize)> {
    let (is_little, version) = order([bytes[0], bytes[1], bytes[2], bytes[3]])?;
    let record = if is_little { fields::<true>(bytes, version) } else { fields::<false>(bytes, version) };
    Some((record, if version == 8 { V8 } else { V7 }))
}

/// The byte order is known when this is compiled, so that a field is one load.
fn fields<const IS_LITTLE: bool>(bytes: &[u8; V8], version: u8) -> Record {
    let word = |at: usize| {
        let word = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        if IS_LITTLE { u32::from_le_bytes(word) } else { u32::from_be_bytes(word) }
    };
    let double = |at: usize| {
        let (first, second) = (u64::from(word(at)), u64::from(word(at + 4)));
        if IS_LITTLE { second << 32 | first } else { first << 32 | second }
    };
    let half = |at: usize| {
        let half = [bytes[at], bytes[at + 1]];
        if IS_LITTLE { u16::from_le_bytes(half) } else { u16::from_be_bytes(half) }
    };
    let (action, pid, device, error, payload) = if version == 8 {
        (double(32), word(28), word(40), half(48), half(50))
    } else {
        (u64::from(word(28)), word(32), word(36), half(44), half(46))
    };
    let (at, sector, bytes, is_little) = (double(8), double(16), word(24), IS_LITTLE);
    Record { at, sector, bytes, pid, action, device, error, payload, is_little }
}

/// Where the categories begin in an action.
const CATEGORIES: u32 = 16;
/// What happened, without the bit that says that a control group's number comes first in the payload.
const ACTION: u64 = 0xFF;
const WITH_CGROUP: u64 = 1 << 8;
const WRITE: u64 = 1 << (CATEGORIES + 1);
const FLUSH: u64 = 1 << (CATEGORIES + 2);
const SYNC: u64 = 1 << (CATEGORIES + 3);
const PASSTHROUGH: u64 = 1 << (CATEGORIES + 9);
const NOTIFY: u64 = 1 << (CATEGORIES + 10);
const AHEAD: u64 = 1 << (CATEGORIES + 11);
const META: u64 = 1 << (CATEGORIES + 12);
const DISCARD: u64 = 1 << (CATEGORIES + 13);
const FUA: u64 = 1 << (CATEGORIES + 15);

impl Record {
    fn kind(self) -> ActionKind {
        if self.has(NOTIFY) {
            return match self.action & ACTION {
                0 => ActionKind::ProcessName,
                1 => ActionKind::TimeOfDay,
                _ => ActionKind::Other,
            };
        }
        ActionKind::Event(match self.action & ACTION {
            1 => What::Queued,
            2 => What::Merged,
            3 => What::MergedInFront,
            6 => What::Requeued,
            7 => What::Issued,
            8 => What::Completed,
            _ => return ActionKind::Other,
        })
    }

    /// What a notice holds behind the number of a control group, which not every one has.
    fn notice(self, payload: &[u8]) -> &[u8] {
        if self.has(WITH_CGROUP) { payload.get(8..).unwrap_or(b"") } else { payload }
    }

    fn has(self, category: u64) -> bool {
        self.action & category != 0
    }

    fn named(self) -> Named {
        let op = self.op();
        Named { op, flags: self.flags(), is_empty_write: op == Op::Flush && self.has(WRITE) }
    }

    fn op(self) -> Op {
        if self.has(DISCARD) {
            Op::Discard
        } else if self.bytes == 0 {
            Op::Flush
        } else if self.has(WRITE) {
            Op::Write
        } else {
            Op::Read
        }
    }

    fn flags(self) -> IoFlags {
        let hints = [
            (FLUSH, IoFlags::PREFLUSH),
            (SYNC, IoFlags::SYNC),
            (AHEAD, IoFlags::READ_AHEAD),
            (META, IoFlags::METADATA),
            (FUA, IoFlags::FUA),
        ];
        hints
            .iter()
            .filter(|(category, _)| self.has(*category))
            .fold(IoFlags::NONE, |flags, (_, flag)| flags.with(*flag))
    }
}

/// The kernel has no higher process number; what a damaged stream has beyond is not remembered.
const MAX_PID: u32 = 1 << 22;
/// The most of a process's name that the kernel keeps.
const MAX_COMMAND: usize = 16;
/// Devices whose numbers are at hand.
const MAX_DEVICES: usize = 1 << 16;

/// What stands for the source's numbers in the trace.
#[derive(Debug, Default)]
struct SourceNumbers<T> {
    known: AHashMap<u32, T>,
    /// The one that was asked for last, since traces repeat themselves.
    last: Option<(u32, T)>,
}

impl<T: Copy> SourceNumbers<T> {
    #[inline]
    fn get(&mut self, number: u32) -> Option<T> {
        match self.last {
            Some((last, value)) if last == number => Some(value),
            _ => self.known.get(&number).copied().inspect(|value| self.last = Some((number, *value))),
        }
    }

    /// Keeps it, where there are not so many already.
    fn keep(&mut self, number: u32, value: T, most: usize) {
        if self.known.len() < most {
            self.known.insert(number, value);
        }
    }

    fn forget(&mut self, number: u32) {
        self.known.remove(&number);
        self.last = None;
    }
}

/// Makes events of records, and remembers what names they gave.
#[derive(Debug, Default)]
pub struct Translator {
    devices: SourceNumbers<DeviceId>,
    processes: SourceNumbers<ProcessId>,
    commands: AHashMap<u32, Vec<u8>>,
    /// The first time of day that a record held.
    pub clock: Option<ClockAnchor>,
}

/// What the time of day was at a moment of the tracer's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockAnchor {
    /// Nanoseconds on the tracer's clock.
    at: u64,
    /// Nanoseconds since 1970 in UTC.
    unix_ns: u64,
}

impl ClockAnchor {
    /// A notice of two words: seconds since 1970, and nanoseconds of the next one.
    fn parse(record: Record, payload: &[u8]) -> Option<ClockAnchor> {
        let (words, _) = record.notice(payload).as_chunks::<4>();
        let word = |bytes: [u8; 4]| {
            u64::from(if record.is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) })
        };
        let [seconds, nanos, ..] = *words else { return None };
        Some(ClockAnchor { at: record.at, unix_ns: word(seconds) * 1_000_000_000 + word(nanos) })
    }

    /// Nanoseconds since 1970 at another moment of the tracer's clock; none before 1970.
    pub fn unix_nanos(self, at: u64) -> Option<u64> {
        u64::try_from(i128::from(self.unix_ns) + i128::from(at) - i128::from(self.at)).ok()
    }
}

impl Translator {
    /// Hands a record over as an event, where it is one.
    #[inline]
    pub fn hand_over(&mut self, record: Record, payload: &[u8], out: &mut impl EventSink) {
        match record.kind() {
            ActionKind::Event(_) if record.has(PASSTHROUGH) => out.reject(RejectReason::PASSTHROUGH),
            ActionKind::Event(what) => self.event(record, what, out),
            ActionKind::ProcessName => self.name(record, payload),
            ActionKind::TimeOfDay => self.clock = self.clock.or_else(|| ClockAnchor::parse(record, payload)),
            ActionKind::Other => {}
        }
    }

    fn event(&mut self, record: Record, what: What, out: &mut impl EventSink) {
        let named = record.named();
        let Some(extent) = named.extent(record.sector, u64::from(record.bytes).div_ceil(512)) else {
            return out.reject(RejectReason::OUT_OF_RANGE);
        };
        let is_end = what == What::Completed;
        let status = match record.error.cast_signed() {
            error if is_end && error != 0 => Status::errno(i32::from(error).abs()),
            _ => Status::OK,
        };
        let device = self.device(record.device, out);
        let process = if is_end { ProcessId(0) } else { self.process(record.pid, out) };
        let (what, Named { op, flags, .. }) = (named.meaning(what), named);
        out.event(Event { at: record.at, what, device, extent, op, flags, process, status });
    }

    #[inline]
    fn device(&mut self, number: u32, out: &mut impl EventSink) -> DeviceId {
        self.devices.get(number).unwrap_or_else(|| {
            let device = device_of(number, out);
            self.devices.keep(number, device, MAX_DEVICES);
            device
        })
    }

    #[inline]
    fn process(&mut self, pid: u32, out: &mut impl EventSink) -> ProcessId {
        if pid > MAX_PID {
            return ProcessId(0);
        }
        self.processes.get(pid).unwrap_or_else(|| {
            let process = match self.commands.get(&pid) {
                Some(command) => out.process(command),
                None => out.process(pid.to_string().as_bytes()),
            };
            self.processes.keep(pid, process, MAX_PID as usize);
            process
        })
    }

    /// A notice of a process's name; what it asked for before stays under its number.
    fn name(&mut self, record: Record, payload: &[u8]) {
        let payload = record.notice(payload);
        let end = memchr::memchr(0, payload).unwrap_or(payload.len()).min(MAX_COMMAND);
        if record.pid > MAX_PID {
            return;
        }
        self.commands.insert(record.pid, payload[..end].to_vec());
        self.processes.forget(record.pid);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufReader, Read};

    /// Ends with an error, and has nothing more to say: as an unpacker of a damaged file does.
    struct Damaged<'a>(&'a [u8], Option<io::Error>);

    impl Read for Damaged<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            if self.0.is_empty() { self.1.take().map_or(Ok(0), Err) } else { self.0.read(buffer) }
        }
    }

    #[test]
    fn damage_between_two_records_is_no_end() {
        let mut records = [0; 3 * V7];
        for record in records.chunks_exact_mut(V7) {
            record[..4].copy_from_slice(&(MAGIC | 7).to_le_bytes());
        }
        for capacity in [1, 50, V8, 1 << 10] {
            let damaged = Damaged(&records, Some(io::Error::other("damaged")));
            let mut stream = Stream::new(BufReader::with_capacity(capacity, damaged));
            for _ in 0..3 {
                assert!(stream.next().expect("a record").is_some(), "{capacity}");
            }
            assert_eq!(stream.next().expect_err("the damage").to_string(), "damaged", "{capacity}");
        }
    }
}
