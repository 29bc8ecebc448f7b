//! One-pass preconditioning, as it is asked for and planned: the steady state of random writes after one write of the flash.

use drivelab_block::{ByteCount, ByteRange, Geometry};
use drivelab_documents::{Condition, Notice};
use drivelab_method::{LoadPlan, StopRule};
use drivelab_workload::{Order, collected_valid_share};
use serde::{Deserialize, Serialize};

use crate::{PlanError, PurgeOption, RangeOption};

pub(crate) const ONE_PASS: &str = "one-pass preconditioning";
/// Where the next power of two is this much larger than a drive, it is not taken for the size of its flash.
const POWER_OF_TWO_MAX: f64 = 1.4;
/// The least that a capacity in GB has on flash of as many GiB: 2^30 / 10^9 - 1.
const GIB_TO_GB_PERCENT: f64 = 7.37;

/// The over-provisioning of a drive: (flash - user capacity) / user capacity.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlashOverProvisioning {
    /// In per cent, above 0.
    pub percent: f64,
    /// Where it comes from.
    pub source: OverProvisioningSource,
}

/// Where the over-provisioning of a drive comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OverProvisioningSource {
    /// The user gave it.
    Given,
    /// The simulated drive has it.
    Simulated,
    /// It was assumed from the user capacity: drives do not report it.
    Assumed,
}

impl FlashOverProvisioning {
    /// What is assumed of a drive of which only the user capacity is known. Dies of flash hold powers of two, so that the flash
    /// is taken to be the next power of two of GiB (240 GB lie on 256 GiB: 14.5 %). Where that is more than 40 % larger than
    /// the drive, or the drive is smaller than 1 GiB, it is 7.37 %, as a drive has that is sold with as many GB as its flash
    /// has GiB.
    pub fn assumed(capacity: ByteCount) -> FlashOverProvisioning {
        let capacity = capacity.get();
        let flash = capacity.checked_add(1).and_then(u64::checked_next_power_of_two);
        let ratio = flash.map_or(f64::INFINITY, |flash| flash as f64 / capacity.max(1) as f64);
        let is_likely = capacity >= 1 << 30 && ratio <= POWER_OF_TWO_MAX;
        let percent = if is_likely { rounded((ratio - 1.0) * 100.0) } else { GIB_TO_GB_PERCENT };
        FlashOverProvisioning { percent, source: OverProvisioningSource::Assumed }
    }

    /// That of a simulated drive, as a share of its user capacity.
    pub fn simulated(share: f64) -> FlashOverProvisioning {
        FlashOverProvisioning { percent: rounded(share * 100.0), source: OverProvisioningSource::Simulated }
    }

    /// What the user gave, in per cent.
    pub fn given(percent: f64) -> FlashOverProvisioning {
        FlashOverProvisioning { percent, source: OverProvisioningSource::Given }
    }

    /// Such as "14.5 %, assumed".
    fn in_words(self) -> String {
        let source = match self.source {
            OverProvisioningSource::Given => "as given",
            OverProvisioningSource::Simulated => "that of the simulated drive",
            OverProvisioningSource::Assumed => "assumed from the capacity",
        };
        format!("{} % over-provisioning, {source}", self.percent)
    }
}

/// To hundredths of a per cent, above 0: more says nothing of a steady state.
fn rounded(percent: f64) -> f64 {
    ((percent * 100.0).round() / 100.0).max(0.01)
}

/// A pass over a range of a drive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OnePassPlan {
    over_provisioning: FlashOverProvisioning,
    spare_millionths: u32,
    range: ByteRange,
}

impl OnePassPlan {
    /// Plans the pass over `range`, which is written at random afterwards: first byte and one past the last. Refused where the
    /// drive would hold something outside of the range, and where the over-provisioning is not known.
    pub(crate) fn new(
        over_provisioning: Option<FlashOverProvisioning>,
        asked: RangeOption,
        geometry: &Geometry,
        range: ByteRange,
    ) -> Result<OnePassPlan, PlanError> {
        let refused = |text: &str| Err(PlanError(format!("--precondition one-pass {text}")));
        if !asked.on_capacity(geometry.capacity).is_whole() {
            return refused(
                "is for the whole drive, and --range names a part of it: leave one of the two out",
            );
        }
        let Some(over_provisioning) = over_provisioning else {
            return refused("needs the over-provisioning of the drive: write one-pass:7%, for example");
        };
        if !(over_provisioning.percent > 0.0 && over_provisioning.percent.is_finite()) {
            return refused("needs an over-provisioning above 0%: write one-pass:7%, for example");
        }
        let flash = geometry.capacity.get() as f64 * (1.0 + over_provisioning.percent / 100.0);
        let length = range.length().get().max(1) as f64;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast saturates")]
        let spare_millionths = ((flash / length - 1.0) * 1e6).round() as u32;
        Ok(OnePassPlan { over_provisioning, spare_millionths, range })
    }

    /// The pass, with the block size and the queue depth of a load of random writes.
    pub(crate) fn load(&self, random_writes: &LoadPlan) -> LoadPlan {
        let seed = random_writes.seed.child("one pass");
        let order = Order::OnePass { spare_millionths: self.spare_millionths };
        LoadPlan {
            name: ONE_PASS.to_owned(),
            order,
            range: self.range,
            workers: 1,
            stop: StopRule::default(),
            seed,
            ..random_writes.clone()
        }
    }

    /// What the pass writes.
    pub(crate) fn bytes(&self) -> ByteCount {
        let length = self.range.length().get();
        let order = Order::OnePass { spare_millionths: self.spare_millionths };
        ByteCount::new(order.ends_after(length).unwrap_or(length))
    }

    /// The pass, such as "4.93 GB in the order of one-pass preconditioning (14.84 % over-provisioning, as given)".
    pub(crate) fn in_words(&self) -> String {
        let (bytes, found) = (self.bytes(), self.over_provisioning.in_words());
        format!("{bytes} in the order of {ONE_PASS} ({found})")
    }

    /// The pass as a condition of the run.
    pub(crate) fn condition(&self) -> Condition {
        let alpha = 1.0 + f64::from(self.spare_millionths) / 1e6;
        let value = format!(
            "one pass of {} ({}); formula: {:.2} times the host's writes to flash in steady state",
            self.bytes(),
            self.over_provisioning.in_words(),
            1.0 / (1.0 - collected_valid_share(alpha))
        );
        Condition::new("Workload", "Preconditioning", value)
    }

    /// What the reader of a result has to know.
    pub(crate) fn notice(&self) -> Notice {
        let (bytes, found) = (self.bytes(), self.over_provisioning.in_words());
        let text = format!("Preconditioning: one pass of {bytes} ({found}).");
        if self.over_provisioning.source != OverProvisioningSource::Assumed {
            return Notice::note(text);
        }
        let text = format!(
            "{text} Drives do not report their over-provisioning: where you know it, give it \
             (--precondition one-pass:PERCENT). With a wrong one, steady state comes later."
        );
        Notice::warning(text)
    }
}

/// Refuses a pass over a drive that would not be purged before.
pub(crate) fn check_purged(purge: PurgeOption) -> Result<(), PlanError> {
    if purge != PurgeOption::None {
        return Ok(());
    }
    let text =
        "--precondition one-pass is for a purged drive: leave --purge none out, or precondition it with fill";
    Err(PlanError(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RangeEnd;

    #[test]
    fn the_flash_of_usual_drives_is_the_next_power_of_two() {
        let assumed = |bytes: u64| FlashOverProvisioning::assumed(ByteCount::new(bytes)).percent;
        let known =
            [(240, 14.53), (250, 9.95), (256, 7.37), (480, 14.53), (800, 37.44), (1000, 9.95), (960, 14.53)];
        for (gigabytes, percent) in known {
            let found = assumed(gigabytes * 1_000_000_000);
            assert!((found - percent).abs() < 0.011, "{gigabytes} GB: {found} %, not {percent} %");
        }
        for odd in [600_000_000_000, 700_000_000, 0, u64::MAX] {
            assert!((assumed(odd) - GIB_TO_GB_PERCENT).abs() < 1e-9, "{odd}");
        }
        // Flash of exactly the user capacity would leave nothing to collect with.
        assert!(assumed(256 << 30) > 7.0);
    }

    #[test]
    fn a_pass_writes_the_flash_once_whatever_part_of_the_drive_is_used() {
        let capacity = ByteCount::new(100_000_000_000);
        let geometry = Geometry { capacity, logical_block: 512, physical_block: 4096 };
        let whole = RangeOption { start: RangeEnd::Percent(0.0), end: RangeEnd::Percent(100.0) };
        let found = Some(FlashOverProvisioning::given(10.0));
        for used in [100_000_000_000_u64, 75_000_000_000, 10_000_000_000] {
            let range = ByteRange::new(ByteCount::new(0), ByteCount::new(used));
            let pass = OnePassPlan::new(found, whole, &geometry, range).expect("a whole drive");
            assert!(pass.bytes().get().abs_diff(110_000_000_000) < 200_000, "{}", pass.bytes());
        }
        let part = RangeOption { end: RangeEnd::Percent(50.0), ..whole };
        let range = ByteRange::new(ByteCount::new(0), capacity);
        for (found, asked) in [(found, part), (None, whole), (Some(FlashOverProvisioning::given(0.0)), whole)]
        {
            assert!(OnePassPlan::new(found, asked, &geometry, range).is_err());
        }
    }
}
