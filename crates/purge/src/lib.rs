//! Purges of a drive: what it offers, which of it is taken and why, and the commands in their order.
//!
//! What a drive returns is parsed from bytes, and commands go through the traits [`nvme::Drive`] and [`ata::Drive`]:
//! nothing here knows a device, a file or a clock.

#![forbid(unsafe_code)]

pub mod ata;
pub mod nvme;
mod plan;

pub use plan::{Asked, Method, NoPurge, Offer, Planned, plan};
