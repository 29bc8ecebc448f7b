//! The energy of a task, by a meter.

mod compared;
mod page;
mod terminal;

pub use compared::{
    ENERGY_COMPARISON_SCHEMA, EnergyComparisonDocument, EnergySideDocument, energy_comparison_terminal,
};
pub use page::energy_html;
pub use terminal::{energy_summary, energy_terminal};
