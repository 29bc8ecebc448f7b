//! fio's job files, what a simple job asks for, and the form of its output.
//!
//! A job file has sections in brackets, of which `global` holds what all jobs share, and lines `name=value` or `name`. Lines that
//! begin with `#` or `;` are comments. What is read is one job of one kind of I/O on one target; everything else is named, with
//! what to do about it.
//!
//! Source: fio's documentation (HOWTO), "Job file format", "Parameter types" and "Job description".

#![forbid(unsafe_code)]

mod amounts;
mod job;
mod option;
mod output;
mod sections;

pub use amounts::{Amount, JobRate};
pub use job::{FioJob, JobReadWrite};
pub use output::{DirectionOutput, FioOutput, JobOutput, LatencyOutput};
