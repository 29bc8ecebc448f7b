//! What a consistency test is asked.

use serde::{Deserialize, Deserializer, Serialize};

use crate::{FlashOverProvisioning, PurgeOption, RangeOption};

/// What a consistency test is asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsistencySettings {
    /// The share of the range that is left unwritten, in per cent.
    pub over_provisioning_percent: f64,
    /// The part of the drive that this is a share of.
    pub range: RangeOption,
    /// Bytes of a random write.
    pub block_size_bytes: u64,
    /// Writes in flight.
    pub queue_depth: u32,
    /// How long the random writes last.
    pub duration_ns: u64,
    /// The windows by which steady state is judged, in whole seconds.
    pub window_s: u64,
    /// How the drive is purged before.
    #[serde(deserialize_with = "purge_or_flag")]
    pub purge: PurgeOption,
    /// What is written before the random writes.
    #[serde(alias = "fill", deserialize_with = "precondition_or_flag")]
    pub precondition: ConsistencyPrecondition,
    /// The over-provisioning that one-pass preconditioning begins from; absent with any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash_over_provisioning: Option<FlashOverProvisioning>,
    /// How far the data can be compressed, in per cent.
    pub compressibility_percent: u8,
    /// How long the drive is read at most until it is warm, before it is measured; absent where that was not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_warm_ns: Option<u64>,
}

/// What is written before the random writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ConsistencyPrecondition {
    /// Nothing.
    None,
    /// The range, once, in sequence.
    Fill,
    /// The flash of the drive, once, so that steady state begins with the random writes.
    OnePass,
}

impl ConsistencySettings {
    /// The over-provisioning in words, such as "25 % over-provisioning".
    pub(super) fn over_provisioning(&self) -> String {
        let of = if self.range.is_whole() { "" } else { " of the range" };
        format!("{} % over-provisioning{of}", self.over_provisioning_percent)
    }
}

/// An option of a result; earlier ones only say whether it was there.
#[derive(Deserialize)]
#[serde(untagged)]
enum Either<T> {
    Option(T),
    Flag(bool),
}

impl<T> Either<T> {
    fn deserialized<'de, D: Deserializer<'de>>(deserializer: D, yes: T, no: T) -> Result<T, D::Error>
    where
        T: Deserialize<'de>,
    {
        Ok(match Either::deserialize(deserializer)? {
            Either::Option(asked) => asked,
            Either::Flag(true) => yes,
            Either::Flag(false) => no,
        })
    }
}

/// The purge of a result: earlier ones were by a discard.
fn purge_or_flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PurgeOption, D::Error> {
    Either::deserialized(deserializer, PurgeOption::Discard, PurgeOption::None)
}

/// The preconditioning of a result: earlier ones had a fill.
fn precondition_or_flag<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<ConsistencyPrecondition, D::Error> {
    Either::deserialized(deserializer, ConsistencyPrecondition::Fill, ConsistencyPrecondition::None)
}
