//! What a loop device itself knows of what is behind it (`LOOP_GET_STATUS64`). Its path in sysfs may be that of a node or a file
//! that was removed, renamed, or lies in another mount namespace.

use std::os::fd::AsFd as _;

use rustix::ioctl::{Getter, Opcode, ioctl};

use super::overlays::FileNumber;
use crate::signature::open_node;
use crate::system::System;
use crate::{DeviceNumber, DriveKind};

/// `LOOP_GET_STATUS64` of linux/loop.h.
const GET_STATUS: Opcode = 0x4c05;

/// `struct loop_info64` of linux/loop.h.
#[repr(C)]
struct LoopInfo {
    device: u64,
    inode: u64,
    /// The number of the block device behind it, as the kernel encodes it; 0 of a file.
    block_device: u64,
    offset: u64,
    size_limit: u64,
    number: u32,
    encrypt_type: u32,
    encrypt_key_size: u32,
    flags: u32,
    file_name: [u8; 64],
    crypt_name: [u8; 64],
    encrypt_key: [u8; 32],
    init: [u64; 2],
}

/// What is behind a loop device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backing {
    File(FileNumber),
    Device(DeviceNumber),
}

/// Asks a loop device. None of any other device, and where it cannot be opened or has nothing behind it by now.
pub(super) fn backing_of(system: &System, name: &str) -> Option<Backing> {
    // A machine made of files has no loop devices that could be asked.
    if !system.is_live() || DriveKind::from_kernel_name(name) != DriveKind::Loop {
        return None;
    }
    let number = system.number_of_name(name)?;
    let node = open_node(system, number, name).ok()?;
    // SAFETY: the kernel fills a `loop_info64`, of which this is the layout; every pattern of bits is a value of it.
    #[expect(unsafe_code, reason = "no library has this request")]
    let info = unsafe { ioctl(node.as_fd(), Getter::<GET_STATUS, LoopInfo>::new()) }.ok()?;
    if info.block_device != 0 {
        return Some(Backing::Device(DeviceNumber::from_raw(info.block_device)));
    }
    Some(Backing::File((DeviceNumber::from_raw(info.device), info.inode)))
}
