//! What a run was asked to do.
//!
//! The settings of every kind of test are one struct each. A run's manifest (`run.json`) keeps them, and a report holds those of
//! several runs against each other, field by field: figures are ranked where everything that was asked for is equal, but for
//! what is compared. The drive and the seed are no settings; the manifest has them beside these.

#![forbid(unsafe_code)]

mod asked;
mod difference;
mod range;
mod replay;
mod test;
mod value;

pub use asked::{AskedSettings, EarlierSettings, ShareOf};
pub use difference::{SettingDifference, differences};
pub use range::{AskedRange, RangeEnd};
pub use replay::{AddressMapping, Prefill, ReplaySettings, ReplayTiming};
pub use test::{Settings, TestKind};
pub use value::SettingValue;
