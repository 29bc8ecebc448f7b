//! Slow I/Os: whether they are clustered, as findings and in sentences.

mod findings;
pub mod words;

pub use findings::{
    ChanceFindings, ClusteringAnswer, DispersionFindings, NotShownReason, SlowByDirection, SlowFindings,
    SlowReport, WaitFindings, page_threshold, waits,
};

use drivelab_block::Op;

/// The directions whose slow I/Os are judged apart, in words.
pub const DIRECTIONS: [(Op, &str); 2] = [(Op::Read, "reads"), (Op::Write, "writes")];
