//! What a drive has for a purge.

use super::command::{NvmeCommandError, NvmeCommands, NvmeQuery};
use super::identify::{Controller, FormattedAs, namespace_list};
use super::sanitize::SanitizeLog;

/// What an NVMe target says of itself.
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
pub fn facts<D: NvmeCommands>(drive: &mut D, own: u32) -> Result<Facts, NvmeCommandError> {
    let controller = Controller::parse(&drive.inquire(NvmeQuery::Controller)?);
    let formatted = FormattedAs::parse(&drive.inquire(NvmeQuery::Namespace)?);
    let all = if controller.manages_namespaces {
        NvmeQuery::AllocatedNamespaces
    } else {
        NvmeQuery::ActiveNamespaces
    };
    let listed = namespace_list(&drive.inquire(all)?);
    let others = listed.into_iter().filter(|one| *one != own).count();
    let has_sanitize = controller.sanitizes_blocks || controller.sanitizes_by_key;
    let log = if has_sanitize { drive.inquire(NvmeQuery::SanitizeLog).ok() } else { None };
    Ok(Facts { controller, formatted, others, log: log.map(|data| SanitizeLog::parse(&data)) })
}

#[cfg(test)]
mod tests {
    use super::super::command::Erasure;
    use super::super::sanitize::SanitizeState;
    use super::*;

    /// A drive with the namespaces 1, 3 and 4, of which 1 and 3 are attached to this controller.
    struct Fake {
        manages_namespaces: bool,
        sanitizes: u8,
    }

    impl NvmeCommands for Fake {
        fn inquire(&mut self, query: NvmeQuery) -> Result<Vec<u8>, NvmeCommandError> {
            let mut data = vec![0; query.length()];
            let list: &[u8] = match query {
                NvmeQuery::Controller => {
                    (data[256], data[328]) = (u8::from(self.manages_namespaces) << 3, self.sanitizes);
                    &[]
                }
                NvmeQuery::SanitizeLog => {
                    data[2] = 1;
                    &[]
                }
                NvmeQuery::ActiveNamespaces => &[1, 3],
                NvmeQuery::AllocatedNamespaces => &[1, 3, 4],
                _ => &[],
            };
            for (place, namespace) in list.iter().enumerate() {
                data[place * 4] = *namespace;
            }
            Ok(data)
        }

        fn erase(&mut self, _: Erasure) -> Result<(), NvmeCommandError> {
            panic!("only asked")
        }
    }

    /// What a sanitize would erase besides the target.
    #[test]
    fn all_namespaces_but_the_targets_own_are_others() {
        let others = |manages_namespaces, own| {
            facts(&mut Fake { manages_namespaces, sanitizes: 0 }, own).expect("facts").others
        };
        assert_eq!((others(false, 3), others(true, 3), others(true, 9)), (1, 2, 3));
    }

    #[test]
    fn the_log_is_read_where_there_is_a_sanitize_of_either_kind() {
        for (sanitizes, has_log) in [(0b00, false), (0b01, true), (0b10, true)] {
            let facts = facts(&mut Fake { manages_namespaces: false, sanitizes }, 1).expect("facts");
            let state = facts.log.map(|log| log.state);
            assert_eq!(state, has_log.then_some(SanitizeState::Succeeded), "{sanitizes}");
        }
    }
}
