//! Discards of a target that takes none: refused before anything is written.

use drivelab_kinds::NeededDiscards;
use drivelab_safety::Target;

use super::TargetName;
use crate::Failure;

/// Refuses discards where `target` takes none. `resolved` is the target itself where it is no simulated one.
pub fn check_discards(
    target: &TargetName,
    resolved: Option<&Target>,
    NeededDiscards { asked, instead }: NeededDiscards,
) -> Result<(), Failure> {
    let why = match (target, resolved) {
        (TargetName::Simulated(profile), _) if !profile.takes_discards() => {
            Some("this simulated drive has no TRIM".to_owned())
        }
        (TargetName::Simulated(_), _) => None,
        (TargetName::Path(_), resolved) => resolved.and_then(Target::no_discards).map(|why| why.to_string()),
    };
    why.map_or(Ok(()), |why| {
        Err(Failure::Environment(format!("{asked}, and the target takes no discards ({why}): {instead}")))
    })
}
