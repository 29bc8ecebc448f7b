//! One I/O, as it is asked for and as it is answered.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ByteCount, Extent, Instant, Nanos};

// Reads and writes are of the extent. A discard tells the drive that the extent's contents are no longer needed (ATA TRIM, SCSI
// UNMAP, NVMe Deallocate). A flush makes every completed write durable; its extent is empty.
/// What an I/O is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "FailedOperation", description = "What an I/O that failed was to do.")]
#[repr(u8)]
pub enum Op {
    /// A read.
    Read = 0,
    /// A write.
    Write = 1,
    /// A discard.
    Discard = 2,
    /// A flush.
    Flush = 3,
}

impl Op {
    /// Every operation, in the order of its code.
    pub const ALL: [Op; 4] = [Op::Read, Op::Write, Op::Discard, Op::Flush];

    /// The operation with this code, as kept in records; `None` for a code that means nothing.
    pub fn from_code(code: u8) -> Option<Op> {
        Op::ALL.get(usize::from(code)).copied()
    }

    /// The code that records keep.
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Its name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Op::Read => "read",
            Op::Write => "write",
            Op::Discard => "discard",
            Op::Flush => "flush",
        }
    }

    /// Whether the operation changes what the drive holds.
    pub const fn is_destructive(self) -> bool {
        matches!(self, Op::Write | Op::Discard)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OpSet(u8);

impl OpSet {
    /// No operation.
    pub const EMPTY: OpSet = OpSet(0);

    /// The set with `op` added.
    #[must_use]
    pub const fn with(self, op: Op) -> OpSet {
        OpSet(self.0 | 1 << op as u8)
    }

    /// Whether `op` is in the set.
    pub const fn contains(self, op: Op) -> bool {
        self.0 & (1 << op as u8) != 0
    }

    /// Whether any operation of the set changes what the drive holds.
    pub const fn is_destructive(self) -> bool {
        self.contains(Op::Write) || self.contains(Op::Discard)
    }
}

/// Which phase of its run an I/O belongs to: an index into the phases that the run lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PhaseId(pub u8);

/// Which worker asked for an I/O: every worker has a queue of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct QueueId(pub u16);

/// How an I/O ended. A failed I/O is data, not an error of the harness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Status(i16);

impl Status {
    /// The whole extent was transferred.
    pub const OK: Status = Status(0);
    /// Fewer bytes than asked were transferred, and no error was given.
    pub const SHORT: Status = Status(-1);

    /// The drive had not answered when the run gave the I/O up. It is complete at that moment: its times are lower bounds.
    pub const UNANSWERED: Status = Status(-2);

    /// The I/O failed with this Linux error number (1 to 4095).
    pub fn errno(number: i32) -> Status {
        Status(i16::try_from(number.clamp(1, 4095)).unwrap_or(i16::MAX))
    }

    /// The status with this code, as kept in records.
    pub const fn from_code(code: i16) -> Status {
        Status(code)
    }

    /// The code that records keep: 0 well, -1 short, -2 not answered, else the error number.
    pub const fn code(self) -> i16 {
        self.0
    }

    /// This one, or `later` where this one is well.
    #[must_use]
    pub const fn or(self, later: Status) -> Status {
        if self.is_ok() { later } else { self }
    }

    /// Whether the I/O did all that was asked.
    pub const fn is_ok(self) -> bool {
        self.0 == 0
    }

    /// Whether the drive had not answered when the run gave the I/O up.
    pub const fn is_unanswered(self) -> bool {
        self.0 == Status::UNANSWERED.0
    }

    /// Whether the kernel has no drive any more to send the I/O to (`ENXIO`, `ENODEV`).
    pub const fn is_gone(self) -> bool {
        matches!(self.0, 6 | 19)
    }
}

/// One I/O that a workload asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// When the workload's schedule wanted it; [`Instant::ORIGIN`] where a closed loop has no schedule.
    pub intended_at: Instant,
    /// Where, and how long.
    pub extent: Extent,
    /// What is asked.
    pub op: Op,
    /// The phase it belongs to.
    pub phase: PhaseId,
    /// The worker that asks.
    pub queue: QueueId,
}

impl Request {
    /// The record of the request once it is done. A closed loop has no schedule: what it asks for was wanted when it was
    /// submitted.
    #[inline]
    pub fn completion(self, submitted_at: Instant, completed_at: Instant, status: Status) -> Completion {
        let is_scheduled = self.intended_at != Instant::ORIGIN;
        Completion {
            intended_at: if is_scheduled { self.intended_at } else { submitted_at },
            submitted_at,
            issued_at: None,
            completed_at,
            extent: self.extent,
            status,
            queue: self.queue,
            op: self.op,
            phase: self.phase,
        }
    }
}

/// The record of one I/O: raw time stamps, never latencies derived from them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Completion {
    /// When an open-loop schedule wanted the I/O; equal to `submitted_at` in a closed loop.
    pub intended_at: Instant,
    /// When it was handed to the engine.
    pub submitted_at: Instant,
    /// When the kernel's block layer issued it to the device, where that was observed.
    pub issued_at: Option<std::num::NonZeroU64>,
    /// When its completion was seen.
    pub completed_at: Instant,
    /// Where, and how long.
    pub extent: Extent,
    /// How it ended.
    pub status: Status,
    /// The worker that asked.
    pub queue: QueueId,
    /// What was asked.
    pub op: Op,
    /// The phase it belongs to.
    pub phase: PhaseId,
}

impl Completion {
    /// Service time: from submission to completion (fio's total latency of one I/O).
    pub fn service(&self) -> Nanos {
        self.completed_at.since(self.submitted_at)
    }

    /// Response time: from the moment the schedule wanted the I/O to its completion.
    ///
    /// In a closed loop there is no schedule and this equals [`Completion::service`]; in an open loop it
    /// holds the wait that a stalled drive causes, which the service time leaves out.
    pub fn response(&self) -> Nanos {
        self.completed_at.since(self.intended_at)
    }

    /// The bytes that were transferred or discarded; none where the I/O failed.
    pub fn bytes(&self) -> ByteCount {
        if self.status.is_ok() { self.extent.length.bytes() } else { ByteCount::new(0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_completion_stays_within_one_cache_line() {
        assert!(size_of::<Completion>() <= 64);
    }

    #[test]
    fn codes_come_back_as_the_same_operation() {
        for op in Op::ALL {
            assert_eq!(Op::from_code(op.code()), Some(op));
        }
        assert_eq!(Op::from_code(4), None);
    }

    #[test]
    fn an_error_number_survives_its_code() {
        let status = Status::errno(5);
        assert_eq!(Status::from_code(status.code()), status);
        assert!(!status.is_ok() && !Status::SHORT.is_ok() && Status::OK.is_ok());
    }
}
