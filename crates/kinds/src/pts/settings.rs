//! What tests in rounds are asked.

use drivelab_block::worded_enum;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{FlashOverProvisioning, PurgeOption, RangeOption};

/// What tests in rounds are asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PtsSettings {
    /// The tests in their order.
    pub tests: Vec<PtsTest>,
    /// How long each cell of a round lasts, in nanoseconds.
    pub cell_duration_ns: u64,
    /// I/Os in flight, where the test itself names no other number.
    pub queue_depth: u32,
    /// How the drive is purged before each test.
    #[serde(default = "PurgeOption::discard")]
    pub purge: PurgeOption,
    /// What is written before the cells of a test.
    #[serde(default)]
    pub precondition: PtsPrecondition,
    /// The over-provisioning that one-pass preconditioning begins from; absent with any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash_over_provisioning: Option<FlashOverProvisioning>,
    /// The part of the drive that is used.
    pub range: RangeOption,
}

/// What is written before the cells of a test in rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PtsPrecondition {
    /// The range, twice, in sequence, as the specification has it.
    #[default]
    FillTwice,
    /// The flash of the drive, once, so that steady state begins with the cells. This is not as the specification has it.
    OnePass,
}

worded_enum! {
    /// A test in rounds.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "kebab-case")]
    pub enum PtsTest {
        /// Random I/O: seven mixes by eight block sizes.
        Iops = "iops",
        /// Sequential I/O of 1024 KiB.
        #[serde(rename = "throughput-1024k")]
        ThroughputLarge = "throughput-1024k",
        /// Sequential I/O of 128 KiB.
        #[serde(rename = "throughput-128k")]
        ThroughputSmall = "throughput-128k",
        /// One I/O at a time: three mixes by three block sizes; then twenty rounds of writes.
        Latency = "latency",
        /// 4 KiB random writes to a purged drive, until steady or four times its capacity.
        Saturation = "saturation",
        /// Five seconds of random writes after idle times.
        IdleRecovery = "idle-recovery",
        /// Sequential, random, sequential writes.
        CrossStimulus = "cross-stimulus",
        /// Response time against rate, over threads and depths.
        Demand = "demand",
    }
}

impl PtsTest {
    /// Its name in headings.
    pub fn title(self) -> &'static str {
        match self {
            PtsTest::Iops => "IOPS",
            PtsTest::ThroughputLarge => "Throughput, 1024 KiB",
            PtsTest::ThroughputSmall => "Throughput, 128 KiB",
            PtsTest::Latency => "Latency",
            PtsTest::Saturation => "Write saturation",
            PtsTest::IdleRecovery => "Idle recovery",
            PtsTest::CrossStimulus => "Cross stimulus",
            PtsTest::Demand => "Demand intensity",
        }
    }

    /// Whether its cells are of the steady state of random writes, so that one pass may precondition it. Saturation begins with a
    /// purged drive, and the others in the steady state of sequential writes.
    pub fn takes_one_pass(self) -> bool {
        matches!(self, PtsTest::Iops | PtsTest::Latency | PtsTest::IdleRecovery | PtsTest::Demand)
    }

    /// How it is typed: both tests of throughput go by one name.
    pub fn option(self) -> &'static str {
        match self {
            PtsTest::ThroughputLarge | PtsTest::ThroughputSmall => "throughput",
            other => other.word(),
        }
    }
}
