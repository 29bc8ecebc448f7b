//! Admin commands to the controller of an NVMe drive, through the descriptor that the safety rules handed out: those of a purge,
//! and questions that change nothing: what it is, how it is set, how warm it was.

use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd};
use std::sync::{Arc, Weak};
use std::{io, ptr};

use drivelab_purge::nvme::{AdminCommand, Erasure, NvmeCommandError, NvmeCommands, NvmeQuery};
use drivelab_safety::{ReadAccess, WriteGrant};

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
struct PassthroughCommand {
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
    result: u32,
}

impl PassthroughCommand {
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
    /// The identifier of the target's namespace.
    pub namespace: u32,
}

impl NvmeAdmin<'_> {
    /// The controller of a target.
    ///
    /// # Errors
    /// [`NoPassthrough`] where the target is no whole NVMe drive, or the kernel does not tell its namespace.
    pub fn open(access: &Access) -> Result<NvmeAdmin<'_>, NoPassthrough> {
        nvme_drive(access.identity())?;
        let namespace = namespace_id(access.descriptor()).map_err(NoPassthrough::first_read)?;
        Ok(NvmeAdmin { access, namespace })
    }
}

impl NvmeCommands for NvmeAdmin<'_> {
    fn inquire(&mut self, query: NvmeQuery) -> Result<Vec<u8>, NvmeCommandError> {
        asked(self.access.descriptor(), self.namespace, query).map(|answer| answer.data)
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
fn carry_out(
    device: BorrowedFd<'_>,
    command: &mut PassthroughCommand,
    data: &mut [u8],
) -> Result<(), NvmeCommandError> {
    if !data.is_empty() {
        command.data = data.as_mut_ptr().expose_provenance() as u64;
        command.data_length = u32::try_from(data.len()).unwrap_or(u32::MAX);
    }
    // SAFETY: the kernel reads and writes the structure, and writes at most `data_length` bytes to `data`, both of which are
    // borrowed until the call returns, and keeps no reference to them. Every query's length is what its command returns.
    let status = unsafe { libc::ioctl(device.as_raw_fd(), NVME_IOCTL_ADMIN_CMD, ptr::from_mut(command)) };
    match status {
        0 => Ok(()),
        status if status > 0 => Err(NvmeCommandError::Status(u16::try_from(status & 0x7fff).unwrap_or(0))),
        _ => Err(NvmeCommandError::System(io::Error::last_os_error())),
    }
}

/// What a controller answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NvmeAnswer {
    /// Dword 0 of the completion.
    pub result: u32,
    /// The structure, of the length that the specification gives it; empty where there is none.
    pub data: Vec<u8>,
}

/// Asks the controller of an open target for as long as the target stays open. It does not keep the target open: a claim can be
/// given up meanwhile, though not while a question is under way.
#[derive(Clone, Debug)]
pub struct NvmeQueries {
    target: OpenTarget,
    namespace: u32,
}

#[derive(Clone, Debug)]
enum OpenTarget {
    Read(Weak<ReadAccess>),
    Write(Weak<WriteGrant>),
}

impl NvmeQueries {
    /// The controller of a target.
    ///
    /// # Errors
    /// [`NoPassthrough`] where the target is no whole NVMe drive, or the kernel does not report its namespace.
    pub fn open(access: &Access) -> Result<NvmeQueries, NoPassthrough> {
        nvme_drive(access.identity())?;
        let target = match access {
            Access::Read(access) => OpenTarget::Read(Arc::downgrade(access)),
            Access::Write(grant) => OpenTarget::Write(Arc::downgrade(grant)),
        };
        let namespace = namespace_id(access.descriptor()).map_err(NoPassthrough::first_read)?;
        Ok(NvmeQueries { target, namespace })
    }

    /// Asks once, and waits for the answer.
    ///
    /// # Errors
    /// What the drive or the system returns instead; also where the target was closed.
    pub fn ask(&self, query: NvmeQuery) -> Result<NvmeAnswer, NvmeCommandError> {
        let access = match &self.target {
            OpenTarget::Read(access) => access.upgrade().map(Access::Read),
            OpenTarget::Write(grant) => grant.upgrade().map(Access::Write),
        };
        let access = access.ok_or_else(|| {
            NvmeCommandError::System(io::Error::new(io::ErrorKind::NotFound, "the target was closed"))
        })?;
        asked(access.descriptor(), self.namespace, query)
    }
}

/// What a controller answers to a question of the target with this namespace.
fn asked(device: BorrowedFd<'_>, namespace: u32, query: NvmeQuery) -> Result<NvmeAnswer, NvmeCommandError> {
    let mut data = vec![0; query.length()];
    let mut command = PassthroughCommand::within(INQUIRY_MS, query.command(namespace));
    carry_out(device, &mut command, &mut data)?;
    Ok(NvmeAnswer { result: command.result, data })
}

#[cfg(test)]
mod tests {
    use drivelab_purge::nvme::NvmeFeature;

    use super::*;

    #[test]
    fn the_structure_is_as_long_as_the_number_of_the_call_says() {
        assert_eq!(size_of::<PassthroughCommand>(), (NVME_IOCTL_ADMIN_CMD >> 16 & 0x3fff) as usize);
        assert_eq!(std::mem::offset_of!(PassthroughCommand, dwords_10_15), 40);
    }

    /// Bit 1 of an opcode says that data goes to the host, bit 0 that it goes to the drive. Set Features is 09h.
    #[test]
    fn every_question_is_one_that_changes_nothing() {
        let features = [
            (NvmeFeature::PowerState, 0x02, 0),
            (NvmeFeature::WriteCache, 0x06, 0),
            (NvmeFeature::IdleTransitions, 0x0c, 256),
            (NvmeFeature::HostMemory, 0x0d, 4096),
            (NvmeFeature::ThermalThresholds, 0x10, 0),
        ];
        for (feature, identifier, length) in features {
            let query = NvmeQuery::Feature(feature);
            let command = AdminCommand { opcode: 0x0a, namespace: 0, dword10: identifier };
            assert_eq!((query.command(7), query.length()), (command, length), "{feature:?}");
        }
        let others = [
            (NvmeQuery::Controller, (0x06, 0, 0x01), 4096),
            (NvmeQuery::Namespace, (0x06, 7, 0x00), 4096),
            (NvmeQuery::HealthLog, (0x02, u32::MAX, 0x007f_0002), 512),
            (NvmeQuery::VendorHealthLog, (0x02, u32::MAX, 0x007f_00c0), 512),
        ];
        for (query, (opcode, namespace, dword10), length) in others {
            let command = AdminCommand { opcode, namespace, dword10 };
            assert_eq!((query.command(7), query.length()), (command, length), "{query:?}");
            assert_eq!(opcode & 0b11, 0b10, "{query:?}");
        }
    }
}
