//! One I/O as somebody who watched it saw it.

use crate::{ByteCount, Completion, Extent, Instant, Nanos, Op, Status};

/// What a trace knows beside an I/O's operation: hints that the block layer passed on with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IoFlags(u8);

impl IoFlags {
    /// No hint, or none known.
    pub const NONE: IoFlags = IoFlags(0);
    /// A program waits for it (`REQ_SYNC`).
    pub const SYNC: IoFlags = IoFlags(1);
    /// It carries a file system's own structures (`REQ_META`).
    pub const METADATA: IoFlags = IoFlags(1 << 1);
    /// Durable before it completes (`REQ_FUA`).
    pub const FUA: IoFlags = IoFlags(1 << 2);
    /// Read before anybody asked (`REQ_RAHEAD`).
    pub const READ_AHEAD: IoFlags = IoFlags(1 << 3);
    /// The drive's cache is flushed first (`REQ_PREFLUSH`).
    pub const PREFLUSH: IoFlags = IoFlags(1 << 4);

    /// The flags with those of `other` added.
    #[must_use]
    pub const fn with(self, other: IoFlags) -> IoFlags {
        IoFlags(self.0 | other.0)
    }

    /// Whether all flags of `other` are set.
    pub const fn contains(self, other: IoFlags) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits that records keep.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The flags with these bits, as kept in records.
    pub const fn from_bits(bits: u8) -> IoFlags {
        IoFlags(bits)
    }
}

/// Which drive of its trace an I/O went to: an index into the devices that the trace lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(pub u16);

/// Who asked for an I/O: an index into the processes that the trace lists; 0 where it is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProcessId(pub u32);

/// The record of one I/O in a trace, with what its source knew of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TracedIo {
    /// When the interval that was measured began: at the issue to the device (D), or, where the source saw
    /// no issue, when the I/O was asked for (Q). Counted from the trace's first instant.
    pub issued_at: Instant,
    /// How long it had waited above the device before that (Q to D), where the source knows.
    pub queued_for: Option<Nanos>,
    /// From there to its completion, where the source knows.
    pub service: Option<Nanos>,
    /// Where, and how long.
    pub extent: Extent,
    /// Who asked.
    pub process: ProcessId,
    /// The drive.
    pub device: DeviceId,
    /// How it ended; well where the source does not say.
    pub status: Status,
    /// What was asked.
    pub op: Op,
    /// With which hints.
    pub flags: IoFlags,
}

impl TracedIo {
    /// An I/O of which nothing is known but when, what and where.
    pub const fn new(issued_at: Instant, op: Op, extent: Extent) -> TracedIo {
        TracedIo {
            issued_at,
            queued_for: None,
            service: None,
            extent,
            process: ProcessId(0),
            device: DeviceId(0),
            status: Status::OK,
            op,
            flags: IoFlags::NONE,
        }
    }

    /// When it was asked for, as far as the source knows.
    pub fn asked_at(&self) -> Instant {
        let nanos = self.issued_at.as_nanos().saturating_sub(self.queued_for.map_or(0, Nanos::get));
        Instant::from_nanos(nanos)
    }

    /// When it was complete, where the source knows.
    pub fn completed_at(&self) -> Option<Instant> {
        self.service.map(|service| self.issued_at + service)
    }

    /// From when it was asked for to its completion: queue time and service time; `None` unless both are known.
    pub fn response(&self) -> Option<Nanos> {
        Some(self.queued_for? + self.service?)
    }

    /// The bytes that were asked for.
    pub fn bytes(&self) -> ByteCount {
        self.extent.length.bytes()
    }
}

impl From<&Completion> for TracedIo {
    /// A run is a trace of itself: what waited in an open loop's schedule was queued.
    fn from(completion: &Completion) -> TracedIo {
        TracedIo {
            queued_for: Some(completion.submitted_at.since(completion.intended_at)),
            service: Some(completion.service()),
            status: completion.status,
            ..TracedIo::new(completion.submitted_at, completion.op, completion.extent)
        }
    }
}
