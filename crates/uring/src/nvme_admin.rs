//! NVMe admin commands of a purge, through the descriptor that the safety rules handed out.

use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::ptr;

use drivelab_purge::nvme::{AdminCommand, Erasure, Inquiry, NvmeCommandError, NvmeCommands};

use crate::Access;
use crate::passthrough::{NoPassthrough, namespace_id, nvme_drive};

/// `NVME_IOCTL_ADMIN_CMD` of `linux/nvme_ioctl.h`: `_IOWR('N', 0x41, struct nvme_passthru_cmd)`.
const NVME_IOCTL_ADMIN_CMD: libc::Ioctl = 0xC048_4E41_u32 as libc::Ioctl;

/// How long a command that only asks may take, in milliseconds.
const INQUIRY_MS: u32 = 30_000;
/// How long an erase may take, in milliseconds: a day. The kernel resets a controller that takes longer, and a format
/// of a large drive that overwrites takes hours.
const ERASE_MS: u32 = 86_400_000;

/// `struct nvme_passthru_cmd` of `linux/nvme_ioctl.h`.
#[repr(C)]
#[derive(Default)]
pub struct PassthroughCommand {
    opcode: u8,
    flags: u8,
    reserved: u16,
    namespace: u32,
    dwords_2_3: [u32; 2],
    metadata: u64,
    data: u64,
    metadata_length: u32,
    data_length: u32,
    dwords_10_15: [u32; 6],
    timeout_ms: u32,
    /// Dword 0 of the completion.
    pub result: u32,
}

impl PassthroughCommand {
    /// A command that only asks.
    pub fn question(command: AdminCommand) -> PassthroughCommand {
        PassthroughCommand::within(INQUIRY_MS, command)
    }

    /// A command that may take so long.
    fn within(timeout_ms: u32, command: AdminCommand) -> PassthroughCommand {
        let AdminCommand { opcode, namespace, dword10 } = command;
        let dwords_10_15 = [dword10, 0, 0, 0, 0, 0];
        PassthroughCommand { opcode, namespace, dwords_10_15, timeout_ms, ..PassthroughCommand::default() }
    }
}

/// The controller of an NVMe namespace, asked and told through the namespace's own descriptor.
#[derive(Debug)]
pub struct NvmeAdmin<'a> {
    access: &'a Access,
    namespace: u32,
}

impl NvmeAdmin<'_> {
    /// The controller of a target.
    ///
    /// # Errors
    /// [`NoPassthrough`] where the target is no whole NVMe drive, or the kernel does not tell its namespace.
    pub fn open(access: &Access) -> Result<NvmeAdmin<'_>, NoPassthrough> {
        nvme_drive(access.identity())?;
        let namespace = namespace_id(access.descriptor()).map_err(NoPassthrough::FirstRead)?;
        Ok(NvmeAdmin { access, namespace })
    }

    /// The identifier of the target's namespace.
    pub fn namespace(&self) -> u32 {
        self.namespace
    }
}

impl NvmeCommands for NvmeAdmin<'_> {
    fn inquire(&mut self, inquiry: Inquiry) -> Result<Vec<u8>, NvmeCommandError> {
        let mut data = vec![0; inquiry.length()];
        let mut command = PassthroughCommand::question(inquiry.command(self.namespace));
        carry_out(self.access.descriptor(), &mut command, &mut data)?;
        Ok(data)
    }

    fn erase(&mut self, erasure: Erasure) -> Result<(), NvmeCommandError> {
        let Access::Write(grant) = self.access else {
            let why = "the target was opened for reading only";
            return Err(NvmeCommandError::System(io::Error::new(io::ErrorKind::PermissionDenied, why)));
        };
        let mut command = PassthroughCommand::within(ERASE_MS, erasure.command(self.namespace));
        carry_out(grant.as_fd(), &mut command, &mut [])
    }
}

/// Sends a command and waits for its completion; `data` takes what the drive returns.
pub fn carry_out(
    device: BorrowedFd<'_>,
    command: &mut PassthroughCommand,
    data: &mut [u8],
) -> Result<(), NvmeCommandError> {
    if !data.is_empty() {
        command.data = data.as_mut_ptr().expose_provenance() as u64;
        command.data_length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    }
    // SAFETY: the kernel reads and writes the structure, and writes at most `data_length` bytes to `data`, both of which are
    // borrowed until the call returns, and keeps no reference to them. Every inquiry's length is what its command returns.
    let status = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, ptr::from_mut(command)) };
    match status {
        0 => Ok(()),
        status if status > 0 => Err(NvmeCommandError::Status(u16::try_from(status & 0x7fff).unwrap_or(0))),
        _ => Err(NvmeCommandError::System(io::Error::last_os_error())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_structure_is_as_long_as_the_number_of_the_call_says() {
        assert_eq!(size_of::<PassthroughCommand>(), (NVME_IOCTL_ADMIN_CMD >> 16 & 0x3fff) as usize);
        assert_eq!(std::mem::offset_of!(PassthroughCommand, dwords_10_15), 40);
    }
}
