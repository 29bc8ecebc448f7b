//! The ATA commands of a purge, and what carries them out.

use std::io;

use drivelab_decode::{Bit, ata_error, ata_status};

use super::security::{EraseMode, Security};

/// The user password that a purge sets for as long as it lasts. It is the same for each drive, so that a drive that
/// was cut off from its power can be unlocked without a record of the run.
pub const PASSWORD: &str = "drivelab";

/// A command of a purge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AtaCommand {
    /// IDENTIFY DEVICE.
    #[error("IDENTIFY DEVICE")]
    Identify,
    /// SECURITY SET PASSWORD of the user, with [`PASSWORD`]. A master password that there is can still unlock the drive.
    #[error("SECURITY SET PASSWORD")]
    SetPassword,
    /// SECURITY UNLOCK with [`PASSWORD`].
    #[error("SECURITY UNLOCK")]
    Unlock,
    /// SECURITY DISABLE PASSWORD with [`PASSWORD`].
    #[error("SECURITY DISABLE PASSWORD")]
    DisablePassword,
    /// SECURITY ERASE PREPARE, without which the next one is refused.
    #[error("SECURITY ERASE PREPARE")]
    ErasePrepare,
    /// SECURITY ERASE UNIT with [`PASSWORD`].
    #[error("SECURITY ERASE UNIT")]
    EraseUnit(EraseMode),
}

/// Which way the 512 bytes of a command's data go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transfer {
    /// There are none.
    None,
    /// To the host, by PIO.
    FromDrive,
    /// To the drive, by PIO.
    ToDrive,
}

/// Bytes of a command's data, where it has any.
const DATA: usize = 512;
/// Where the password lies in it: words 1 to 16.
const PASSWORD_AT: usize = 2;

impl AtaCommand {
    /// The command's opcode.
    pub fn opcode(self) -> u8 {
        match self {
            AtaCommand::Identify => 0xec,
            AtaCommand::SetPassword => 0xf1,
            AtaCommand::Unlock => 0xf2,
            AtaCommand::ErasePrepare => 0xf3,
            AtaCommand::EraseUnit(_) => 0xf4,
            AtaCommand::DisablePassword => 0xf6,
        }
    }

    /// Whether it changes more than the lock of a drive.
    pub fn needs_claim(self) -> bool {
        matches!(self, AtaCommand::SetPassword | AtaCommand::ErasePrepare | AtaCommand::EraseUnit(_))
    }

    /// Which way its data goes.
    pub fn transfer(self) -> Transfer {
        match self {
            AtaCommand::Identify => Transfer::FromDrive,
            AtaCommand::ErasePrepare => Transfer::None,
            _ => Transfer::ToDrive,
        }
    }

    /// The data that goes with it, or room for what comes: 512 bytes, or none.
    pub fn data(self) -> Vec<u8> {
        // Bit 0 of word 0 is clear: the password is the user's. Bit 8 is clear: a master password may unlock, too.
        let mut data = vec![0; if self.transfer() == Transfer::None { 0 } else { DATA }];
        if self.transfer() == Transfer::ToDrive {
            data[PASSWORD_AT..PASSWORD_AT + PASSWORD.len()].copy_from_slice(PASSWORD.as_bytes());
        }
        if self == AtaCommand::EraseUnit(EraseMode::Enhanced) {
            data[0] |= 1 << 1;
        }
        data
    }
}

/// Carries commands out on the target.
pub trait AtaCommands {
    /// Carries a command out to its end, and returns the data that came, 512 bytes where it brings any.
    ///
    /// # Errors
    /// What the drive or the system says instead.
    fn carry_out(&mut self, command: AtaCommand) -> Result<Vec<u8>, AtaCommandError>;

    /// Asks for the state of its security.
    ///
    /// # Errors
    /// What the drive or the system says instead.
    fn security(&mut self) -> Result<Security, AtaCommandError> {
        self.carry_out(AtaCommand::Identify).map(|data| Security::parse(&data))
    }
}

/// Why a command did not do what it should.
#[derive(Debug, thiserror::Error)]
pub enum AtaCommandError {
    /// The drive ended it with an error, and these registers.
    #[error(
        "ATA status {status:#04x}, {}; error {error:#04x}, {}",
        names(&ata_status(*.status)),
        names(&ata_error(*.error))
    )]
    Registers {
        /// The status register.
        status: u8,
        /// The error register.
        error: u8,
    },
    /// It was refused before it came to the drive: no ATA drive is there, or what lies between does not pass it on.
    /// The sense data, if there is any: key, additional code and its qualifier.
    #[error("not passed on to an ATA drive: sense {:x}/{:02x}/{:02x}", .0[0], .0[1], .0[2])]
    NotPassed([u8; 3]),
    /// It was not answered in time, or the connection was lost: what the host adapter and the kernel said.
    #[error("no answer: host status {host:#x}, driver status {driver:#x}")]
    NoAnswer {
        /// The status of the host adapter.
        host: u16,
        /// The status of the kernel's driver.
        driver: u16,
    },
    /// Less data came than the command brings.
    #[error("the drive's answer is not whole")]
    Incomplete,
    /// The kernel did not send it.
    #[error("{0}")]
    System(io::Error),
}

fn names(bits: &[Bit]) -> String {
    bits.iter().map(|bit| bit.name).collect::<Vec<&str>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_the_users_and_never_shuts_the_master_out() {
        let data = AtaCommand::SetPassword.data();
        assert_eq!((data.len(), data[0], data[1]), (512, 0, 0));
        assert_eq!((&data[2..10], data[10..].iter().all(|byte| *byte == 0)), (&b"drivelab"[..], true));
        assert_eq!(AtaCommand::EraseUnit(EraseMode::Enhanced).data()[0], 0b10);
        assert_eq!(AtaCommand::EraseUnit(EraseMode::Normal).data()[0], 0);
        assert!(AtaCommand::ErasePrepare.data().is_empty());
        assert!(AtaCommand::Identify.data().iter().all(|byte| *byte == 0));
    }

    /// Only what takes a password away may go to a drive that is not claimed.
    #[test]
    fn what_sets_a_password_or_erases_needs_a_claim() {
        for command in
            [AtaCommand::SetPassword, AtaCommand::ErasePrepare, AtaCommand::EraseUnit(EraseMode::Normal)]
        {
            assert!(command.needs_claim(), "{command}");
        }
        for command in [AtaCommand::Identify, AtaCommand::Unlock, AtaCommand::DisablePassword] {
            assert!(!command.needs_claim(), "{command}");
        }
    }

    #[test]
    fn an_error_names_the_bits_of_its_registers() {
        let error = AtaCommandError::Registers { status: 0x51, error: 0x04 };
        assert_eq!(error.to_string(), "ATA status 0x51, DRDY DSC ERR; error 0x04, ABRT");
    }
}
