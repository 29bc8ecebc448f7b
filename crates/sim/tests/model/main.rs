//! The simulated drive against its formulas, its specification and its own ground truth.

mod rig;

mod corpus;
mod defects;
mod energy;
mod engine;
mod hashes;
mod health;
mod heat;
mod map_cache;
mod power_cut;
mod power_states;
mod profiles;
mod reference;
mod slc;
mod slc_dynamic;
mod spec;
mod stalls;
mod trim;
mod write_amplification;
