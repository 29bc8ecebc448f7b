//! One module a command: arguments to plan, plan to run, run to output.

mod after_crash;
pub mod attended;
pub mod boot;
pub mod consistency;
pub mod decode;
pub mod drive_tests;
pub mod drives;
pub mod energy;
pub mod export;
pub mod fleet;
mod folders;
pub mod identity;
pub mod image;
pub mod index;
pub mod label;
pub mod lifetime;
pub mod load;
pub mod matrix;
pub mod paths;
pub mod program;
pub mod purge;
pub mod replay;
pub mod report;
pub mod review;
pub mod stream;
#[cfg(test)]
mod tests;
pub mod trace;
