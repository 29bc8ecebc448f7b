//! Binary files that are no traces which can be read, and what to do with them.

use std::fmt;

/// What a binary file may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryKind {
    /// What `perf record` writes.
    PerfData,
    /// What `trace-cmd record` writes.
    TraceCmd,
    /// A file of Parquet.
    Parquet,
    /// None of these.
    Unknown,
}

/// How the files of the known kinds begin.
const MARKS: [(&[u8], BinaryKind); 3] = [
    (b"PERFILE2", BinaryKind::PerfData),
    (b"\x17\x08\x44tracing", BinaryKind::TraceCmd),
    (b"PAR1", BinaryKind::Parquet),
];

impl BinaryKind {
    /// The kind of a file that begins with these bytes.
    pub fn detect(start: &[u8]) -> BinaryKind {
        let known = MARKS.into_iter().find(|(mark, _)| start.starts_with(mark));
        known.map_or(BinaryKind::Unknown, |(_, kind)| kind)
    }
}

impl fmt::Display for BinaryKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            BinaryKind::PerfData => "of perf record: import what `perf script` prints of it",
            BinaryKind::TraceCmd => "of trace-cmd record: import what `trace-cmd report` prints of it",
            BinaryKind::Parquet => {
                "Parquet: name the folder of a trace to `trace show`, or import what a query writes of it as CSV"
            }
            BinaryKind::Unknown => "not text",
        })
    }
}
