//! The over-provisioning that one-pass preconditioning begins from.

use drivelab_kinds::FlashOverProvisioning;
use drivelab_runner::{Failure, find_over_provisioning};

use crate::args::Precondition;

/// What is known of the target's over-provisioning, given or found; none where one pass was not asked for.
///
/// # Errors
/// Where the target has no flash, or is not a whole drive and nothing was given.
pub fn over_provisioning(
    asked: Option<Precondition>,
    target: &str,
) -> Result<Option<FlashOverProvisioning>, Failure> {
    match asked {
        Some(Precondition::OnePass(given)) => find_over_provisioning(target, given).map(Some),
        _ => Ok(None),
    }
}
