//! What kinds of results share that verify what they wrote: self-describing blocks that are read back by the run itself, or after
//! a crash.

mod findings;
mod settings;
mod words;
mod workload;

pub use findings::{FaultFound, FoundThere, JudgedAfter, ReadLater, VerificationFindings};
pub use settings::{ReadBack, ReadBackPlan, StreamNumber, StreamOnDrive, VerifiedKind};
pub use words::after_crash;
pub use workload::ReadEach;

pub(crate) use words::{
    faults, listed, note_read_back, units, verdict, verification as verification_in_words,
};
pub(crate) use workload::read_back_phase;
