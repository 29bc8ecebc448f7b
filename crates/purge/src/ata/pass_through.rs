//! An ATA command inside a SCSI command, as the kernel takes it for each ATA drive (SCSI / ATA Translation 3, SAT-3: ATA
//! PASS-THROUGH (16), and the ATA status return descriptor).

use drivelab_decode::byte;

use super::command::{AtaCommand, AtaCommandError, Transfer};

const ATA_PASS_THROUGH_16: u8 = 0x85;
/// The protocols: no data, PIO to the host, PIO to the drive.
const NO_DATA: u8 = 3;
const PIO_IN: u8 = 4;
const PIO_OUT: u8 = 5;
/// Byte 2: the length is in the count field (`T_LENGTH`), and counts in blocks (`BYT_BLOK`) of 512 bytes.
const COUNTED_IN_BLOCKS: u8 = 0b110;
/// Byte 2: the data comes from the drive (`T_DIR`).
const FROM_DRIVE: u8 = 1 << 3;

/// The SCSI command block that carries a command.
pub fn command_block(command: AtaCommand) -> [u8; 16] {
    let (protocol, flags) = match command.transfer() {
        Transfer::None => (NO_DATA, 0),
        Transfer::FromDrive => (PIO_IN, COUNTED_IN_BLOCKS | FROM_DRIVE),
        Transfer::ToDrive => (PIO_OUT, COUNTED_IN_BLOCKS),
    };
    let mut block = [0; 16];
    (block[0], block[1], block[2]) = (ATA_PASS_THROUGH_16, protocol << 1, flags);
    block[6] = u8::from(command.transfer() != Transfer::None);
    block[14] = command.opcode();
    block
}

/// What came back of a SCSI command, beside its data.
#[derive(Clone, Copy, Debug, Default)]
pub struct ScsiStatus<'a> {
    /// The status byte of the target.
    pub target: u8,
    /// The status of the host adapter.
    pub host: u16,
    /// The status of the kernel's driver.
    pub driver: u16,
    /// The sense data; empty where there is none.
    pub sense: &'a [u8],
}

/// The kernel's driver says that there are sense data (`DRIVER_SENSE`), which is no failure of its own.
const DRIVER_SENSE: u16 = 0x08;
/// Error and device fault, of the ATA status register.
const FAILED: u8 = 0b10_0001;
/// The additional sense code and qualifier "ATA pass-through information available".
const REGISTERS_FOLLOW: [u8; 2] = [0x00, 0x1d];
/// Additional sense codes of a command that did not get to an ATA drive: no such command, no such field, no such unit.
const NOT_PASSED: [u8; 3] = [0x20, 0x24, 0x25];
/// Where sense data of the fixed form holds the error and the status register: where the translation has them, and where Linux
/// before 6.11 put them.
const REGISTERS_AT: [[usize; 2]; 2] = [[3, 4], [8, 9]];

impl ScsiStatus<'_> {
    /// Whether the command inside was carried out.
    ///
    /// # Errors
    /// Why it was not.
    pub fn outcome(&self) -> Result<(), AtaCommandError> {
        if self.host != 0 || self.driver & !DRIVER_SENSE != 0 {
            return Err(AtaCommandError::NoAnswer { host: self.host, driver: self.driver });
        }
        if self.target == 0 {
            return Ok(());
        }
        match registers(self.sense) {
            Some([status, _]) if status & FAILED == 0 => Ok(()),
            Some([status, error]) => Err(AtaCommandError::Registers { status, error }),
            None => Err(AtaCommandError::NotPassed(key_and_codes(self.sense))),
        }
    }
}

fn has_descriptors(sense: &[u8]) -> bool {
    byte(sense, 0) & 0x7e == 0x72
}

/// The sense key, the additional code and its qualifier.
fn key_and_codes(sense: &[u8]) -> [u8; 3] {
    let at = if has_descriptors(sense) { [1, 2, 3] } else { [2, 12, 13] };
    [byte(sense, at[0]) & 0xf, byte(sense, at[1]), byte(sense, at[2])]
}

/// The status and error registers, where the sense data holds them.
fn registers(sense: &[u8]) -> Option<[u8; 2]> {
    if has_descriptors(sense) {
        let mut rest = sense.get(8..)?;
        while let [code, length, ..] = *rest {
            if code == 0x09 && rest.len() >= 14 {
                return Some([rest[13], rest[3]]);
            }
            rest = rest.get(usize::from(length) + 2..)?;
        }
        return None;
    }
    let [_, code, qualifier] = key_and_codes(sense);
    if NOT_PASSED.contains(&code) {
        return None;
    }
    let each = REGISTERS_AT.into_iter().map(|[error, status]| [byte(sense, status), byte(sense, error)]);
    each.into_iter().find(|[status, _]| *status & FAILED != 0 || [code, qualifier] == REGISTERS_FOLLOW)
}

#[cfg(test)]
mod tests {
    use super::super::security::EraseMode;
    use super::*;

    #[test]
    fn a_command_is_packed_as_the_translation_has_it() {
        let identify = [0x85, 8, 0x0e, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xec, 0];
        assert_eq!(command_block(AtaCommand::Identify), identify);
        let erase = [0x85, 10, 0x06, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xf4, 0];
        assert_eq!(command_block(AtaCommand::EraseUnit(EraseMode::Normal)), erase);
        let prepare = [0x85, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xf3, 0];
        assert_eq!(command_block(AtaCommand::ErasePrepare), prepare);
    }

    #[test]
    fn the_registers_of_a_refused_command_are_found_in_both_forms_of_sense_data() {
        let check = |sense| ScsiStatus { target: 2, driver: DRIVER_SENSE, sense, host: 0 };
        let mut descriptors = vec![0x72, 0x0b, 0, 0, 0, 0, 0, 22, 0x03, 6, 0, 0, 0, 0, 0, 0];
        descriptors.extend([0x09, 12, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x51]);
        let fixed = [0x70, 0, 0x0b, 0x04, 0x51, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        // What libata makes of a refused SECURITY SET PASSWORD, in an older and a newer Linux.
        let older = [0x70, 0, 0x05, 0, 0, 0, 0, 10, 0x04, 0x51, 0x60, 0, 0x21, 0x04, 0, 0, 0, 0];
        let newer = [0x70, 0, 0x05, 0x04, 0x51, 0, 0, 10, 0, 0, 0, 0, 0x21, 0x04, 0, 0, 0, 0];
        for sense in [&descriptors[..], &fixed, &older, &newer] {
            match check(sense).outcome() {
                Err(AtaCommandError::Registers { status: 0x51, error: 0x04 }) => {}
                other => panic!("{other:?}"),
            }
        }
        // A device fault, as a dying drive ends an erase.
        let fault = [0x70, 0, 0x04, 0, 0x70, 0, 0, 10, 0, 0, 0, 0, 0x44, 0, 0, 0, 0, 0];
        assert!(matches!(
            check(&fault).outcome(),
            Err(AtaCommandError::Registers { status: 0x70, error: 0 })
        ));
        let good = [0x70, 0, 0x01, 0, 0x50, 0, 0, 10, 0, 0, 0, 0, 0, 0x1d, 0, 0, 0, 0];
        check(&good).outcome().expect("a command that succeeded");
    }

    #[test]
    fn what_is_no_ata_drive_is_told_from_a_drive_that_refuses() {
        let sense = [0x70, 0, 0x05, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0];
        let status = ScsiStatus { target: 2, sense: &sense, ..ScsiStatus::default() };
        assert!(matches!(status.outcome(), Err(AtaCommandError::NotPassed([5, 0x20, 0]))));
        let gone = ScsiStatus { host: 1, ..ScsiStatus::default() };
        assert!(matches!(gone.outcome(), Err(AtaCommandError::NoAnswer { host: 1, driver: 0 })));
        ScsiStatus::default().outcome().expect("a good status");
    }

    #[test]
    fn sense_data_that_ends_anywhere_is_read() {
        let whole = [0x72, 0x0b, 0, 0, 0, 0, 0, 14, 0x09, 12, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x51];
        for end in 0..whole.len() {
            let status = ScsiStatus { target: 2, sense: &whole[..end], ..ScsiStatus::default() };
            assert!(matches!(status.outcome(), Err(AtaCommandError::NotPassed(_))), "{end} bytes");
        }
    }
}
