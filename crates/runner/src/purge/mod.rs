//! A purge of a real target: which one, its commands, and what is read back afterwards.

mod before;
mod carry_out;
mod password;
mod read_back;

use drivelab_block::Nanos;
use drivelab_method::Interrupt;
use drivelab_purge::ata::{AtaCommandError, AtaCommands as _};
use drivelab_purge::{Asked, Method, NoPurge, Offer, Planned, nvme, plan};
use drivelab_safety::Target;
use drivelab_uring::{Access, AtaDrive, NoAta, NoPassthrough, NvmeAdmin};

use crate::audit::{Audit, note_refused};
use crate::watch::{Watch, look_once};
use crate::{Failure, Real};
pub use before::{asked_of, check_purge, no_command_of_simulated, purge_before};
use carry_out::carry_out;
use password::release_own;
pub use password::unlock_own;
pub use read_back::PurgeReadBack;
use read_back::SampledPlaces;

/// What a purge has done.
#[derive(Clone, Debug)]
pub struct Purged {
    /// How it was done, and why so.
    pub planned: Planned,
    /// The end of a sanitize in the words of the drive's log; none of other methods.
    pub log: Option<String>,
    /// How long it took.
    pub took: Nanos,
    /// What the sampled places return now.
    pub read_back: PurgeReadBack,
}

impl Purged {
    /// Whether a place still returns what it held, which only discards are free to let happen.
    pub fn failed(&self) -> bool {
        self.read_back.unchanged > 0 && self.planned.method != Method::Discard
    }
}

/// Chooses the purge of a target that is open, by what its drive says. Of a claimed drive, a password that an earlier purge has
/// left in it is taken away before; nothing else is changed. The inner error says that the target does not have what was asked
/// for.
pub fn plan_purge(
    access: &Access,
    target: &Target,
    asked: Asked,
) -> Result<Result<Planned, NoPurge>, Failure> {
    let has_other_password = release_own(access)?;
    let offer = if has_other_password {
        Offer::None(
            "the drive has a password that is not drivelab's (take it away with hdparm --security-disable)"
                .to_owned(),
        )
    } else {
        offer_of(access)
    };
    let planned = plan(asked, &offer, target.no_discards());
    // Of what is only asked nothing is logged.
    if let (Err(NoPurge::Reaches(why)), Access::Write(grant)) = (&planned, access) {
        note_refused(grant.identity(), why);
    }
    Ok(planned)
}

/// Purges a claimed target as planned, and reads sampled places back. Progress goes to stderr.
pub fn purge(real: &Real, mut planned: Planned, interrupt: &Interrupt) -> Result<Purged, Failure> {
    let grant = real.grant()?;
    let mut audit = Audit::open()?;
    let places = SampledPlaces::choose(real.geometry())?;
    // A drive that sanitizes refuses every read.
    let before = match planned.method {
        Method::AwaitSanitize => vec![None; places.offsets.len()],
        _ => places.read(&real.access)?,
    };
    real.verify_again().inspect_err(|failure| note_refused(grant.identity(), &failure.to_string()))?;
    say!("{}: {}, because {}", real.path.display(), planned.method, planned.why.join("; "));
    let watch = Watch::of_uses(real, interrupt)?;
    let began = real.clock.now();
    let carried_out = carry_out(&real.access, grant, &mut planned, &mut audit, interrupt);
    // The last second has not been looked at.
    let used = watch.used().or_else(|| real.usage_monitor().and_then(|mut monitor| look_once(&mut monitor)));
    if let Some(used) = used {
        let failure = Failure::Refused(came_into_use(planned.method, &used));
        note_refused(grant.identity(), &failure.to_string());
        return Err(failure);
    }
    let log = carried_out?;
    let took = real.clock.now().since(began);
    let after = places.read(&real.access)?;
    let log = log.map(|sanitized| {
        let again = if sanitized.was_in_progress { "it was in progress already; " } else { "" };
        format!("{again}{}", sanitized.log)
    });
    Ok(Purged { planned, log, took, read_back: PurgeReadBack::compare(&before, &after) })
}

/// What a use that began during a purge means: it has ended discards, and no command that the drive carries out itself.
fn came_into_use(method: Method, used: &str) -> String {
    let lost = "what was written there meanwhile may be lost";
    match method {
        Method::Discard => {
            format!("the purge was stopped: {used}. A part of the target was discarded, and {lost}")
        }
        _ => format!("{used}, while the drive purged itself, which cannot be stopped: {lost}"),
    }
}

/// Asks the drive that a target is; nothing is changed.
fn offer_of(access: &Access) -> Offer {
    match NvmeAdmin::open(access) {
        Ok(mut admin) => {
            let own = admin.namespace;
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
