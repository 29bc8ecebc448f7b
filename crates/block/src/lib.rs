//! The vocabulary every other room speaks.
//!
//! One kind of thing flows through drivelab: a [`Completion`], the record of one I/O. A workload makes a [`Request`], an
//! [`Engine`] answers it, a [`Sink`] keeps the answer. This crate names those things and nothing else: it knows no file, no
//! thread and no clock. What of it is part of a document has serde's derives, so that documents need no types of their own.
//! [`WhichDrive`] is by what all crates know a drive again, [`SilenceWatch`] how every loop that asks a drive sees that it
//! hangs.

#![forbid(unsafe_code)]

mod address;
mod counters;
mod energy;
mod engine;
mod io;
mod payload;
mod silence;
mod streams;
mod time;
mod traced;
pub mod typed;
mod which_drive;
mod worded;
mod work;

pub use address::{ByteCount, ByteRange, Extent, Geometry, SECTOR_BYTES, Sector, SectorCount};
pub use energy::EnergyAccount;
pub use engine::{Batch, Engine, EngineError, Full, Limits, Onlooker, Sink};
pub use io::{Completion, Op, OpSet, PhaseId, QueueId, Request, Status};
pub use payload::Payload;
pub use silence::{
    AWAY_FROM, RunLimit, SILENT_FROM, Silence, SilenceLog, SilenceOf, SilenceWatch, Unanswered,
};
pub use streams::{StreamFraming, StreamMode};
pub use time::{Instant, Nanos};
pub use traced::{DeviceId, IoFlags, ProcessId, TracedIo};
pub use which_drive::{
    DrivePlace, IdentityFact, PlacedDrive, SameDrive, WhichDrive, name_digits, number_drives,
};
pub use work::{Caching, FileSystem, SMALL_FILE, Work};
