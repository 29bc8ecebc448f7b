//! Who waited for a drive, when, for what, and what else was asked of it meanwhile.

mod mostly;
mod parties;

use drivelab_block::Op;
use drivelab_record::ClockTime;
use drivelab_stats::waiting::{AwaitedWrites, IoStream, Spell, Waits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::TraceReport;

pub use mostly::MostlyFindings;
use parties::TraceNames;
pub use parties::{PartyFindings, ProcessFindings, WorkFindings};

/// As many parties, processes and streams are in a document.
const LISTED: usize = 50;

/// Who waited, and what went on meanwhile. Programs wait for a read, for a flush and for a synchronous write of 100 ms or more; a
/// wait (a spell) is a time in which they do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitingFindings {
    /// Which writes were counted as waited for.
    pub awaited_writes: AwaitedWritesFindings,
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
    pub work: WorkFindings,
    /// In how many spells.
    pub spells: u64,
    /// How long, in seconds.
    pub in_flight_s: f64,
}

/// Which writes were counted as waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AwaitedWritesFindings {
    /// Those that the block layer marks as synchronous.
    Synchronous,
    /// All, since the source does not say which are synchronous.
    All,
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
    pub(super) fn from_report(report: &TraceReport, waits: &Waits<'_>) -> WaitingFindings {
        let names = TraceNames { processes: &report.processes, devices: &report.devices };
        let sum = |all: &[drivelab_stats::waiting::PartyTally]| {
            all.iter().map(|one| one.tally.nanos as f64 / 1e9).sum()
        };
        WaitingFindings {
            awaited_writes: match waits.awaited {
                AwaitedWrites::Synchronous => AwaitedWritesFindings::Synchronous,
                AwaitedWrites::All => AwaitedWritesFindings::All,
            },
            spells: waits.spells,
            waited_s: waits.waited as f64 / 1e9,
            longest_ns: waits.longest,
            mostly: mostly::find(waits, report.began),
            waiters: names.parties(&waits.waiters, LISTED),
            waits_sum_s: sum(&waits.waiters),
            meanwhile: names.parties(&waits.around, LISTED),
            meanwhile_sum_s: sum(&waits.around),
            others_in_flight_s: waits.any_in_flight as f64 / 1e9,
            in_flight: times_in_flight(waits, &names),
            processes: names.processes(waits.processes, LISTED),
            worst: waits.worst.iter().map(|spell| spell_of(spell, &names, report.began)).collect(),
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
