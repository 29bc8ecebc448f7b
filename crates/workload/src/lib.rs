//! What to ask of a drive: where, in which order, when, and with which contents.
//!
//! A workload knows no clock and no device. It is a stream of [`Ask`]s that depends on its specification and
//! its seed alone, so the same seed asks the same questions of every drive. Contents that say who they are, and are judged
//! when they are read, are in [`verify`].

#![forbid(unsafe_code)]

mod addresses;
mod arrivals;
mod ask;
mod one_pass;
mod payload;
mod seed;
mod span;
mod synthetic;
pub mod verify;

pub use addresses::{Addresses, Order};
pub use arrivals::{Arrivals, Schedule};
pub use ask::{Ask, Next, Paced, Workload};
pub use one_pass::{OnePass, collected_valid_share};
pub use payload::{Compressibility, Incompressible};
pub use seed::{Draw, Seed};
pub use span::{PlanError, Span};
pub use synthetic::{Mix, Synthetic};
