//! The admin commands of a purge, and what carries them out.

use std::io;

use drivelab_decode::nvme_status;

use super::action::{NvmeFormat, SanitizeAction};

/// What tells one admin command from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdminCommand {
    /// Its opcode.
    pub opcode: u8,
    /// The identifier of the namespace that it is for.
    pub namespace: u32,
    /// Command dword 10.
    pub dword10: u32,
}

impl AdminCommand {
    /// Asks for 512 bytes of a log of the controller.
    pub fn log(identifier: u32) -> AdminCommand {
        // The number of dwords less one, and the log.
        AdminCommand { opcode: 0x02, namespace: u32::MAX, dword10: (512 / 4 - 1) << 16 | identifier }
    }
}

/// A command that changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inquiry {
    /// Identify Controller (CNS 01h), 4096 bytes.
    Controller,
    /// Identify Namespace of the NVM command set (CNS 00h), 4096 bytes.
    Namespace,
    /// The namespaces that are attached to this controller (CNS 02h), 4096 bytes.
    ActiveNamespaces,
    /// All namespaces of the subsystem (CNS 10h), where namespaces can be managed, 4096 bytes.
    AllocatedNamespaces,
    /// The sanitize status log (LID 81h), 512 bytes.
    SanitizeLog,
}

impl Inquiry {
    /// The command, where `own` is the identifier of the target's namespace.
    pub fn command(self, own: u32) -> AdminCommand {
        let identify = |namespace, structure| AdminCommand { opcode: 0x06, namespace, dword10: structure };
        match self {
            Inquiry::Namespace => identify(own, 0x00),
            Inquiry::Controller => identify(0, 0x01),
            // Of a list: all those above 0.
            Inquiry::ActiveNamespaces => identify(0, 0x02),
            Inquiry::AllocatedNamespaces => identify(0, 0x10),
            Inquiry::SanitizeLog => AdminCommand::log(0x81),
        }
    }

    /// Bytes that the drive returns.
    pub fn length(self) -> usize {
        if self == Inquiry::SanitizeLog { 512 } else { 4096 }
    }
}

/// A command that destroys what the drive holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erasure {
    /// Format NVM of the target's namespace with an erase; the format of its blocks stays.
    Format(NvmeFormat),
    /// Sanitize of the whole subsystem.
    Sanitize(SanitizeAction),
}

impl Erasure {
    /// The command, where `own` is the identifier of the target's namespace.
    pub fn command(self, own: u32) -> AdminCommand {
        match self {
            Erasure::Format(format) => AdminCommand { opcode: 0x80, namespace: own, dword10: format.dword() },
            Erasure::Sanitize(action) => AdminCommand { opcode: 0x84, namespace: 0, dword10: action.dword() },
        }
    }
}

/// Carries commands out on the controller of the target.
pub trait NvmeCommands {
    /// Asks for data, of which there are [`Inquiry::length`] bytes.
    ///
    /// # Errors
    /// What the drive or the system says instead.
    fn inquire(&mut self, inquiry: Inquiry) -> Result<Vec<u8>, NvmeCommandError>;

    /// Erases, and waits for the command's completion.
    ///
    /// # Errors
    /// What the drive or the system says instead.
    fn erase(&mut self, erasure: Erasure) -> Result<(), NvmeCommandError>;
}

/// Why a command did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum NvmeCommandError {
    /// The drive answered with this status: type and code, as the kernel passes them on (bits 14:0 of the status
    /// field without its phase tag).
    #[error("NVMe status {:#x}, {}", .0, nvme_status(*.0).name)]
    Status(u16),
    /// No answer came from the drive.
    #[error("{0}")]
    System(io::Error),
}

#[cfg(test)]
mod tests {
    use super::super::action::FormatErase;
    use super::super::identify::FormattedAs;
    use super::*;

    fn parts(command: AdminCommand) -> (u8, u32, u32) {
        (command.opcode, command.dword10, command.namespace)
    }

    #[test]
    fn the_log_is_asked_for_whole() {
        assert_eq!(Inquiry::SanitizeLog.command(7).dword10, 0x007f_0081);
        assert_eq!(Inquiry::SanitizeLog.length(), 512);
    }

    #[test]
    fn every_command_is_numbered_as_the_specification_has_it() {
        let asked = [
            (Inquiry::Controller, (0x06, 0x01, 0)),
            (Inquiry::Namespace, (0x06, 0x00, 7)),
            (Inquiry::ActiveNamespaces, (0x06, 0x02, 0)),
            (Inquiry::AllocatedNamespaces, (0x06, 0x10, 0)),
            (Inquiry::SanitizeLog, (0x02, 0x007f_0081, u32::MAX)),
        ];
        for (inquiry, expected) in asked {
            assert_eq!(parts(inquiry.command(7)), expected, "{inquiry:?}");
        }
        // The action 2 or 4, and that a failed sanitize may be left.
        for (action, dword) in [(SanitizeAction::BlockErase, 0b1010), (SanitizeAction::CryptoErase, 0b1100)] {
            let sanitize = Erasure::Sanitize(action);
            assert_eq!(parts(sanitize.command(7)), (0x84, dword, 0), "{action}");
        }
    }

    /// Another setting than these two would leave the data where it is.
    #[test]
    fn a_format_erases_and_names_the_targets_namespace_alone() {
        for (erase, dword) in [(FormatErase::UserData, 0x200), (FormatErase::Crypto, 0x400)] {
            let format = Erasure::Format(NvmeFormat { blocks: FormattedAs::PLAIN, erase, instead: None });
            assert_eq!(parts(format.command(7)), (0x80, dword, 7));
        }
    }

    #[test]
    fn an_error_names_the_status() {
        let refused = NvmeCommandError::Status(0x4001).to_string();
        assert!(refused.starts_with("NVMe status 0x4001, "), "{refused}");
        assert_eq!(NvmeCommandError::System(io::Error::other("gone")).to_string(), "gone");
    }
}
