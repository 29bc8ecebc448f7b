//! Processes and devices by their names.

use std::collections::BTreeMap;

use drivelab_stats::waiting::{IoWork, PartyTally, ProcessTotals, Tally};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::trace::TraceDeviceFindings;

/// One kind of work of one process on one device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PartyFindings {
    /// The process; null where the source does not know it.
    pub process: Option<String>,
    /// The device.
    pub device: String,
    /// The work.
    pub work: IoWork,
    /// How many I/Os.
    pub ios: u64,
    /// Bytes that they asked for.
    pub bytes: u64,
    /// The sum of their service times, in seconds.
    pub time_s: f64,
    /// The longest of these.
    pub longest_ns: u64,
}

/// What a process did in the whole trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProcessFindings {
    /// Its name; null for all whose name the source does not know.
    pub process: Option<String>,
    /// Reads.
    pub reads: u64,
    /// Writes.
    pub writes: u64,
    /// Flushes.
    pub flushes: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// The share of its reads and writes that begin where the one before ended; null where it has none.
    pub sequential: Option<f64>,
    /// Its I/Os that it waited for, for 100 ms or longer each.
    pub waits: u64,
    /// The sum of their service times, in seconds.
    pub waited_s: f64,
}

/// The names of a trace.
pub(super) struct TraceNames<'a> {
    pub processes: &'a [String],
    pub devices: &'a [TraceDeviceFindings],
}

impl TraceNames<'_> {
    fn process(&self, number: usize) -> Option<String> {
        self.processes.get(number).filter(|name| !name.is_empty()).cloned()
    }

    fn device(&self, number: usize) -> String {
        self.devices.get(number).map_or_else(|| format!("device {number}"), |device| device.name.clone())
    }

    /// The first of these parties; those that have one name, device and work are one.
    pub fn parties(&self, tallies: &[PartyTally], most: usize) -> Vec<PartyFindings> {
        let mut by_name: BTreeMap<(Option<String>, u16, IoWork), Tally> = BTreeMap::new();
        for PartyTally { party, tally } in tallies {
            let key = (self.process(party.process.0 as usize), party.device.0, party.work);
            by_name.entry(key).or_default().merge(tally);
        }
        let named = by_name.into_iter().map(|((process, device, work), tally)| PartyFindings {
            process,
            device: self.device(usize::from(device)),
            work,
            ios: tally.ios,
            bytes: tally.bytes,
            time_s: tally.nanos as f64 / 1e9,
            longest_ns: tally.longest,
        });
        let mut all: Vec<PartyFindings> = named.collect();
        all.sort_by(|one, other| other.time_s.total_cmp(&one.time_s));
        all.truncate(most);
        all
    }

    /// Those that waited, the longest first, then those that moved the most bytes. None where no process has a name.
    pub fn processes(&self, totals: &[ProcessTotals], most: usize) -> Vec<ProcessFindings> {
        let mut all: Vec<ProcessFindings> = totals
            .iter()
            .enumerate()
            .map(|(number, totals)| {
                let moving = totals.reads + totals.writes;
                ProcessFindings {
                    process: self.process(number),
                    reads: totals.reads,
                    writes: totals.writes,
                    flushes: totals.flushes,
                    read_bytes: totals.read_bytes,
                    written_bytes: totals.written_bytes,
                    sequential: (moving > 0).then(|| totals.sequential as f64 / moving as f64),
                    waits: totals.waits,
                    waited_s: totals.waited as f64 / 1e9,
                }
            })
            .filter(|one| one.reads + one.writes + one.flushes > 0)
            .collect();
        if all.iter().all(|one| one.process.is_none()) {
            return Vec::new();
        }
        let moved = |one: &ProcessFindings| one.read_bytes.saturating_add(one.written_bytes);
        all.sort_by(|one, other| {
            other.waited_s.total_cmp(&one.waited_s).then_with(|| moved(other).cmp(&moved(one)))
        });
        all.truncate(most);
        all
    }
}
