//! Exports, object stores, and reports of a fleet.

#[path = "../common/mod.rs"]
mod common;

mod export;
mod fleet;
mod store;
