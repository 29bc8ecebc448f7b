//! Which of a drive's purges is taken, and why.

use std::fmt;
use std::str::FromStr;

use crate::action::SanitizeAction;
use crate::command::{CommandError, Drive, Inquiry};
use crate::controller::Controller;
use crate::namespace::{FormattedAs, namespace_list};
use crate::sanitize::{SanitizeLog, SanitizeState};

/// The purge that is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// The most thorough one that the drive has and that reaches nothing but the target.
    Auto,
    /// Sanitize, by block erase where there is it, by crypto erase otherwise.
    Sanitize,
    /// Format NVM with an erase of user data.
    Format,
    /// Discards.
    Discard,
}

impl FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Asked, String> {
        match text {
            "auto" => Ok(Asked::Auto),
            "sanitize" => Ok(Asked::Sanitize),
            "format" => Ok(Asked::Format),
            "discard" => Ok(Asked::Discard),
            _ => Err("write auto, sanitize, format or discard".to_owned()),
        }
    }
}

/// How a drive is purged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Sanitize.
    Sanitize(SanitizeAction),
    /// Waiting for a sanitize that is in progress.
    AwaitSanitize,
    /// Format NVM with an erase of user data.
    Format(FormattedAs),
    /// Discards.
    Discard,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Sanitize(action) => write!(f, "NVMe Sanitize ({action})"),
            Method::AwaitSanitize => f.write_str("waiting for the sanitize that is in progress"),
            Method::Format(_) => f.write_str("NVMe Format (user data erase)"),
            Method::Discard => f.write_str("discard of every block"),
        }
    }
}

/// What an `NVMe` target says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvmeFacts {
    /// What its controller has.
    pub controller: Controller,
    /// How its namespace is formatted.
    pub formatted: FormattedAs,
    /// How many other namespaces there are in the subsystem, as far as the controller lists them.
    pub others: usize,
    /// The sanitize status log; none where it has no sanitize or does not return it.
    pub log: Option<SanitizeLog>,
}

/// What a target has for a purge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The commands of an `NVMe` drive.
    Nvme(NvmeFacts),
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

/// A purge that the target does not have: a line that says what to type instead.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoPurge(String);

/// Asks a drive what it has; `own` is the identifier of the target's namespace.
///
/// # Errors
/// Where it does not identify itself.
pub fn facts<D: Drive>(drive: &mut D, own: u32) -> Result<NvmeFacts, CommandError> {
    let controller = Controller::parse(&drive.inquire(Inquiry::Controller)?);
    let formatted = FormattedAs::parse(&drive.inquire(Inquiry::Namespace)?);
    let all =
        if controller.manages_namespaces { Inquiry::AllocatedNamespaces } else { Inquiry::ActiveNamespaces };
    let listed = namespace_list(&drive.inquire(all)?);
    let others = listed.into_iter().filter(|one| *one != own).count();
    let has_sanitize = controller.sanitizes_blocks || controller.sanitizes_by_key;
    let log = if has_sanitize { drive.inquire(Inquiry::SanitizeLog).ok() } else { None };
    Ok(NvmeFacts { controller, formatted, others, log: log.map(|data| SanitizeLog::parse(&data)) })
}

/// Chooses the purge. `discards` says why the target takes no discards, where it takes none.
///
/// # Errors
/// Where the target does not have what is asked for, or that would reach more than the target.
pub fn plan(asked: Asked, offer: &Offer, discards: Option<&str>) -> Result<Planned, NoPurge> {
    match asked {
        Asked::Sanitize => sanitize(offer).map_err(|why| NoPurge(format!("{why}: try --purge auto"))),
        Asked::Format => format(offer).map_err(|why| NoPurge(format!("{why}: try --purge auto"))),
        Asked::Discard => discard(discards).map_err(|why| NoPurge(format!("{why}: try --purge auto"))),
        Asked::Auto => {
            let mut against = Vec::new();
            for way in [sanitize, format] {
                match way(offer) {
                    Ok(planned) => return Ok(because(planned, against)),
                    Err(why) if against.contains(&why) => {}
                    Err(why) => against.push(why),
                }
            }
            match discard(discards) {
                Ok(planned) => Ok(because(planned, against)),
                Err(why) => {
                    against.push(why);
                    Err(NoPurge(format!("the target cannot be purged: {}", against.join("; "))))
                }
            }
        }
    }
}

/// The plan with what stood against the ways before it.
fn because(mut planned: Planned, against: Vec<String>) -> Planned {
    planned.why.splice(0..0, against);
    planned
}

fn nvme(offer: &Offer) -> Result<&NvmeFacts, String> {
    match offer {
        Offer::Nvme(facts) => Ok(facts),
        Offer::None(why) => Err(why.clone()),
    }
}

fn sanitize(offer: &Offer) -> Result<Planned, String> {
    let facts = nvme(offer)?;
    if facts.log.is_some_and(|log| log.state == SanitizeState::InProgress) {
        let why = vec!["a sanitize was begun before and cannot be stopped".to_owned()];
        return Ok(Planned { method: Method::AwaitSanitize, why });
    }
    let action = match facts.controller {
        Controller { sanitizes_blocks: true, .. } => SanitizeAction::BlockErase,
        Controller { sanitizes_by_key: true, .. } => SanitizeAction::CryptoErase,
        _ => return Err("the drive has no Sanitize by block or crypto erase (SANICAP)".to_owned()),
    };
    alone(facts, "Sanitize erases all namespaces")?;
    let seconds = facts.log.and_then(|log| match action {
        SanitizeAction::BlockErase => log.block_erase_s,
        SanitizeAction::CryptoErase => log.crypto_erase_s,
    });
    let estimate = seconds.map(|seconds| format!("the drive estimates {seconds} s"));
    let reach =
        "the drive has Sanitize, which reaches all of its flash, what cannot be addressed too".to_owned();
    Ok(Planned {
        method: Method::Sanitize(action),
        why: [Some(reach), estimate].into_iter().flatten().collect(),
    })
}

fn format(offer: &Offer) -> Result<Planned, String> {
    let facts = nvme(offer)?;
    if !facts.controller.formats {
        return Err("the drive has no Format NVM (OACS bit 1)".to_owned());
    }
    if facts.controller.format_reaches_all {
        alone(facts, "a format erases all namespaces (FNA bits 0 and 1)")?;
    }
    let why = vec![
        "the drive has Format NVM, which erases this namespace and leaves the format of its blocks"
            .to_owned(),
    ];
    Ok(Planned { method: Method::Format(facts.formatted), why })
}

fn alone(facts: &NvmeFacts, reach: &str) -> Result<(), String> {
    match facts.others {
        0 if facts.controller.may_be_one_of_several && !facts.controller.manages_namespaces => Err(format!(
            "{reach}, and other controllers of the drive may have some that this one does not list"
        )),
        0 => Ok(()),
        1 => Err(format!("{reach}, and there is another one")),
        others => Err(format!("{reach}, and there are {others} others")),
    }
}

fn discard(none: Option<&str>) -> Result<Planned, String> {
    if let Some(why) = none {
        return Err(format!("the target takes no discards ({why})"));
    }
    let why = "it stands in for a sanitize or secure erase: the drive decides what it frees";
    Ok(Planned { method: Method::Discard, why: vec![why.to_owned()] })
}

#[cfg(test)]
mod tests;
