//! Who a drive is, whether it may be written to, and the [`WriteGrant`] without which nothing is.
//!
//! A path is resolved to a [`Target`], which the kernel's device number names from then on. What uses it is
//! found in one [`UsageScan`] of the machine. [`claim_for_writing`] checks, opens exclusively, checks what was
//! opened, and hands out the grant that owns the descriptor: the check and the use are one object. Whatever
//! stands against it comes back as a [`Refusal`] with every reason, each saying what to do.
//!
//! This crate reads no clock and prints nothing. It knows no engine and no method.

#![deny(unsafe_code)]

mod audit;
mod checks;
mod claim;
mod confirmation;
mod confirming;
mod discards;
mod drives;
mod file_checks;
mod file_claim;
mod grant;
mod identity;
mod kernel_owned;
mod look;
mod names;
mod note;
mod opening;
mod passing;
mod read_access;
mod recognised;
mod refusal;
mod released;
mod sampling;
mod security;
mod signature;
mod system;
mod target;
mod tool;
mod unseen;
mod usage_monitor;
mod usage_scan;
mod uses;
mod wording;

pub use audit::{AuditLog, Decision, OpenLog};
pub use claim::{check_for_writing, claim_for_writing};
pub use confirmation::{ClaimOptions, Confirmation};
pub use confirming::{Confirming, SharedBy, SharedSerial};
pub use drives::{DriveListing, Testable, list_drives};
pub use grant::WriteGrant;
pub use identity::{DriveIdentity, DriveKind, Parent};
pub use kernel_owned::kernel_owned;
pub use look::{LOOK_COMMAND, check_answers, look_by, tell_contents};
pub use note::Note;
pub use read_access::{ReadAccess, open_for_reading};
pub use recognised::{Doubt, Recognised, Unrecognised, devices_that_fit, recognise};
pub use refusal::{Access, Expected, Flag, Reason, Refusal, SafetyError};
pub use released::Released;
pub use signature::{Contents, Signature};
pub use system::{DeviceNumber, System, unescape};
pub use target::{DriveTarget, FileIdentity, FileTarget, Identity, Target};
pub use unseen::Unseen;
pub use usage_monitor::UsageMonitor;
pub use usage_scan::{OpenHandles, UsageScan};
pub use uses::{Holder, Use};
