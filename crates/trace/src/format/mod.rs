//! Other people's formats. Each makes I/Os or events of lines; none of them opens a file.

mod biosnoop;
mod blkparse;
pub mod blktrace;
mod disksim;
mod etw;
mod fio;
mod fiu;
mod kernel;
pub mod own_csv;
mod separated;

use drivelab_block::{Extent, Instant, Op, TracedIo, worded_enum};

use crate::event::extent;
use crate::manifest::Measured;
use crate::reject_reason::RejectReason;
use crate::trace_builder::EventSink;

/// Takes the next line of a file, without its end.
pub type LineReader<C> = Box<dyn FnMut(&[u8], &mut C)>;

/// What a line was: an I/O, a record that cannot be believed, or none that the format knows.
type ParsedRow = Option<Result<TracedIo, RejectReason>>;

/// A reader of a format of which each line is an I/O by itself and begins with a digit.
fn rows<C: EventSink + 'static>(
    parse: impl Fn(&[u8], &mut C) -> ParsedRow + 'static,
    measured: Measured,
) -> LineReader<C> {
    Box::new(move |line, out| {
        let row = parse(line, out);
        hand_over(row, || begins_with_digit(line), measured, out);
    })
}

/// A reader that remembers something of the lines before.
fn remembering<T: Default + 'static, C: 'static>(
    take: impl Fn(&mut T, &[u8], &mut C) + 'static,
) -> LineReader<C> {
    let mut known = T::default();
    Box::new(move |line, out| take(&mut known, line, out))
}

worded_enum! {
    /// The formats there are; where several fit a file equally well, the first is taken.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Format {
        /// The kernel's binary `blktrace`, versions 7 and 8.
        Blktrace = "blktrace",
        /// Pages of the kernel's ring buffer, as `trace_pipe_raw` gives them, with the `format` files beside them.
        Ring = "trace-pipe-raw",
        /// The text of `perf script`, or of tracefs' `trace` and `trace_pipe`.
        Kernel = "kernel-text",
        /// The text of `blkparse`.
        Blkparse = "blkparse",
        /// fio's I/O log, versions 2 and 3.
        Fio = "fio",
        /// What drivelab exports as CSV.
        OwnCsv = "drivelab-csv",
        /// MSR Cambridge CSV.
        Msr = "msr",
        /// SYSTOR '17 CSV.
        Systor = "systor",
        /// Alibaba block traces.
        Alibaba = "alibaba",
        /// Tencent CBS.
        Tencent = "tencent",
        /// Windows xperf or ETW, as CSV.
        Etw = "etw",
        /// BCC's biosnoop.
        Biosnoop = "biosnoop",
        /// blkreplay `.load`.
        Blkreplay = "blkreplay",
        /// `DiskSim`'s validation runs.
        DisksimValidation = "disksim-validation",
        /// Florida International University.
        Fiu = "fiu",
        /// `MQSim`.
        Mqsim = "mqsim",
        /// `DiskSim` ASCII.
        Disksim = "disksim",
    }
}

impl Format {
    /// Whether it says which writes are synchronous: the kernel's own formats do. An export says what its trace knew, which may
    /// be nothing.
    pub const fn marks_synchronous_writes(self) -> bool {
        matches!(self, Format::Blktrace | Format::Blkparse | Format::Ring | Format::Kernel)
    }

    /// A reader of its lines; `None` for a binary format.
    pub fn lines<C: EventSink + 'static>(self) -> Option<LineReader<C>> {
        Some(match self {
            Format::Blktrace | Format::Ring => return None,
            Format::Blkparse => Box::new(blkparse::line::<C>),
            Format::Fio => remembering(fio::Fio::line),
            Format::Msr => rows(separated::msr, Measured::QueueToComplete),
            Format::Systor => rows(separated::systor, Measured::QueueToComplete),
            Format::Fiu => rows(fiu::parse, Measured::Nothing),
            Format::Alibaba => rows(separated::alibaba, Measured::Nothing),
            Format::Tencent => rows(separated::tencent, Measured::Nothing),
            Format::Etw => remembering(etw::Etw::line),
            Format::Biosnoop => remembering(biosnoop::Biosnoop::line),
            Format::Blkreplay => rows(separated::blkreplay, Measured::QueueToComplete),
            Format::Disksim => rows(disksim::ascii, Measured::Nothing),
            Format::Mqsim => rows(disksim::mqsim, Measured::Nothing),
            Format::DisksimValidation => remembering(disksim::Validation::line),
            Format::Kernel => Box::new(kernel::line::<C>),
            Format::OwnCsv => remembering(own_csv::OwnCsv::line),
        })
    }

    /// Whether its times are whole seconds.
    pub const fn has_whole_seconds(self) -> bool {
        matches!(self, Format::Tencent)
    }

    /// From when its times count: those of formats with the same clock can be compared.
    pub fn clock(self) -> Clock {
        match self {
            Format::Msr => Clock::Windows,
            Format::Systor | Format::Alibaba | Format::Tencent => Clock::Unix,
            Format::Blktrace | Format::Ring | Format::Kernel | Format::Fiu => Clock::Machine(self.word()),
            _ => Clock::File(self.word()),
        }
    }

    /// The wall-clock time, in nanoseconds since 1970, of a time on its clock; `None` where the clock is its own.
    pub fn unix_nanos(self, at: u64) -> Option<u64> {
        /// From 1601 to 1970, in nanoseconds.
        const FILETIME_EPOCH: u64 = 11_644_473_600_000_000_000;
        match self {
            Format::Msr => at.checked_sub(FILETIME_EPOCH),
            Format::Systor | Format::Alibaba | Format::Tencent => Some(at),
            _ => None,
        }
    }
}

/// From when the times of a format count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// From 1970.
    Unix,
    /// From 1601.
    Windows,
    /// From some moment of the machine that all files of this format share.
    Machine(&'static str),
    /// From the beginning of each file of this format.
    File(&'static str),
}

/// The sectors that a run of bytes touches; `None` where it is beyond any drive.
#[inline]
fn touched(offset: u64, length: u64) -> Option<Extent> {
    let end = offset.checked_add(length)?.div_ceil(512);
    let start = offset / 512;
    extent(start, end - start)
}

/// An I/O, or why it is none.
#[inline]
fn io(at: u64, op: Op, extent: Option<Extent>) -> Result<TracedIo, RejectReason> {
    extent.map(|extent| TracedIo::new(Instant::from_nanos(at), op, extent)).ok_or(RejectReason::OUT_OF_RANGE)
}

/// Hands over what a line was; a line whose start is not that of a record is no record.
#[inline]
fn hand_over<C: EventSink>(
    row: ParsedRow,
    begins_well: impl FnOnce() -> bool,
    measured: Measured,
    out: &mut C,
) {
    match row {
        Some(Ok(io)) => out.io(io, measured),
        Some(Err(reason)) => out.reject(reason),
        None if begins_well() => out.reject(RejectReason::MALFORMED),
        None => out.other(),
    }
}

/// Whether a line begins with a digit, as the rows of most formats do.
fn begins_with_digit(line: &[u8]) -> bool {
    line.trim_ascii_start().first().is_some_and(u8::is_ascii_digit)
}
