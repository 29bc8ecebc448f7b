//! What a target has for a purge.

use drivelab_purge::ata::{AtaCommandError, AtaCommands as _};
use drivelab_purge::{Offer, nvme};
use drivelab_uring::{Access, AtaDrive, NoAta, NoPassthrough, NvmeAdmin};

/// Asks the drive that a target is; nothing is changed.
pub fn offer_of(access: &Access) -> Offer {
    match NvmeAdmin::open(access) {
        Ok(mut admin) => {
            let own = admin.namespace();
            nvme::facts(&mut admin, own).map_or_else(|error| not_identified(&error), Offer::Nvme)
        }
        Err(NoPassthrough::NotNvme) => ata_offer_of(access),
        Err(why) => Offer::None(why.to_string()),
    }
}

fn ata_offer_of(access: &Access) -> Offer {
    match AtaDrive::open(access) {
        Ok(mut drive) => match drive.security() {
            Ok(security) => Offer::Ata(security),
            Err(AtaCommandError::NotPassed(_)) => {
                Offer::None("the target is no NVMe or ATA drive".to_owned())
            }
            Err(error) => not_identified(&error),
        },
        Err(NoAta::OtherKind) => Offer::None("the target is no NVMe or ATA drive".to_owned()),
        Err(why) => Offer::None(why.to_string()),
    }
}

fn not_identified(error: &dyn std::error::Error) -> Offer {
    Offer::None(format!("the drive does not identify itself: {error}"))
}
