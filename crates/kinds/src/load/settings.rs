//! What a load is asked.

use std::fmt;

use drivelab_block::Op;
use drivelab_stats::AskedRate;
use drivelab_workload::{Mix, Order};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::RangeOption;
use crate::read_back::{ReadBack, StreamNumber, StreamOnDrive};

/// What a load is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadSettings {
    /// What is done, in which order.
    pub operation: Operation,
    /// Bytes of an I/O.
    pub block_size_bytes: u64,
    /// I/Os in flight, for each thread.
    pub queue_depth: u32,
    /// Threads, each with a queue of its own.
    pub threads: u16,
    /// I/Os a second of an open loop, all threads together; null in a closed loop.
    pub rate: Option<f64>,
    /// How these are spaced; null in a closed loop.
    pub arrivals: Option<Spacing>,
    /// The part of the drive.
    pub range: RangeOption,
    /// How long; null where the bytes alone end it.
    pub duration_ns: Option<u64>,
    /// How much; null where the time alone ends it.
    pub bytes: Option<u64>,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
    /// The processors of the threads; none where the kernel chooses.
    pub cpus: Vec<usize>,
    /// How long the drive is read at most until it is warm, before it is measured; absent where that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_warm_ns: Option<u64>,
    /// How what is written is verified; absent where it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verify: Option<LoadVerification>,
}

/// How the random writes of a load are verified.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoadVerification {
    /// When they are read back.
    pub read_back: ReadBack,
    /// After how many writes of a thread it flushes; null where it does not.
    pub flush_every: Option<u32>,
    /// What tells the blocks of this load from those of every other.
    pub blocks: StreamNumber,
    /// The boot of the machine, as the kernel names it; null where it is not known, and of a simulated drive.
    pub boot: Option<String>,
    /// What the settings mean on the drive under test; null before it is known.
    pub on_drive: Option<StreamOnDrive>,
}

/// What is done, in which order; the words are those of fio's `rw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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

    /// The word that asks for it.
    pub fn word(self) -> &'static str {
        self.describe().0
    }

    /// Whether it changes what the drive holds.
    pub fn writes(self) -> bool {
        !matches!(self, Operation::Randread | Operation::Read | Operation::Flush)
    }

    /// The order of its addresses, and what is done there.
    pub(crate) fn order_and_mix(self) -> (Order, Mix) {
        let (_, _, order, mix) = self.describe();
        (order, mix)
    }

    /// The word that asks for it, what that is in words, the order of its addresses, and what is done there.
    fn describe(self) -> (&'static str, &'static str, Order, Mix) {
        use Order::{Sequential, Uniform};
        match self {
            Operation::Randread => ("randread", "random reads", Uniform, Mix::Only(Op::Read)),
            Operation::Randwrite => ("randwrite", "random writes", Uniform, Mix::Only(Op::Write)),
            Operation::Randrw { read_percent } => {
                ("randrw", "random reads and writes", Uniform, Mix::ReadPercent(read_percent))
            }
            Operation::Read => ("read", "sequential reads", Sequential, Mix::Only(Op::Read)),
            Operation::Write => ("write", "sequential writes", Sequential, Mix::Only(Op::Write)),
            Operation::Discard => ("discard", "sequential discards", Sequential, Mix::Only(Op::Discard)),
            Operation::Flush => ("flush", "flushes", Sequential, Mix::Only(Op::Flush)),
        }
    }
}

/// The operation in words, such as "random reads and writes (70 % reads)".
impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.describe().1)?;
        if let Operation::Randrw { read_percent } = self {
            write!(f, " ({read_percent} % reads)")?;
        }
        Ok(())
    }
}

impl LoadSettings {
    /// The rate of an open loop; none in a closed loop.
    pub(super) fn asked_rate(&self) -> Option<AskedRate> {
        let is_random = self.arrivals == Some(Spacing::Poisson);
        self.rate.map(|iops| AskedRate { iops, is_random })
    }

    /// What is done, in words, such as "random writes with reads of what was written".
    pub(super) fn in_words(&self) -> String {
        let reads = |verify: &LoadVerification| verify.read_back == ReadBack::Continuous;
        let reads = self.verify.as_ref().is_some_and(reads).then_some("reads of what was written");
        let flushes = self.verify.as_ref().and_then(|verify| verify.flush_every).map(|_| "flushes");
        let more: Vec<&str> = reads.into_iter().chain(flushes).collect();
        if more.is_empty() {
            return self.operation.to_string();
        }
        format!("{} with {}", self.operation, more.join(" and "))
    }
}
