//! What stands against a setup.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command_line::foreign_tracing;

/// The folder of an event that every kernel with boot-time tracing has.
const EVENT: &str = "sys/kernel/tracing/events/block/block_rq_issue";

/// Why a machine cannot keep its boots; each says what to do.
#[derive(Debug, thiserror::Error)]
pub enum NoSetup {
    /// Another program started the system.
    #[error("this system was not started by systemd, which reports the times of a boot: nothing was changed")]
    NoSystemd,
    /// The kernel has no events.
    #[error(
        "this kernel cannot trace its boot (it has no {EVENT}): boot one that was built with CONFIG_EVENT_TRACING; nothing was \
         changed"
    )]
    NoTracing,
    /// tracefs is not mounted.
    #[error("tracefs is not mounted: type mount -t tracefs tracefs /sys/kernel/tracing, and try again")]
    NotMounted,
    /// The kernel refuses its events in lockdown.
    #[error(
        "this kernel refuses tracing (lockdown is {0}): switch Secure Boot off, or boot with lockdown=none; nothing was \
         changed"
    )]
    Lockdown(String),
    /// Something else traces the boot.
    #[error(
        "the boot is traced by something else already ({0} on the kernel's command line), and both cannot share the \
         buffer: remove that first; nothing was changed"
    )]
    ForeignTracing(String),
    /// The boot loader is not known.
    #[error(
        "the boot loader{} is not known (GRUB with /etc/default/grub.d, and grubby, are): add the parameters that `drivelab boot \
         enable --boot-loader manual --print` shows to the kernel's command line yourself, and enable with --boot-loader manual; \
         nothing was changed",
        .0.as_ref().map(|name| format!(" {name}")).unwrap_or_default()
    )]
    UnknownLoader(Option<String>),
    /// A file that is not ours has the place of one that would be.
    #[error("{0} was not made by `drivelab boot enable`: move it away; nothing was changed")]
    ForeignFile(PathBuf),
}

impl NoSetup {
    /// What stands against tracing the boots of the system with this root; `None` where nothing does.
    pub fn find(root: &Path) -> Option<NoSetup> {
        if !root.join("run/systemd/system").is_dir() {
            return Some(NoSetup::NoSystemd);
        }
        let lockdown = fs::read_to_string(root.join("sys/kernel/security/lockdown")).unwrap_or_default();
        if lockdown.contains("[confidentiality]") {
            return Some(NoSetup::Lockdown("confidentiality".to_owned()));
        }
        if !root.join(EVENT).is_dir() {
            let tracefs = root.join("sys/kernel/tracing");
            let is_empty = fs::read_dir(tracefs).is_ok_and(|mut entries| entries.next().is_none());
            return Some(if is_empty { NoSetup::NotMounted } else { NoSetup::NoTracing });
        }
        let line = fs::read_to_string(root.join("proc/cmdline")).unwrap_or_default();
        foreign_tracing(&line).map(|parameter| NoSetup::ForeignTracing(parameter.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_against_a_setup_is_named_one_by_one() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        let make = |path: &str| fs::create_dir_all(root.join(path)).expect("a folder");
        let put = |path: &str, text: &str| fs::write(root.join(path), text).expect("a file");
        assert!(matches!(NoSetup::find(root), Some(NoSetup::NoSystemd)));
        make("run/systemd/system");
        assert!(matches!(NoSetup::find(root), Some(NoSetup::NoTracing)));
        make("sys/kernel/tracing");
        assert!(matches!(NoSetup::find(root), Some(NoSetup::NotMounted)));
        make("sys/kernel/tracing/events/sched");
        assert!(matches!(NoSetup::find(root), Some(NoSetup::NoTracing)));
        make(EVENT);
        assert!(NoSetup::find(root).is_none());
        make("proc");
        put("proc/cmdline", "quiet ftrace=function\n");
        assert!(matches!(NoSetup::find(root), Some(NoSetup::ForeignTracing { .. })));
        make("sys/kernel/security");
        put("sys/kernel/security/lockdown", "none integrity [confidentiality]\n");
        assert!(matches!(NoSetup::find(root), Some(NoSetup::Lockdown { .. })));
    }
}
