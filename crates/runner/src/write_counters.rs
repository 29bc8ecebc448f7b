//! What a drive counts of writes, from smartctl or from the logs of an NVMe controller.

use drivelab_probe::nvme::{OcpLog, data_units_written};
use drivelab_probe::{Written, WrittenCounter};
use drivelab_record::{WriteCounter, WriteCounters};
use drivelab_uring::NvmeQuery;

use crate::nvme_conditions::AskNvme;

/// Bytes of an NVMe data unit: a thousand blocks of 512 bytes (SMART / Health Information log page).
const DATA_UNIT: u64 = 512_000;

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
pub(crate) fn ocp_counters(drive: &impl AskNvme) -> Option<WriteCounters> {
    let flash = OcpLog::parse(&drive.answer(NvmeQuery::VendorHealthLog)?.data)?.flash_written;
    let host = data_units_written(&drive.answer(NvmeQuery::HealthLog)?.data)?;
    let counter = |source: &str, raw: u128, unit: u64| {
        let raw = u64::try_from(raw).ok()?;
        let (source, bytes) = (source.to_owned(), raw.checked_mul(unit));
        Some(WriteCounter { source, raw, unit_bytes: Some(unit), bytes, counts_one_cell_type: false })
    };
    Some(WriteCounters {
        host: vec![counter("NVMe health log, data_units_written", host, DATA_UNIT)?],
        flash: vec![counter("OCP log C0h, Physical Media Units Written", flash, 1)?],
        ..WriteCounters::default()
    })
}
