//! What is written to the flash of a drive in each phase of a run, by the drive's own counters.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use drivelab_documents::{MediaWrites, WriteCounter, WriteCounters};
use drivelab_probe::nvme::{OcpLog, data_units_written};
use drivelab_probe::{Health, Written, WrittenCounter, health};
use drivelab_uring::{Access, NvmeQueries, NvmeQuery};

use crate::Real;
use crate::nvme_conditions::AskNvme;
use crate::simulated_health::NVME_DATA_UNIT;
use crate::slow_drive::SMARTCTL_PATIENCE;

/// How many times as long as a reading by smartctl the time between two of them is: a drive may hold up all I/O for it.
const SELDOM: u32 = 100;

/// Reads the counters of a drive before and after a phase.
#[derive(Debug, Default)]
pub(crate) struct MediaWatch {
    source: MediaCounters,
    /// What they were when the run began.
    first: Option<WriteCounters>,
    /// What they were, where the host has written nothing since.
    last: Option<WriteCounters>,
    /// When smartctl was asked last, and how long that took.
    asked: Option<(Instant, Duration)>,
}

#[derive(Debug, Default)]
enum MediaCounters {
    /// The drive counts nothing of its flash, or it is none.
    #[default]
    Nothing,
    /// The log of the Open Compute Project, which is asked for in a moment.
    Ocp(NvmeQueries),
    /// Attributes, which smartctl names.
    Attributes(PathBuf),
}

impl MediaWatch {
    /// The counters of a target; nothing is read for a run that only reads.
    pub fn new(real: &Real) -> MediaWatch {
        let only_reads = matches!(real.access, Access::Read(_));
        if only_reads || real.whole_device().is_none() {
            return MediaWatch::default();
        }
        let queries = NvmeQueries::open(&real.access).ok();
        if let Some(queries) = queries
            && let Some(first) = ocp_counters(&queries)
        {
            return MediaWatch {
                source: MediaCounters::Ocp(queries),
                first: Some(first),
                ..MediaWatch::default()
            };
        }
        let source = MediaCounters::Attributes(real.path.clone());
        let mut watch = MediaWatch { source, ..MediaWatch::default() };
        watch.last = watch.read();
        watch.first.clone_from(&watch.last);
        let counts = |known: &WriteCounters| !known.flash.is_empty() || known.own_pages.is_some();
        if watch.last.as_ref().is_some_and(counts) { watch } else { MediaWatch::default() }
    }

    pub fn begin(&mut self) {
        if self.last.is_none() {
            self.last = self.read();
        }
    }

    /// The phase has ended; returns what was written in it, where that is known. Counters that went back tell nothing.
    pub fn end(&mut self) -> Option<MediaWrites> {
        let before = self.last.take()?;
        self.last = self.read();
        self.last.as_ref()?.since(&before).ok()
    }

    /// The run has ended; returns what was written since it began, where that is known.
    pub fn in_all(&mut self) -> Option<MediaWrites> {
        let first = self.first.take()?;
        // A reading that is due only later would be missing, and this is the last one.
        self.asked = None;
        let last = self.last.take().or_else(|| self.read());
        last?.since(&first).ok()
    }

    #[expect(clippy::disallowed_methods, reason = "how long smartctl takes bounds how often it is asked")]
    fn read(&mut self) -> Option<WriteCounters> {
        match &self.source {
            MediaCounters::Nothing => None,
            MediaCounters::Ocp(queries) => ocp_counters(queries),
            MediaCounters::Attributes(path) => {
                if self.asked.is_some_and(|(at, took)| at.elapsed() < took * SELDOM) {
                    return None;
                }
                let began = Instant::now();
                let report = health(path, SMARTCTL_PATIENCE);
                self.asked = Some((Instant::now(), began.elapsed()));
                match report {
                    Health::Known(report) => Some(counters_of(Written::from_health(&report))),
                    Health::NotAvailable(_) => None,
                }
            }
        }
    }
}

/// The counters of a health report.
pub fn counters_of(written: Written) -> WriteCounters {
    let mut host = written.host;
    // The first whose unit is known counts for the drive.
    host.sort_by_key(|counter| counter.bytes().is_none());
    WriteCounters {
        host: host.into_iter().map(counter).collect(),
        flash: written.flash.into_iter().map(counter).collect(),
        host_pages: written.host_pages,
        own_pages: written.own_pages,
    }
}

fn counter(found: WrittenCounter) -> WriteCounter {
    let bytes = found.bytes();
    let WrittenCounter { source, raw, unit, counts_one_cell_type } = found;
    WriteCounter { source, raw, unit_bytes: unit.known(), bytes, counts_one_cell_type }
}

/// The counters of an NVMe drive that keeps the log of the Open Compute Project; `None` of any other.
fn ocp_counters(drive: &impl AskNvme) -> Option<WriteCounters> {
    let flash = OcpLog::parse(&drive.answer(NvmeQuery::VendorHealthLog)?.data)?.flash_written;
    let host = data_units_written(&drive.answer(NvmeQuery::HealthLog)?.data)?;
    let counter = |source: &str, raw: u128, unit: u64| {
        let raw = u64::try_from(raw).ok()?;
        let (source, bytes) = (source.to_owned(), raw.checked_mul(unit));
        Some(WriteCounter { source, raw, unit_bytes: Some(unit), bytes, counts_one_cell_type: false })
    };
    Some(WriteCounters {
        host: vec![counter("NVMe health log, data_units_written", host, NVME_DATA_UNIT)?],
        flash: vec![counter("OCP log C0h, Physical Media Units Written", flash, 1)?],
        ..WriteCounters::default()
    })
}
