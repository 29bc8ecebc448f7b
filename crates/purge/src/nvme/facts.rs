//! What a drive has for a purge.

use super::command::{CommandError, Drive, Inquiry};
use super::controller::Controller;
use super::namespace::{FormattedAs, namespace_list};
use super::sanitize::SanitizeLog;

/// What an `NVMe` target says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    /// What its controller has.
    pub controller: Controller,
    /// How its namespace is formatted.
    pub formatted: FormattedAs,
    /// How many other namespaces there are in the subsystem, as far as the controller lists them.
    pub others: usize,
    /// The sanitize status log; none where it has no sanitize or does not return it.
    pub log: Option<SanitizeLog>,
}

/// Asks a drive what it has; `own` is the identifier of the target's namespace.
///
/// # Errors
/// Where it does not identify itself.
pub fn facts<D: Drive>(drive: &mut D, own: u32) -> Result<Facts, CommandError> {
    let controller = Controller::parse(&drive.inquire(Inquiry::Controller)?);
    let formatted = FormattedAs::parse(&drive.inquire(Inquiry::Namespace)?);
    let all =
        if controller.manages_namespaces { Inquiry::AllocatedNamespaces } else { Inquiry::ActiveNamespaces };
    let listed = namespace_list(&drive.inquire(all)?);
    let others = listed.into_iter().filter(|one| *one != own).count();
    let has_sanitize = controller.sanitizes_blocks || controller.sanitizes_by_key;
    let log = if has_sanitize { drive.inquire(Inquiry::SanitizeLog).ok() } else { None };
    Ok(Facts { controller, formatted, others, log: log.map(|data| SanitizeLog::parse(&data)) })
}
