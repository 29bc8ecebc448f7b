//! The energy of a task, by a meter.

mod terminal;

pub use terminal::{energy_summary, energy_terminal};
