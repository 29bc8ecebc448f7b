//! Traces: formats, export, damaged input, and real ones.

mod common;

mod corpus;
mod export;
mod formats;
mod real_traces;
