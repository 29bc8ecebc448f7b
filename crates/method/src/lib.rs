//! Test methods: a method is a list of phases, a phase is a workload, an address range and a stop rule.
//!
//! [`run()`] is the one loop that asks a drive anything, generic over the engine: the same code drives a
//! real drive and a simulated one. [`conduct()`] runs it for every worker while the recorder keeps what
//! comes back. This crate cannot name an engine: only the runner picks one.

#![forbid(unsafe_code)]

mod collected;
mod conduct;
mod failing;
mod held;
mod load;
mod lookout;
mod overdue;
mod pause;
mod phase;
mod places;
mod purge;
mod recorder;
pub mod replay;
mod rested;
mod run;
mod stepped;
mod stop;
mod warmed;

pub use collected::{Collected, noted};
pub use conduct::{ConductError, Progress, Workers, conduct};
pub use held::StandstillWatch;
pub use load::{LoadPlan, Pace, RATE_MAX, check_range};
pub use pause::Pause;
pub use phase::{PhaseEnd, PhasePlan};
pub use places::{CurveIo, EvenPlaces};
pub use purge::{DiscardPurpose, Purge};
pub use recorder::{PhaseObserver, RecordedRun, RunRecorder};
pub use rested::{Rested, RestedRead};
pub use run::{WorkerContext, run};
pub use stepped::{RecordedSteps, StepTime, stepped};
pub use stop::{Interrupt, StopRule};
pub use warmed::{Thermometry, WarmUpState, Warmed};
