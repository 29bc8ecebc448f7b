//! The over-provisioning of a target, which one-pass preconditioning begins from.

use drivelab_kinds::FlashOverProvisioning;
use drivelab_safety::{System, Target};

use crate::{Failure, TargetName};

/// Why a disk is refused.
const NO_FLASH: &str = "has no flash, and no steady state that one pass could bring it to: use --precondition fill, or leave the \
                        option out";

/// The over-provisioning of a target: what was given, in per cent, or that of a simulated drive, or what is assumed of a drive of
/// its capacity. It opens nothing.
///
/// # Errors
/// Where the target has no flash. Where nothing was given, and the target is a file or a partition, whose capacity says nothing
/// of the flash, or a drive that the kernel takes for a disk: a bridge may hide that it is none.
pub fn find_over_provisioning(target: &str, given: Option<f64>) -> Result<FlashOverProvisioning, Failure> {
    let refuse = |why: &str| Err(usage!("{target} {why}"));
    match TargetName::parse(target)? {
        TargetName::Simulated(profile) if !profile.has_flash() => refuse(NO_FLASH),
        TargetName::Simulated(profile) => Ok(given.map_or_else(
            || FlashOverProvisioning::simulated(profile.over_provisioning()),
            FlashOverProvisioning::given,
        )),
        TargetName::Path(path) => match (given, Target::resolve(&System::live(), &path)?) {
            (Some(percent), _) => Ok(FlashOverProvisioning::given(percent)),
            (None, Target::File(_)) => {
                refuse("is a file, and the flash below it is not known: write one-pass:7%, for example")
            }
            (None, Target::Drive(drive)) if drive.identity().parent.is_some() => refuse(
                "is a partition, and the flash that it has to itself is not known: name the whole drive",
            ),
            (None, Target::Drive(drive)) if drive.identity().rotational == Some(true) => refuse(
                "is a disk by what the kernel reports, and has no flash: use --precondition fill; for a flash drive \
                 behind an adapter write its over-provisioning, such as one-pass:7%",
            ),
            (None, Target::Drive(drive)) => Ok(FlashOverProvisioning::assumed(drive.identity().size)),
        },
    }
}
