//! What a run comes to, shown: an HTML page, pictures, tables, JSON documents and a terminal summary.
//!
//! The report is pure: a [`Comparison`] goes in, text or bytes come out. It reads no clock, touches no
//! device and prints nothing. Nothing is left out of sight: what was not obtained, what was lost and what
//! carries no weight is said beside the figures.

#![forbid(unsafe_code)]

mod beside;
mod binned;
mod condition;
mod csv;
mod documents;
mod energy;
mod exceedance;
mod format;
mod gauged;
mod html;
mod names;
mod numbers;
mod page_document;
mod picture;
mod ranking;
mod records;
mod replay;
mod run;
mod scale;
mod still;
mod summary;
mod terminal;
mod trace;
mod verdict;

pub use beside::{BesideReport, beside_html};
pub use condition::Condition;
pub use csv::csv;
pub use documents::{
    CONSISTENCY_SCHEMA, ConsistencyDocument, ConsistencyRun, DriveDocument, InjectedDelayDocument,
    NoticeDocument, PerSecondDocument, PhaseDocument, SimulationDocument,
};
pub use energy::{energy_summary, energy_terminal};
pub use gauged::GaugeDocument;
pub use html::html;
pub use picture::{PictureError, png_pictures, svg_pictures};
pub use ranking::DifferenceDocument;
pub use records::Records;
pub use replay::{
    ComparisonDocument, DirectionsDocument, DistanceDocument, FidelityDocument, IopsDocument,
    LatenessDocument, LeftOutDocument, MapDocument, REPLAY_SCHEMA, ReplayDocument, ReplayReport,
    SpanDocument, fidelity_line, replay_terminal,
};
pub use run::{
    Comparison, Drive, Ended, InjectedDelay, Notice, PhaseLine, RunReport, RunSlow, Severity,
    SimulationTruth, Withheld,
};
pub use summary::{LatencyDocument, SteadyDocument, SummaryDocument};
pub use terminal::{TerminalStyle, terminal};
pub use trace::BunchingDocument;
pub use verdict::{Tone, Verdict, verdict};
