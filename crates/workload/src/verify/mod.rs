//! Blocks that say who they are: made for writing, read back, and judged.
//!
//! A cyclic stream, or a random load, writes the same blocks again and again. Every sector of a block holds the run, the number
//! of the write, its own address and a checksum, and the rest of it differs with every write: whatever a drive does to it (an
//! older generation, another place, half of it, a changed bit, nothing at all) shows when it is read, and shows as what
//! it is. What a place has to hold is known from the completions alone ([`Ledger`]).

mod checksum;
mod described;
mod judge;
mod layout;
mod ledger;
mod looks;
mod sector;
mod spread;
mod tally;

pub use described::Described;
pub use judge::{Fault, Piece, judge, judge_flushed};
pub use ledger::{ExpectedSector, Ledger};
pub use looks::{BlockContents, ReadbackLog, ReadbackPayload, Returned};
pub use sector::RunId;
pub use tally::{FaultReport, SharedVerification, Verification};
