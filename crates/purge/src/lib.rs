//! Purges of a drive: what it offers, which of it is taken and why, and the commands in their order.
//!
//! What a drive returns is parsed from bytes, and commands go through the trait [`Drive`]: nothing here knows a
//! device, a file or a clock. Fields are those of the NVM Express Base Specification 2.0 and of the NVM Command Set
//! Specification 1.0.

#![forbid(unsafe_code)]

mod action;
mod bytes;
mod command;
mod controller;
mod namespace;
mod plan;
mod sanitize;

pub use action::SanitizeAction;
pub use command::{CommandError, Drive, Erasure, Inquiry};
pub use controller::Controller;
pub use namespace::{FormattedAs, namespace_list};
pub use plan::{Asked, Method, NoPurge, NvmeFacts, Offer, Planned, facts, plan};
pub use sanitize::{SanitizeError, SanitizeLog, SanitizeState, Sanitized, awaited, sanitize};
