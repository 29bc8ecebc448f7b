//! The tests of drives, a folder each.
//!
//! A test says what was asked ([`ResultKind::Settings`]), what that means for a drive of a given size ([`Test::plan`]), what is
//! done ([`RecordedTest::run`] or [`CellTest::run`]), what was found ([`ResultKind::Findings`]) and what is shown of it
//! ([`ResultKind::VIEW`]). It works on the drive through a [`DriveUnderTest`] or a [`CellDrive`], and so cannot know whether the
//! drive is real or simulated; it reads no clock and prints nothing. What a test left in a folder is opened again as a
//! [`StoredResult`], alone or in a [`Comparison`] with others of its kind.

#![forbid(unsafe_code)]

mod asked;
mod asked_purge;
pub mod consistency;
mod document;
pub mod energy;
mod estimate;
pub mod fill;
pub mod ios;
mod kind;
mod lapses;
pub mod load;
mod machine_limit;
pub mod matrix;
pub mod offered_load;
mod one_load;
mod one_pass;
mod outline;
pub mod paths;
pub mod pts;
pub mod quick;
mod range;
pub mod read_back;
mod records;
pub mod replay;
mod session;
mod shown;
pub mod stalls;
mod stood_still;
pub mod surroundings;
mod test;
mod throttled;
pub mod trim;
pub mod wake;
mod warm_up;
pub mod watched;
mod whole;
mod words;
pub mod working_set;

pub use asked::AskedSetting;
pub use asked_purge::{CommandPurge, PurgeOption};
pub use document::{Document, FindingsFile, schema_of};
pub use drivelab_inspect::MeanOverRuns;
pub use drivelab_workload::PlanError;
pub use kind::{
    ComparedResult, Comparison, Ended, Hooks, ResultKind, SlowIoHooks, StoredResult, take_records, tell_apart,
};
pub use lapses::{document as lapses_document, not_as_written, unanswered_document, unread_writes};
pub use one_load::{by_discard, not_purged};
pub use one_pass::{FlashOverProvisioning, OnePassPlan, OverProvisioningSource};
pub use outline::{DriveError, Outline, PlanDocument, PlannedTime};
pub use range::{RangeEnd, RangeOption};
pub use records::RecordsAnalysis;
pub use session::{
    DiscardClaims, DiscardOutcome, DriveResult, DriveUnderTest, NoPowerStates, ReadContents,
    RecordedRequests, ReportedPowerState, RequestSpan, WrittenCounts,
};
pub use stood_still::{StandstillRule, in_words as standstill_in_words, too_much as too_much_standstill};
pub use test::{
    CellDrive, CellTest, NeededDiscards, PlanResult, RangeOf, RecordedTest, Test, TestNeeds, TestRules,
    TestSetup,
};
pub use warm_up::{WarmUpPlan, warm_up_notice};
pub use watched::WatchedDrive;
pub use words::status_words;
