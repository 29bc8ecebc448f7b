//! One module a command: arguments to plan, plan to run, run to output.

mod after_crash;
pub mod boot;
pub mod completions;
pub mod consistency;
pub mod decode;
pub mod drives;
pub mod energy;
pub mod fill;
pub mod identity;
pub mod image;
pub mod index;
pub mod label;
pub mod lifetime;
pub mod load;
pub mod man;
pub mod matrix;
pub mod offered_load;
mod one_pass;
pub mod paths;
pub mod profiles;
pub mod pts;
pub mod purge;
pub mod quick;
pub mod replay;
pub mod report;
pub mod review;
pub mod run_folders;
#[cfg(test)]
mod schemas;
pub mod stalls;
pub mod start;
pub mod stream;
pub mod trace;
pub mod trim;
pub mod wake;
pub mod working_set;
