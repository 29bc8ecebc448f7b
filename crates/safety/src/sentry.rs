//! Looking again while a run goes on: whether the kernel has begun to use the target.

use crate::census::Census;
use crate::system::{System, names_in, nonempty_text, raw_text};
use crate::{Identity, Reason, Refusal, WriteGrant, census};

/// Looks at a claimed file, or at what lies behind a claimed loop device, for loop devices, swap and exports
/// that have been set up over it. The exclusive claim of a drive keeps the kernel away; the lock of a file
/// does not.
///
/// A look reads a few small files, and more only where those have changed.
#[derive(Debug)]
pub struct Sentry {
    system: System,
    identity: Identity,
    seen: Vec<Vec<u8>>,
}

impl WriteGrant {
    /// Something that looks whether the kernel has begun to use the target; `None` where its claim prevents
    /// that.
    #[must_use]
    pub fn sentry(&self) -> Option<Sentry> {
        let is_open_to_the_kernel = match &self.identity {
            Identity::File(_) => true,
            Identity::Drive(drive) => drive.backing_file.is_some(),
        };
        is_open_to_the_kernel.then(|| Sentry {
            system: self.system.clone(),
            identity: self.identity.clone(),
            seen: Vec::new(),
        })
    }
}

impl Sentry {
    /// Looks again.
    ///
    /// # Errors
    /// Every use that the kernel makes of the target by now.
    pub fn look(&mut self) -> Result<(), Refusal> {
        let shown = shown(&self.system);
        if shown == self.seen {
            return Ok(());
        }
        self.seen = shown;
        let census = Census::of_the_kernel(&self.system);
        let uses = match &self.identity {
            Identity::File(file) => census.uses_of_file(file),
            Identity::Drive(drive) => census.uses_behind_drive(drive),
        };
        if uses.is_empty() {
            return Ok(());
        }
        let reasons = uses.into_iter().map(Reason::InUse).collect();
        Err(Refusal { target: self.identity.to_string(), reasons })
    }
}

/// What the kernel shows of everything that a look is for. A device that is attached anew has another
/// sequence number.
fn shown(system: &System) -> Vec<Vec<u8>> {
    let mut shown = vec![raw_text(&system.proc("swaps")).unwrap_or_default()];
    for name in names_in(&system.sys("block")) {
        let folder = system.sys("block").join(&name);
        let backing = nonempty_text(&folder.join("loop/backing_file"));
        if let Some(backing) = backing.or_else(|| nonempty_text(&folder.join("backing_dev"))) {
            let sequence = nonempty_text(&folder.join("diskseq")).unwrap_or_default();
            shown.push(format!("{name} {sequence} {backing}").into_bytes());
        }
    }
    shown.extend(census::exported(system));
    shown
}
