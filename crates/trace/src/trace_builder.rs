//! What comes out of a source: I/Os on their way into the trace, and an account of everything else.

use drivelab_block::{DeviceId, Nanos, Op, ProcessId, TracedIo};

use crate::event::Event;
use crate::folder::TraceError;
use crate::manifest::{Account, Device, Measured};
use crate::names::Names;
use crate::pairing::{Pairing, Pairs};
use crate::reject_reason::RejectReason;
use crate::times::Times;

/// What a format hands over. Times are nanoseconds on the source's clock.
pub trait EventSink {
    /// The number of a device.
    fn device(&mut self, name: &[u8]) -> DeviceId;
    /// The number of a process.
    fn process(&mut self, name: &[u8]) -> ProcessId;
    /// A whole I/O, with what its duration spans.
    fn io(&mut self, io: TracedIo, measured: Measured);
    /// One event of an I/O, in the order of time.
    fn event(&mut self, event: Event);
    /// A row that cannot be believed.
    fn reject(&mut self, reason: RejectReason);
    /// A line that is no record.
    fn other(&mut self);
    /// Events that the source says it lost.
    fn lost(&mut self, events: u64);
}

/// The device of a number as the kernel's binary events have it: 12 bits of major, 20 of minor.
pub fn device_of(number: u32, out: &mut impl EventSink) -> DeviceId {
    out.device(format!("{},{}", number >> 20, number & 0xF_FFFF).as_bytes())
}

/// Where I/Os go that can be believed.
pub trait IoSink {
    /// Takes the next one, with its time on the source's clock. After an error the source is not read any further.
    fn keep(&mut self, io: TracedIo) -> Result<(), TraceError>;
}

/// Collects a source: its I/Os go to be kept, and everything else into an account.
pub struct TraceBuilder<K> {
    /// Apart from the pairing, which hands over to it.
    pub kept: Kept<K>,
    pairing: Pairing,
}

/// What came of a source until now.
pub struct Kept<K> {
    pub names: Names,
    pub account: Account,
    times: Times,
    /// Where the I/Os go.
    pub keeper: K,
    /// The first error that ended it; a format need not look.
    failure: Option<TraceError>,
}

/// What was collected.
pub struct ImportedTrace<K> {
    /// The devices, each under its number.
    pub devices: Vec<Device>,
    /// The processes, each under its number.
    pub processes: Vec<String>,
    /// What came of everything.
    pub account: Account,
    /// What has the I/Os.
    pub keeper: K,
}

impl<K: IoSink> TraceBuilder<K> {
    /// Collects what this keeps, by these times.
    pub fn new(keeper: K, times: Times) -> TraceBuilder<K> {
        let (names, account) = (Names::default(), Account::default());
        let kept = Kept { names, account, times, keeper, failure: None };
        TraceBuilder { kept, pairing: Pairing::default() }
    }

    /// Whether an I/O could not be kept: there is no use in going on.
    pub fn has_failed(&self) -> bool {
        self.kept.failure.is_some()
    }

    /// Notes where the source was damaged.
    pub fn damaged(&mut self, what: String) {
        self.kept.account.add_damage(what);
    }

    /// Ends the source, with the error of an I/O that could not be kept.
    pub fn finish(mut self) -> Result<ImportedTrace<K>, TraceError> {
        self.pairing.end(&mut self.kept);
        self.kept.judge(|times, on| times.end(on));
        let Kept { names, account, keeper, failure, .. } = self.kept;
        let Names { devices, processes, .. } = names;
        failure.map_or(Ok(ImportedTrace { devices, processes, account, keeper }), Err)
    }
}

impl<K: IoSink> EventSink for TraceBuilder<K> {
    #[inline]
    fn device(&mut self, name: &[u8]) -> DeviceId {
        self.kept.names.device(name)
    }

    #[inline]
    fn process(&mut self, name: &[u8]) -> ProcessId {
        self.kept.names.process(name)
    }

    #[inline]
    fn io(&mut self, io: TracedIo, measured: Measured) {
        self.kept.io(io, measured);
    }

    fn event(&mut self, event: Event) {
        self.pairing.event(event, &mut self.kept);
    }

    fn reject(&mut self, reason: RejectReason) {
        reject(&mut self.kept.account, reason);
    }

    fn other(&mut self) {
        self.kept.account.other_lines += 1;
    }

    fn lost(&mut self, events: u64) {
        let lost = &mut self.kept.account.lost_events;
        *lost = lost.saturating_add(events);
    }
}

fn reject(account: &mut Account, reason: RejectReason) {
    *account.rejected.entry(reason.0.to_owned()).or_default() += 1;
}

impl<K: IoSink> Kept<K> {
    /// Keeps or rejects what the times were judged to be.
    #[inline]
    fn judge(&mut self, judge: impl FnOnce(&mut Times, &mut dyn FnMut(Result<TracedIo, RejectReason>))) {
        let Kept { account, times, keeper, failure, .. } = self;
        judge(times, &mut |judged| match judged {
            Ok(io) => {
                account.requests += 1;
                if failure.is_none() {
                    *failure = keeper.keep(io).err();
                }
            }
            Err(reason) => reject(account, reason),
        });
    }
}

impl<K: IoSink> Pairs for Kept<K> {
    #[inline]
    fn io(&mut self, mut io: TracedIo, measured: Measured) {
        if let Some(reason) = impossible(&io) {
            return reject(&mut self.account, reason);
        }
        if io.queued_for.is_some_and(|wait| wait > LONGEST) {
            io.queued_for = None;
            self.unpaired(RejectReason::STALE_ASK);
        }
        if io.service.is_some() {
            self.names.measured(io.device, measured);
        }
        self.judge(|times, on| times.judge(io, on));
    }

    fn unpaired(&mut self, reason: RejectReason) {
        *self.account.unpaired.entry(reason.0.to_owned()).or_default() += 1;
    }
}

/// An hour: the kernel gives up on a request after half a minute, and after a few tries.
const LONGEST: Nanos = Nanos::from_secs(3_600);

/// Why an I/O cannot have been, if so.
#[inline]
fn impossible(io: &TracedIo) -> Option<RejectReason> {
    if io.extent.length.get() == 0 && io.op != Op::Flush {
        return Some(RejectReason::EMPTY);
    }
    if io.service.is_some_and(|service| service > LONGEST) {
        return Some(RejectReason::OUT_OF_RANGE);
    }
    None
}

/// Counts what a format makes of a sample; nothing is kept.
#[derive(Debug, Default)]
pub struct FormatTally {
    /// Rows and events that were understood.
    pub records: u64,
}

impl EventSink for FormatTally {
    fn device(&mut self, _: &[u8]) -> DeviceId {
        DeviceId(0)
    }

    fn process(&mut self, _: &[u8]) -> ProcessId {
        ProcessId(0)
    }

    fn io(&mut self, _: TracedIo, _: Measured) {
        self.records += 1;
    }

    fn event(&mut self, _: Event) {
        self.records += 1;
    }

    fn reject(&mut self, _: RejectReason) {}

    fn other(&mut self) {}

    fn lost(&mut self, _: u64) {}
}
