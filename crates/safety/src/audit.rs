//! The log of what was granted and what was refused: one line each, kept for good.

use std::env;
use std::fmt;
use std::fs::{DirBuilder, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};

use crate::wording::shown;
use crate::{Identity, Refusal, WriteGrant};

/// Whom the log is for: its user alone.
const OWN: u32 = 0o600;

/// A file to which a line is added for every decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLog {
    path: PathBuf,
}

/// The log, open: a line that is added to it now has a place.
#[derive(Debug)]
pub struct OpenLog(File);

/// What is remembered: a decision, or a step that somebody has to know of after a power cut.
#[derive(Clone, Copy, Debug)]
pub enum Decision<'a> {
    /// Writing was granted.
    Granted(&'a WriteGrant),
    /// The grant was given back: the run has ended.
    Released(&'a WriteGrant),
    /// Writing was refused.
    Refused(&'a Refusal),
    /// It was refused for what was found out about the drive after that, such as its health, or what a purge would reach.
    RefusedAfterwards(&'a Identity, &'a str),
    /// A purge begins, by this method.
    Purging(&'a WriteGrant, &'a str),
    /// This user password is about to be set in a drive, for as long as it erases itself.
    PasswordSet(&'a Identity, &'a str),
    /// drivelab's password is about to be told to a drive that has one, to take it away.
    PasswordTried(&'a Identity),
    /// The drive has no password any more.
    PasswordGone(&'a Identity),
}

impl AuditLog {
    /// The log of one run, in its folder.
    pub fn in_folder(folder: &Path) -> AuditLog {
        AuditLog { path: folder.join("audit.log") }
    }

    /// The log of this user, below `$XDG_STATE_HOME` or `~/.local/state`; `None` where there is neither.
    pub fn in_state_folder() -> Option<AuditLog> {
        let named = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let state = named.or_else(|| {
            let home = env::var_os("HOME").map(PathBuf::from).filter(|path| path.is_absolute());
            home.map(|home| home.join(".local/state"))
        })?;
        Some(AuditLog::in_folder(&state.join("drivelab")))
    }

    /// Where the log is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens the log, and makes it and its folder where they are not there, for this user alone.
    ///
    /// # Errors
    /// Where the folder cannot be made, or the log is no regular file: what is written would go somewhere
    /// else, or nowhere.
    pub fn open(&self) -> io::Result<OpenLog> {
        if let Some(folder) = self.path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // A link is not followed, and a pipe without a reader does not wait for one.
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        let file =
            File::options().append(true).create(true).mode(OWN).custom_flags(flags).open(&self.path)?;
        let found = file.metadata()?;
        if !found.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"));
        }
        // One that an earlier version made was open to everybody.
        if Mode::from_raw_mode(found.mode()).intersects(Mode::RWXG | Mode::RWXO) {
            file.set_permissions(Permissions::from_mode(OWN))?;
        }
        Ok(OpenLog(file))
    }
}

impl OpenLog {
    /// Adds a line, on the drive before this returns. `time` is the moment as the caller writes it.
    ///
    /// # Errors
    /// Where the line cannot be written.
    pub fn record(&mut self, time: &str, decision: Decision<'_>) -> io::Result<()> {
        // One write a line: lines of two runs at once do not mix.
        self.0.write_all(format!("{}\n", shown(format!("{time} {decision}"))).as_bytes())?;
        self.0.sync_data()
    }
}

impl fmt::Display for Decision<'_> {
    /// One line: what was decided, on which target, and why.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Decision::Granted(grant) => write!(f, "granted {}", grant.identity()),
            Decision::Released(grant) => write!(f, "released {}", grant.identity()),
            Decision::Refused(refusal) => {
                write!(f, "refused {}", refusal.target)?;
                refusal.reasons.iter().try_for_each(|reason| write!(f, " | {reason}"))
            }
            Decision::RefusedAfterwards(identity, why) => write!(f, "refused {identity} | {why}"),
            Decision::Purging(grant, method) => write!(f, "purging {} by {method}", grant.identity()),
            Decision::PasswordSet(identity, password) => {
                write!(f, "ATA user password \"{password}\" set in {identity}")
            }
            Decision::PasswordTried(identity) => write!(f, "ATA password of drivelab tried on {identity}"),
            Decision::PasswordGone(identity) => write!(f, "no ATA password left in {identity}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, mkfifoat, open};

    use super::*;
    use crate::Access;
    use crate::Reason;

    #[test]
    fn every_decision_is_one_line_whatever_its_text_holds() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = AuditLog::in_folder(&folder.path().join("run"));
        let reasons = vec![Reason::Claimed("sda\nforged line".into())];
        let refusal = Refusal { access: Access::Write, target: "sda".into(), reasons };
        for time in ["2026-11-21T10:00:00Z", "2026-11-21T10:00:01Z"] {
            let mut open = log.open().expect("the log");
            open.record(time, Decision::Refused(&refusal)).expect("a line");
        }
        let text = std::fs::read_to_string(log.path()).expect("the log");
        assert_eq!(text.lines().count(), 2);
        assert!(text.starts_with("2026-11-21T10:00:00Z refused sda | sda?forged line is claimed"));
        let mode = |path: &Path| std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
        assert_eq!((mode(log.path()), mode(&folder.path().join("run"))), (0o600, 0o700));
        for open_to_others in [0o640, 0o604] {
            std::fs::set_permissions(log.path(), Permissions::from_mode(open_to_others)).expect("its mode");
            log.open().expect("the log");
            assert_eq!(mode(log.path()), 0o600, "{open_to_others:o}");
        }
    }

    #[test]
    fn the_log_of_a_user_lies_where_that_user_keeps_state() {
        let wanted = "WANTED_LOG";
        if let Ok(expected) = env::var(wanted) {
            let log = AuditLog::in_state_folder().map(|log| log.path().display().to_string());
            return assert_eq!(log.unwrap_or_default(), expected);
        }
        for (state, home, expected) in [
            ("/state", "/home/me", "/state/drivelab/audit.log"),
            ("relative", "/home/me", "/home/me/.local/state/drivelab/audit.log"),
            ("", "/home/me", "/home/me/.local/state/drivelab/audit.log"),
            ("", "relative", ""),
        ] {
            // The environment of this process is that of all tests, so each case has a process of its own.
            let name = "audit::tests::the_log_of_a_user_lies_where_that_user_keeps_state";
            let child = std::process::Command::new(env::current_exe().expect("the tests"))
                .args(["--exact", name])
                .envs([("XDG_STATE_HOME", state), ("HOME", home), (wanted, expected)])
                .output()
                .expect("a process");
            // A child that found no test of this name would end well, too.
            let has_run = String::from_utf8_lossy(&child.stdout).contains("1 passed");
            assert!(child.status.success() && has_run, "{state} {home}");
        }
    }

    #[test]
    fn a_log_that_leads_elsewhere_is_not_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = AuditLog::in_folder(folder.path());
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "mine").expect("a file");
        symlink(&victim, log.path()).expect("a link");
        log.open().expect_err("a link");
        assert_eq!(std::fs::read(&victim).expect("the file"), b"mine");
        std::fs::remove_file(log.path()).expect("the link");
        mkfifoat(CWD, log.path(), Mode::RUSR | Mode::WUSR).expect("a pipe");
        log.open().expect_err("a pipe without a reader");
        let reader = open(log.path(), OFlags::RDONLY | OFlags::NONBLOCK, Mode::empty()).expect("a reader");
        log.open().expect_err("a pipe with a reader");
        drop(reader);
    }
}
