//! The settings of a load.

use std::fmt;

use drivelab_block::{ByteCount, Nanos};
use serde::{Deserialize, Serialize};

use crate::{AskedRange, SettingValue};

/// What a load was asked to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoadSettings {
    /// What is done, in which order.
    pub operation: Operation,
    /// Bytes of an I/O.
    pub block_size_bytes: u64,
    /// I/Os in flight, for each thread.
    pub queue_depth: u32,
    /// Threads, each with a queue of its own.
    pub threads: u16,
    /// I/Os a second of an open loop, all threads together; none in a closed loop.
    pub rate: Option<f64>,
    /// How these are spaced; none in a closed loop.
    pub arrivals: Option<Spacing>,
    /// The part of the drive.
    pub range: AskedRange,
    /// How long; none where the bytes alone end it.
    pub duration_ns: Option<u64>,
    /// How much; none where the time alone ends it.
    pub bytes: Option<u64>,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
    /// The processors of the threads; none where the kernel chooses.
    pub cpus: Vec<usize>,
}

/// What is done, in which order; the words are those of fio's `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// Random reads.
    Randread,
    /// Random writes.
    Randwrite,
    /// Random reads and writes.
    Randrw {
        /// The share of reads in per cent, 1 to 99.
        read_percent: u8,
    },
    /// Sequential reads.
    Read,
    /// Sequential writes.
    Write,
    /// Sequential discards.
    Discard,
    /// Flushes.
    Flush,
}

/// How the I/Os of an open loop are spaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spacing {
    /// Equal gaps.
    Regular,
    /// Independent exponential gaps.
    Poisson,
}

impl Operation {
    /// Random reads and writes with this share of reads in per cent: one of them alone at either end.
    pub fn random(read_percent: u8) -> Operation {
        match read_percent {
            0 => Operation::Randwrite,
            100.. => Operation::Randread,
            read_percent => Operation::Randrw { read_percent },
        }
    }
}

impl LoadSettings {
    pub(crate) fn values(&self) -> Vec<SettingValue> {
        let LoadSettings {
            operation,
            block_size_bytes,
            queue_depth,
            threads,
            rate,
            arrivals,
            range,
            duration_ns,
            bytes,
            compressibility_percent,
            cpus,
        } = self;
        vec![
            SettingValue::Operation(*operation),
            SettingValue::BlockSize(ByteCount::new(*block_size_bytes)),
            SettingValue::QueueDepth(*queue_depth),
            SettingValue::Threads(*threads),
            SettingValue::Rate(*rate),
            SettingValue::Arrivals(*arrivals),
            SettingValue::Range(*range),
            SettingValue::Duration(duration_ns.map(Nanos::new)),
            SettingValue::Bytes(bytes.map(ByteCount::new)),
            SettingValue::Compressibility(*compressibility_percent),
            SettingValue::Processors(cpus.clone()),
        ]
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Operation::Randread => "randread",
            Operation::Randwrite => "randwrite",
            Operation::Randrw { read_percent } => return write!(f, "randrw ({read_percent} % reads)"),
            Operation::Read => "read",
            Operation::Write => "write",
            Operation::Discard => "discard",
            Operation::Flush => "flush",
        })
    }
}

impl fmt::Display for Spacing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Spacing::Regular => "regular",
            Spacing::Poisson => "poisson",
        })
    }
}
