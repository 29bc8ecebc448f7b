//! What kinds of results share that verify what they wrote: self-describing blocks that are read back by the run itself, or after
//! a crash.

mod findings;
mod kind;
mod settings;
mod view;
mod words;
mod workload;

pub use findings::{FaultFound, FoundThere, JudgedAfter, ReadLater, VerificationFindings};
pub use kind::{ReadBackPlan, VerifiedKind};
pub use settings::{ReadBack, StreamNumber, StreamOnDrive};
pub use view::after_crash;
pub use workload::ReadEach;

pub(crate) use view::{faults, listed, units, verdict};
pub(crate) use words::{not_as_written, not_read_back, verification as verification_in_words};
pub(crate) use workload::longest_read;
