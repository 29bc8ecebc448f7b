//! Tests of several modules together.

pub mod lying_drive;
mod verified_loads;
