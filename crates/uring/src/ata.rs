//! ATA commands of a purge, through the descriptor that the safety rules handed out.

use std::fs::read_link;
use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::ptr;

use drivelab_purge::ata::{
    AtaCommand, AtaCommandError, AtaCommands, ScsiStatus, Security, Transfer, command_block,
};
use drivelab_safety::{DriveKind, Identity};

use crate::Access;

/// `SG_IO` of `scsi/sg.h`.
const SG_IO: libc::Ioctl = 0x2285;
/// The directions of `scsi/sg.h`.
const SG_DXFER_NONE: i32 = -1;
const SG_DXFER_TO_DEV: i32 = -2;
const SG_DXFER_FROM_DEV: i32 = -3;

/// How long a command other than an erase may take, in milliseconds: a drive that was asleep spins up first.
const COMMAND_MS: u32 = 60_000;
/// How long an erase may take at least, in milliseconds: two days. The kernel resets a drive that takes longer.
const ERASE_MS: u32 = 2 * 86_400_000;
/// Milliseconds of twice a minute: a drive may take twice as long as it estimates.
const TWICE_A_MINUTE_MS: u32 = 120_000;

/// `struct sg_io_hdr` of `scsi/sg.h`, its pointers as addresses.
#[repr(C)]
#[derive(Default)]
struct ScsiCommand {
    interface: i32,
    direction: i32,
    command_length: u8,
    sense_room: u8,
    segments: u16,
    data_length: u32,
    data: usize,
    command: usize,
    sense: usize,
    timeout_ms: u32,
    flags: u32,
    number: i32,
    user: usize,
    status: u8,
    masked_status: u8,
    message_status: u8,
    sense_length: u8,
    host_status: u16,
    driver_status: u16,
    residual: i32,
    duration_ms: u32,
    info: u32,
}

/// Why a target takes no ATA commands.
#[derive(Debug, thiserror::Error)]
pub enum NoAta {
    /// It is a file, or a drive of another kind.
    #[error("the target is no ATA drive")]
    OtherKind,
    /// Commands know no partitions.
    #[error("the target is a partition, which ATA commands do not know of")]
    Partition,
    /// It is connected by USB.
    #[error(
        "the drive is behind USB, whose bridges cut a drive off from its power or forget its command while it erases \
         itself: connect it by SATA"
    )]
    Usb,
    /// How it is connected cannot be seen.
    #[error("how the drive is connected is not known, and behind USB it should not erase itself: {0}")]
    Connection(io::Error),
}

/// An ATA drive, told commands through its block device.
#[derive(Debug)]
pub struct AtaDrive<'a> {
    access: &'a Access,
    /// How long an erase may take, in milliseconds.
    erase_ms: u32,
}

impl AtaDrive<'_> {
    /// The drive that a target is. Whether it is an ATA drive, and not another one that speaks SCSI, shows only when it
    /// identifies itself.
    ///
    /// # Errors
    /// [`NoAta`] where it is known that it is none, or should not be told to erase itself.
    pub fn open(access: &Access) -> Result<AtaDrive<'_>, NoAta> {
        let Identity::Drive(drive) = access.identity() else { return Err(NoAta::OtherKind) };
        if drive.kind != DriveKind::Scsi {
            return Err(NoAta::OtherKind);
        }
        if drive.parent.is_some() {
            return Err(NoAta::Partition);
        }
        let link = read_link(format!("/sys/class/block/{}", drive.kernel_name)).map_err(NoAta::Connection)?;
        let is_usb = link.iter().any(|part| part.to_str().is_some_and(|part| part.starts_with("usb")));
        if is_usb { Err(NoAta::Usb) } else { Ok(AtaDrive { access, erase_ms: ERASE_MS }) }
    }
}

impl AtaCommands for AtaDrive<'_> {
    fn carry_out(&mut self, command: AtaCommand) -> Result<Vec<u8>, AtaCommandError> {
        if command.needs_claim() && matches!(self.access, Access::Read(_)) {
            let why = "the target was opened for reading only";
            return Err(AtaCommandError::System(io::Error::new(io::ErrorKind::PermissionDenied, why)));
        }
        let timeout_ms = if matches!(command, AtaCommand::EraseUnit(_)) { self.erase_ms } else { COMMAND_MS };
        let mut data = command.data();
        send(self.access.descriptor(), command, &mut data, timeout_ms)?;
        if command == AtaCommand::Identify {
            let security = Security::parse(&data);
            let estimate_min = security.normal_min.max(security.enhanced_min).unwrap_or(0);
            self.erase_ms = ERASE_MS.max(estimate_min.saturating_mul(TWICE_A_MINUTE_MS));
        }
        Ok(data)
    }
}

fn send(
    device: BorrowedFd<'_>,
    command: AtaCommand,
    data: &mut [u8],
    timeout_ms: u32,
) -> Result<(), AtaCommandError> {
    let block = command_block(command);
    let mut sense = [0; 64];
    let mut scsi = ScsiCommand {
        interface: i32::from(b'S'),
        direction: match command.transfer() {
            Transfer::None => SG_DXFER_NONE,
            Transfer::FromDrive => SG_DXFER_FROM_DEV,
            Transfer::ToDrive => SG_DXFER_TO_DEV,
        },
        command_length: 16,
        sense_room: 64,
        data_length: u32::try_from(data.len()).unwrap_or(u32::MAX),
        data: data.as_mut_ptr().expose_provenance(),
        command: block.as_ptr().expose_provenance(),
        sense: sense.as_mut_ptr().expose_provenance(),
        timeout_ms,
        ..ScsiCommand::default()
    };
    // SAFETY: the kernel reads and writes the structure, reads `command_length` bytes of the command, reads or writes
    // `data_length` bytes of the data, and writes at most `sense_room` bytes of sense data: all of them are borrowed until the
    // call returns, and have these lengths. It keeps no reference to them.
    let status = unsafe { libc::ioctl(device.as_raw_fd(), SG_IO, ptr::from_mut(&mut scsi)) };
    if status != 0 {
        return Err(AtaCommandError::System(io::Error::last_os_error()));
    }
    let length = usize::from(scsi.sense_length).min(sense.len());
    let status = ScsiStatus {
        target: scsi.status,
        host: scsi.host_status,
        driver: scsi.driver_status,
        sense: &sense[..length],
    };
    status.outcome()?;
    // Where less came, the rest is what the buffer held before.
    if command.transfer() == Transfer::FromDrive && scsi.residual != 0 {
        return Err(AtaCommandError::Incomplete);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::*;

    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_structure_is_laid_out_as_the_kernel_has_it() {
        assert_eq!(size_of::<ScsiCommand>(), 88);
        assert_eq!(offset_of!(ScsiCommand, data), 16);
        assert_eq!(offset_of!(ScsiCommand, timeout_ms), 40);
        assert_eq!(offset_of!(ScsiCommand, status), 64);
        assert_eq!(offset_of!(ScsiCommand, driver_status), 70);
    }
}
