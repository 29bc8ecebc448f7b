//! The buffer that a stream needs, and how often smaller ones are too small: the same sizes on every page, terminal and in
//! every document.

use drivelab_analysis::Backlog;
use serde::{Deserialize, Serialize};

use super::StallsReport;
use crate::format::percent;

/// What the sizes of [`sizes`] are called.
pub(crate) const SIZES: [&str; 3] = ["A quarter of that", "Half of that", "Large enough"];
/// The least buffer that is called large enough, in bytes.
const LEAST: u64 = 4 << 20;

/// The sizes of buffers, in bytes, by which a backlog of so many bytes is judged: the least power of two that holds it,
/// which was large enough, after a quarter and a half of that.
fn sizes(backlog: u64) -> [u64; 3] {
    let enough = backlog.max(LEAST).checked_next_power_of_two().unwrap_or(1 << 63);
    [enough / 4, enough / 2, enough]
}

/// The buffer that a stream needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BufferDocument {
    /// The stream's rate.
    pub stream_mb_s: f64,
    /// Whether it was asked for.
    #[serde(default)]
    pub asked: bool,
    /// The largest backlog that the run would have built.
    pub largest_backlog_bytes: u64,
    /// Whether the drive keeps up with the stream on average; where not, the backlog grows with the run.
    pub sustained: bool,
    /// Whether the run itself wrote as fast; where not, the drive had rest that the stream would not give it.
    #[serde(default)]
    pub reached: bool,
    /// How often buffers of a quarter, of a half and of the whole of a size that was large enough are too small for a
    /// block; empty where the drive does not keep up, since no size is large enough then.
    pub overflow: Vec<OverflowDocument>,
}

/// How often a buffer is too small.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OverflowDocument {
    /// Its size.
    pub buffer_bytes: u64,
    /// The share of blocks for which it is too small.
    pub share: f64,
}

/// What a run says of the buffer that a stream needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// As much as the largest backlog.
    Backlog,
    /// That or more: the run itself was slower than the stream.
    AtLeastBacklog,
    /// No buffer is large enough: the drive does not keep up.
    Endless,
}

impl BufferDocument {
    /// What the run says of the buffer.
    pub(crate) fn need(&self) -> Need {
        match (self.sustained, self.reached) {
            (false, _) => Need::Endless,
            (true, false) => Need::AtLeastBacklog,
            (true, true) => Need::Backlog,
        }
    }

    /// The buffer that one of a report's streams needs.
    pub(super) fn of(backlog: &Backlog, report: &StallsReport<'_>) -> BufferDocument {
        let asked = report.stream_rates.iter().chain(&report.rate_asked);
        let overflow = sizes(backlog.largest())
            .map(|buffer| OverflowDocument { buffer_bytes: buffer, share: backlog.overflow(buffer) });
        BufferDocument {
            stream_mb_s: backlog.rate() / 1e6,
            asked: asked.into_iter().any(|rate| (rate - backlog.rate()).abs() < 1.0),
            largest_backlog_bytes: backlog.largest(),
            sustained: backlog.sustained(),
            reached: report.reached(backlog.rate()),
            overflow: if backlog.sustained() { overflow.into() } else { Vec::new() },
        }
    }
}

impl OverflowDocument {
    /// The buffer's size, in bytes of powers of two: `64 MiB`.
    pub(crate) fn size(&self) -> String {
        const UNITS: [(u32, &str); 4] = [(40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")];
        let unit = UNITS.iter().find(|(bits, _)| self.buffer_bytes >> bits > 0);
        unit.map_or_else(
            || format!("{} B", self.buffer_bytes),
            |(bits, name)| format!("{} {name}", self.buffer_bytes >> bits),
        )
    }

    /// The size, and how often it is too small: `64 MiB: 0.63 %`, `256 MiB: never`.
    pub(crate) fn words(&self) -> String {
        let share = if self.share > 0.0 { percent(self.share) } else { "never".to_owned() };
        format!("{}: {share}", self.size())
    }
}
