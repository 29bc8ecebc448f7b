//! Admin commands of a purge, questions to a controller, and what carries them out.

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
    fn log(identifier: u32) -> AdminCommand {
        // The number of dwords less one, and the log.
        AdminCommand { opcode: 0x02, namespace: u32::MAX, dword10: (512 / 4 - 1) << 16 | identifier }
    }
}

/// A question, which changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NvmeQuery {
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
    /// The SMART / Health Information log of the controller (LID 02h), 512 bytes.
    HealthLog,
    /// The log page C0h of the controller, 512 bytes: a vendor's own, which many give the meaning of the Open Compute Project.
    VendorHealthLog,
    /// Get Features: the value that holds now.
    Feature(NvmeFeature),
}

/// A feature of a controller, with its identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NvmeFeature {
    /// Power Management (02h).
    PowerState = 0x02,
    /// Volatile Write Cache (06h).
    WriteCache = 0x06,
    /// Autonomous Power State Transition (0Ch), 256 bytes.
    IdleTransitions = 0x0c,
    /// Host Memory Buffer (0Dh), 4096 bytes.
    HostMemory = 0x0d,
    /// Host Controlled Thermal Management (10h).
    ThermalThresholds = 0x10,
}

impl NvmeQuery {
    /// The command, where `own` is the identifier of the target's namespace.
    pub fn command(self, own: u32) -> AdminCommand {
        let identify = |namespace, structure| AdminCommand { opcode: 0x06, namespace, dword10: structure };
        match self {
            NvmeQuery::Namespace => identify(own, 0x00),
            NvmeQuery::Controller => identify(0, 0x01),
            // Of a list: all those above 0.
            NvmeQuery::ActiveNamespaces => identify(0, 0x02),
            NvmeQuery::AllocatedNamespaces => identify(0, 0x10),
            NvmeQuery::SanitizeLog => AdminCommand::log(0x81),
            NvmeQuery::HealthLog => AdminCommand::log(0x02),
            NvmeQuery::VendorHealthLog => AdminCommand::log(0xc0),
            // With the selection 0: the current value.
            NvmeQuery::Feature(feature) => {
                AdminCommand { opcode: 0x0a, namespace: 0, dword10: feature as u32 }
            }
        }
    }

    /// Bytes that the drive returns.
    pub fn length(self) -> usize {
        match self {
            NvmeQuery::SanitizeLog | NvmeQuery::HealthLog | NvmeQuery::VendorHealthLog => 512,
            NvmeQuery::Feature(NvmeFeature::IdleTransitions) => 256,
            NvmeQuery::Feature(feature) if feature != NvmeFeature::HostMemory => 0,
            _ => 4096,
        }
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
    /// Asks for data, of which there are [`NvmeQuery::length`] bytes.
    ///
    /// # Errors
    /// What the drive or the system says instead.
    fn inquire(&mut self, query: NvmeQuery) -> Result<Vec<u8>, NvmeCommandError>;

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
        assert_eq!(NvmeQuery::SanitizeLog.command(7).dword10, 0x007f_0081);
        assert_eq!(NvmeQuery::SanitizeLog.length(), 512);
    }

    #[test]
    fn every_command_is_numbered_as_the_specification_has_it() {
        let asked = [
            (NvmeQuery::Controller, (0x06, 0x01, 0)),
            (NvmeQuery::Namespace, (0x06, 0x00, 7)),
            (NvmeQuery::ActiveNamespaces, (0x06, 0x02, 0)),
            (NvmeQuery::AllocatedNamespaces, (0x06, 0x10, 0)),
            (NvmeQuery::SanitizeLog, (0x02, 0x007f_0081, u32::MAX)),
        ];
        for (query, expected) in asked {
            assert_eq!(parts(query.command(7)), expected, "{query:?}");
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
