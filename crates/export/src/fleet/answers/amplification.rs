//! What drives wrote to their flash.

use std::collections::BTreeMap;

use super::{in_thousandths, named};
use crate::fleet::findings::AmplificationRow;
use crate::fleet::machines::Machines;
use crate::fleet::tables::RunRow;

#[derive(Default)]
struct ModelSums<'a> {
    runs: u64,
    machines: Machines<&'a str, &'a str>,
    host_bytes: u64,
    flash_bytes: u64,
    least: Option<f64>,
    most: Option<f64>,
}

/// A row for each model and firmware of which the counters of a run are known in which the host wrote something.
pub fn write_amplification(catalogue: &[RunRow]) -> Vec<AmplificationRow> {
    let mut groups: BTreeMap<(&str, &str), ModelSums<'_>> = BTreeMap::new();
    for run in catalogue {
        let (Some(host), Some(flash)) = (run.host_bytes_written, run.flash_bytes_written) else { continue };
        if host == 0 {
            continue;
        }
        let name = (run.drive_model.as_deref().unwrap_or(""), run.firmware.as_deref().unwrap_or(""));
        let sums = groups.entry(name).or_default();
        let ratio = flash as f64 / host as f64;
        sums.runs += 1;
        sums.machines.add(&run.host, run.machine.as_deref());
        sums.host_bytes = sums.host_bytes.saturating_add(host);
        sums.flash_bytes = sums.flash_bytes.saturating_add(flash);
        sums.least = Some(sums.least.map_or(ratio, |least| least.min(ratio)));
        sums.most = Some(sums.most.map_or(ratio, |most| most.max(ratio)));
    }
    let row = |((model, firmware), sums): ((&str, &str), ModelSums<'_>)| {
        Some(AmplificationRow {
            drive_model: named(model),
            firmware: named(firmware),
            runs: sums.runs,
            hosts: sums.machines.count(),
            host_bytes_written: sums.host_bytes,
            flash_bytes_written: sums.flash_bytes,
            write_amplification: in_thousandths(sums.flash_bytes as f64 / sums.host_bytes as f64),
            least: in_thousandths(sums.least?),
            most: in_thousandths(sums.most?),
        })
    };
    groups.into_iter().filter_map(row).collect()
}
