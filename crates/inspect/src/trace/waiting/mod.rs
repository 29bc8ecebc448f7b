//! Who waited for a drive, when, for what, and what else was asked of it meanwhile.

mod mostly;

use std::collections::BTreeMap;

use drivelab_block::Op;
use drivelab_documents::ClockTime;
use drivelab_stats::waiting::{
    AwaitedWrites, IoStream, IoWork, PartyTally, ProcessTotals, Spell, Tally, Waits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TraceDeviceFindings;

pub use mostly::MostlyFindings;

/// As many parties, processes and streams are in a document.
const LISTED: usize = 50;

/// Who waited, and what went on meanwhile. Programs wait for a read, for a flush and for a synchronous write of 100 ms or more; a
/// wait (a spell) is a time in which they do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitingFindings {
    /// Which writes were counted as waited for.
    pub awaited_writes: AwaitedWrites,
    /// Waits: I/Os of 100 ms or more that overlap, or lie no farther apart than 100 ms, are one.
    pub spells: u64,
    /// How long they lasted in all, in seconds.
    pub waited_s: f64,
    /// How long the longest one lasted.
    pub longest_ns: u64,
    /// When at least half of that time was waited; null where it is spread over the whole trace, or where there were fewer than
    /// three spells.
    pub mostly: Option<MostlyFindings>,
    /// Who waited for what, the longest in sum first: 50 at most.
    pub waiters: Vec<PartyFindings>,
    /// The sum of the service times of all I/Os of that, in seconds.
    pub waits_sum_s: f64,
    /// What else was in flight at the beginning of a spell or issued while it lasted, the longest in flight first: 50 at most.
    pub meanwhile: Vec<PartyFindings>,
    /// The sum of the service times of all I/Os of that, in seconds.
    pub meanwhile_sum_s: f64,
    /// How long at least one I/O of the works in `meanwhile` was in flight in them, in seconds.
    pub others_in_flight_s: f64,
    /// How long at least one I/O of each of these works was in flight in them, the longest first: 50 at most.
    pub in_flight: Vec<TimeInFlight>,
    /// The processes that waited, and those that moved the most bytes: 50 at most. Empty where the source knows no processes.
    pub processes: Vec<ProcessFindings>,
    /// The longest spells, the longest first.
    pub worst: Vec<SpellFindings>,
    /// The I/Os by operation, size and order, the most first: 50 at most.
    pub streams: Vec<StreamFindings>,
}

/// How long at least one I/O of a work that no program waited for was in flight while programs waited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeInFlight {
    /// The process; null where the source does not know it.
    pub process: Option<String>,
    /// The device.
    pub device: String,
    /// The work.
    pub work: IoWork,
    /// In how many spells.
    pub spells: u64,
    /// How long, in seconds.
    pub in_flight_s: f64,
}

/// A spell in which programs waited.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpellFindings {
    /// When it began; null where the source has no clock time.
    pub at: Option<ClockTime>,
    /// When it began, from the first instant of the trace on.
    pub from_ns: u64,
    /// How long it lasted.
    pub nanos: u64,
    /// Who waited, the longest in sum first: three at most.
    pub waiters: Vec<PartyFindings>,
    /// What else went on, the longest in flight first: three at most.
    pub meanwhile: Vec<PartyFindings>,
}

/// I/Os of one operation, size and order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamFindings {
    /// Whether they are reads; otherwise they are writes.
    pub is_read: bool,
    /// Their size; null for all that are longer than 1 MiB.
    pub bytes: Option<u64>,
    /// Whether each begins where the one before of the same process ended.
    pub is_sequential: bool,
    /// How many.
    pub ios: u64,
    /// Their share of all reads and writes.
    pub share: f64,
}

/// As many parties stand with each spell.
const OF_SPELL: usize = 3;

impl WaitingFindings {
    /// What is found of a trace with these waits.
    pub(super) fn from_waits(
        waits: &Waits<'_>,
        began: Option<ClockTime>,
        processes: &[String],
        devices: &[TraceDeviceFindings],
    ) -> WaitingFindings {
        let names = TraceNames { processes, devices };
        let sum = |all: &[PartyTally]| all.iter().map(|one| one.tally.nanos as f64 / 1e9).sum();
        WaitingFindings {
            awaited_writes: waits.awaited,
            spells: waits.spells,
            waited_s: waits.waited as f64 / 1e9,
            longest_ns: waits.longest,
            mostly: mostly::find(waits, began),
            waiters: names.parties(&waits.waiters, LISTED),
            waits_sum_s: sum(&waits.waiters),
            meanwhile: names.parties(&waits.around, LISTED),
            meanwhile_sum_s: sum(&waits.around),
            others_in_flight_s: waits.any_in_flight as f64 / 1e9,
            in_flight: times_in_flight(waits, &names),
            processes: names.processes(waits.processes, LISTED),
            worst: waits.worst.iter().map(|spell| spell_of(spell, &names, began)).collect(),
            streams: streams(waits),
        }
    }
}

fn times_in_flight(waits: &Waits<'_>, names: &TraceNames<'_>) -> Vec<TimeInFlight> {
    let all = names.parties(&waits.in_flight, LISTED).into_iter();
    // A tally counts spells here.
    let time = |PartyFindings { process, device, work, ios, time_s, .. }| TimeInFlight {
        process,
        device,
        work,
        spells: ios,
        in_flight_s: time_s,
    };
    all.map(time).collect()
}

fn spell_of(spell: &Spell, names: &TraceNames<'_>, began: Option<ClockTime>) -> SpellFindings {
    SpellFindings {
        at: began.and_then(|began| began.after(spell.from)),
        from_ns: spell.from,
        nanos: spell.nanos(),
        waiters: names.parties(&spell.waiters, OF_SPELL),
        meanwhile: names.parties(&spell.around, OF_SPELL),
    }
}

fn streams(waits: &Waits<'_>) -> Vec<StreamFindings> {
    let all = waits.streams.all();
    let sum: u64 = all.iter().map(|stream| stream.ios).sum();
    let stream = |one: &IoStream| StreamFindings {
        is_read: one.op == Op::Read,
        bytes: one.bytes,
        is_sequential: one.is_sequential,
        ios: one.ios,
        share: one.ios as f64 / sum as f64,
    };
    all.iter().take(LISTED).map(stream).collect()
}

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

struct TraceNames<'a> {
    processes: &'a [String],
    devices: &'a [TraceDeviceFindings],
}

impl TraceNames<'_> {
    fn process(&self, number: usize) -> Option<String> {
        self.processes.get(number).filter(|name| !name.is_empty()).cloned()
    }

    fn device(&self, number: usize) -> String {
        self.devices.get(number).map_or_else(|| format!("device {number}"), |device| device.name.clone())
    }

    /// The first of these parties; those that have one name, device and work are one.
    fn parties(&self, tallies: &[PartyTally], most: usize) -> Vec<PartyFindings> {
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
    fn processes(&self, totals: &[ProcessTotals], most: usize) -> Vec<ProcessFindings> {
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
