//! Replay: a trace's requests, asked again.
//!
//! ```text
//! segments ─▶ Survey (what is asked, and where)              first reading, before anything is touched
//! segments ─▶ Planner ─▶ Feed ═ batches of steps ═ Replay ─▶ run()     second reading, a thread of its own
//! ```
//!
//! The thread that asks the drive decodes nothing and allocates nothing: it takes steps out of batches that are ready.
//! Memory does not grow with the length of the trace.

mod asking;
mod choice;
mod feed;
mod fill;
mod links;
mod mapping;
mod outstanding;
mod plan;
mod planner;
mod survey;
mod timetable;
mod touched;

pub use asking::{Replay, ReplayCounts};
pub use choice::{Choice, LeftOutRequests};
pub use feed::{Placed, TraceReading, feed};
pub use fill::{FillWhat, ReplayFill};
pub use mapping::{AddressMapping, Mapping};
pub use plan::{REPLAY_PHASE, ReadyReplay, ReplayPlan, ReplayTiming};
pub use survey::Survey;
pub use timetable::{Speed, Timetable};
