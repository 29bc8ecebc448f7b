//! Meters: instruments, and those of made machines.

mod instruments;
mod shown_machines;
