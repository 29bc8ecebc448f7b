//! Which of a drive's purges is taken, and why.

use crate::ata::{EraseMode, Security};
use crate::nvme::{Controller, Facts, FormatErase, NvmeFormat, SanitizeAction, SanitizeState};

/// The purge that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The most thorough one that the drive has and that reaches nothing but the target.
    Auto,
    /// Sanitize, by block erase where the drive has it, by crypto erase otherwise.
    Sanitize,
    /// Format NVM with an erase of user data, or by crypto erase where the drive refuses that.
    Format,
    /// ATA SECURITY ERASE UNIT, enhanced where the drive has it.
    SecureErase,
    /// Discards.
    Discard,
}

/// How a drive is purged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Method {
    /// Sanitize.
    #[error("NVMe Sanitize ({0})")]
    Sanitize(SanitizeAction),
    /// Waiting for a sanitize that is in progress.
    #[error("waiting for the sanitize that is in progress")]
    AwaitSanitize,
    /// Format NVM with an erase.
    #[error("NVMe Format ({})", .0.erase)]
    Format(NvmeFormat),
    /// ATA SECURITY ERASE UNIT.
    #[error("ATA SECURITY ERASE UNIT ({0})")]
    SecureErase(EraseMode),
    /// Discards.
    #[error("discard of every block")]
    Discard,
}

/// What a target has for a purge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The commands of an NVMe drive.
    Nvme(Facts),
    /// The security feature set of an ATA drive.
    Ata(Security),
    /// None of these, for this reason.
    None(String),
}

/// A purge, and why it is this one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// How.
    pub method: Method,
    /// Why, in whole sentences.
    pub why: Vec<String>,
}

/// Why there is no such purge: a line that says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPurge {
    /// The target does not have it, or not now.
    #[error("{0}")]
    Lacks(String),
    /// It would erase more than the target.
    #[error("{0}")]
    Reaches(String),
}

impl NoPurge {
    fn and(self, hint: &str) -> NoPurge {
        match self {
            NoPurge::Lacks(why) => NoPurge::Lacks(format!("{why}: {hint}")),
            NoPurge::Reaches(why) => NoPurge::Reaches(format!("{why}: {hint}")),
        }
    }
}

fn lacks(why: impl Into<String>) -> NoPurge {
    NoPurge::Lacks(why.into())
}

impl Planned {
    /// A purge by this method, for these reasons, as far as there are any.
    fn by<const N: usize>(method: Method, why: [Option<String>; N]) -> Planned {
        Planned { method, why: why.into_iter().flatten().collect() }
    }
}

/// Chooses the purge. `discards` says why the target takes no discards, where it takes none.
///
/// # Errors
/// Where the target does not have what is asked for, or that would reach more than the target.
pub fn plan(asked: Asked, offer: &Offer, discards: Option<&str>) -> Result<Planned, NoPurge> {
    let way: Way = match asked {
        Asked::Auto => return most_thorough(offer, discards),
        Asked::Sanitize => sanitize,
        Asked::Format => format,
        Asked::SecureErase => secure_erase,
        Asked::Discard => |_, discards| discard(discards),
    };
    way(offer, discards).map_err(|why| why.and("try --purge auto"))
}

/// A purge of what a target has and of why it takes no discards, or why it is not to be.
type Way = fn(&Offer, Option<&str>) -> Result<Planned, NoPurge>;

fn most_thorough(offer: &Offer, discards: Option<&str>) -> Result<Planned, NoPurge> {
    let ways: &[Way] = match offer {
        Offer::Nvme(_) => &[sanitize, format],
        // Of a target that is neither, each way would name the same reason.
        Offer::Ata(_) | Offer::None(_) => &[secure_erase],
    };
    let mut against = Vec::new();
    for way in ways.iter().copied().chain([(|_, discards| discard(discards)) as Way]) {
        match way(offer, discards) {
            Ok(mut planned) => {
                // What stood against the ways before it comes first.
                planned.why.splice(0..0, against.iter().map(ToString::to_string));
                return Ok(planned);
            }
            Err(why) => against.push(why),
        }
    }
    let reasons: Vec<String> = against.iter().map(ToString::to_string).collect();
    let whole = format!("the target cannot be purged: {}", reasons.join("; "));
    // What stands against it is that it would erase more, where it could be erased at all.
    let reaches = against.iter().any(|why| matches!(why, NoPurge::Reaches(_)));
    Err(if reaches { NoPurge::Reaches(whole) } else { NoPurge::Lacks(whole) })
}

fn nvme(offer: &Offer) -> Result<&Facts, NoPurge> {
    match offer {
        Offer::Nvme(facts) => Ok(facts),
        Offer::Ata(_) => Err(lacks("the target is an ATA drive and no NVMe drive")),
        Offer::None(why) => Err(lacks(why)),
    }
}

fn sanitize(offer: &Offer, _: Option<&str>) -> Result<Planned, NoPurge> {
    let facts = nvme(offer)?;
    if facts.log.is_some_and(|log| log.state == SanitizeState::InProgress) {
        let why = "a sanitize was begun before and cannot be stopped".to_owned();
        return Ok(Planned::by(Method::AwaitSanitize, [Some(why)]));
    }
    let action = match facts.controller {
        Controller { sanitizes_blocks: true, .. } => SanitizeAction::BlockErase,
        Controller { sanitizes_by_key: true, .. } => SanitizeAction::CryptoErase,
        _ => return Err(lacks("the drive has no Sanitize by block or crypto erase (SANICAP)")),
    };
    alone(facts, "Sanitize erases all namespaces")?;
    let seconds = facts.log.and_then(|log| match action {
        SanitizeAction::BlockErase => log.block_erase_s,
        SanitizeAction::CryptoErase => log.crypto_erase_s,
    });
    let estimate = seconds.map(|seconds| format!("the drive estimates {seconds} s"));
    let reach =
        "the drive has Sanitize, which reaches all of its flash, what cannot be addressed too".to_owned();
    Ok(Planned::by(Method::Sanitize(action), [Some(reach), estimate]))
}

fn format(offer: &Offer, _: Option<&str>) -> Result<Planned, NoPurge> {
    let facts = nvme(offer)?;
    if !facts.controller.formats {
        return Err(lacks("the drive has no Format NVM (OACS bit 1)"));
    }
    if facts.controller.format_reaches_all {
        alone(facts, "a format erases all namespaces (FNA bits 0 and 1)")?;
    }
    let by_key = facts.controller.formats_by_key.then(|| {
        "where the drive refuses an erase of user data, it is formatted with a crypto erase".to_owned()
    });
    let has = "the drive has Format NVM, which erases this namespace and leaves the format of its blocks";
    let format = NvmeFormat {
        blocks: facts.formatted,
        erase: FormatErase::UserData,
        instead: facts.controller.formats_by_key.then_some(FormatErase::Crypto),
    };
    Ok(Planned::by(Method::Format(format), [Some(has.to_owned()), by_key]))
}

fn secure_erase(offer: &Offer, _: Option<&str>) -> Result<Planned, NoPurge> {
    let security = match offer {
        Offer::Ata(security) => security,
        Offer::Nvme(_) => return Err(lacks("the target is an NVMe drive and no ATA drive")),
        Offer::None(why) => return Err(lacks(why)),
    };
    if !security.is_supported {
        return Err(lacks("the drive has no SECURITY ERASE UNIT (word 128 of its identification)"));
    }
    if security.is_frozen {
        let why = "the drive's security is frozen, as most firmware does at the machine's start (suspend the machine and \
                   wake it: systemctl suspend; or unplug the drive's power and plug it in again, then run this again)";
        return Err(lacks(why));
    }
    if security.takes_no_password {
        let why = "the drive was told too many wrong passwords (give it its power anew, then run this again)";
        return Err(lacks(why));
    }
    if security.is_locked {
        return Err(lacks("the drive is locked with a password"));
    }
    let mode = security.mode();
    let erases = format!("the drive has SECURITY ERASE UNIT, and its {mode} erase is the most thorough one");
    let estimate = security.estimate_min(mode).map(|minutes| format!("the drive estimates {minutes} min"));
    let other = security.is_enabled.then(|| {
        "a password is set: one that a purge by drivelab has left is taken away before, and with another one the drive is \
         not erased so"
            .to_owned()
    });
    Ok(Planned::by(Method::SecureErase(mode), [Some(erases), estimate, other]))
}

fn alone(facts: &Facts, reach: &str) -> Result<(), NoPurge> {
    let others = match facts.others {
        0 if facts.controller.may_be_one_of_several && !facts.controller.manages_namespaces => {
            "other controllers of the drive may have some that this one does not list".to_owned()
        }
        0 => return Ok(()),
        1 => "there is another one".to_owned(),
        others => format!("there are {others} others"),
    };
    Err(NoPurge::Reaches(format!("{reach}, and {others}")))
}

fn discard(none: Option<&str>) -> Result<Planned, NoPurge> {
    if let Some(why) = none {
        return Err(lacks(format!("the target takes no discards ({why})")));
    }
    let why = "it stands in for a sanitize or secure erase: the drive decides what it frees".to_owned();
    Ok(Planned::by(Method::Discard, [Some(why)]))
}

#[cfg(test)]
mod tests;
