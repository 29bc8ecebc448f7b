//! A request as the kernel takes it.

use drivelab_block::{Op, Request};
use io_uring::{opcode, squeue, types};

use crate::discard;

/// What an entry is built from besides its request.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts about target and ring that do not depend on each other"
)]
pub struct EntryForm {
    /// The descriptor, used where the file is not registered.
    pub descriptor: i32,
    pub registered_file: bool,
    pub registered_buffers: bool,
    /// A regular file: a discard punches a hole.
    pub is_file: bool,
    /// The target always makes its caller wait, so that the kernel hands every request to one of its workers:
    /// told so, it does not try in vain first.
    pub always_waits: bool,
}

impl EntryForm {
    /// The entry of a request in this slot, whose buffer has this number and lies at `address`.
    #[inline]
    pub fn entry(self, request: &Request, slot: u32, buffer: usize, address: *mut u8) -> squeue::Entry {
        #[expect(
            clippy::cast_possible_truncation,
            reason = "at most two buffers for each of DEPTH_MAX slots"
        )]
        let buffer = buffer as u16;
        // A registered file is named by its index, and there is only one.
        let file = types::Fd(if self.registered_file { 0 } else { self.descriptor });
        let entry = match request.op {
            Op::Read => self.read(file, request, buffer, address),
            Op::Write => self.write(file, request, buffer, address),
            Op::Discard => self.discard(file, request),
            Op::Flush => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        let mut flags = squeue::Flags::empty();
        flags.set(squeue::Flags::FIXED_FILE, self.registered_file);
        flags.set(squeue::Flags::ASYNC, self.always_waits);
        entry.flags(flags).user_data(u64::from(slot))
    }

    fn read(self, file: types::Fd, request: &Request, buffer: u16, address: *mut u8) -> squeue::Entry {
        let (offset, length) = (request.extent.start.byte_offset(), byte_length(request));
        if self.registered_buffers {
            opcode::ReadFixed::new(file, address, length, buffer).offset(offset).build()
        } else {
            opcode::Read::new(file, address, length).offset(offset).build()
        }
    }

    fn write(self, file: types::Fd, request: &Request, buffer: u16, address: *mut u8) -> squeue::Entry {
        let (offset, length) = (request.extent.start.byte_offset(), byte_length(request));
        if self.registered_buffers {
            opcode::WriteFixed::new(file, address, length, buffer).offset(offset).build()
        } else {
            opcode::Write::new(file, address, length).offset(offset).build()
        }
    }

    fn discard(self, file: types::Fd, request: &Request) -> squeue::Entry {
        let (offset, length) = (request.extent.start.byte_offset(), request.extent.length.bytes().get());
        if self.is_file {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            return opcode::Fallocate::new(file, length).offset(offset).mode(mode).build();
        }
        discard::command(file, offset, length)
    }
}

/// The length of a read or write; the engine's limits keep it far below 4 GiB.
fn byte_length(request: &Request) -> u32 {
    u32::try_from(request.extent.length.bytes().get()).unwrap_or(u32::MAX)
}

/// The bytes that a well-ended I/O reports as its result.
pub fn expected_result(request: &Request) -> i32 {
    match request.op {
        Op::Read | Op::Write => i32::try_from(request.extent.length.bytes().get()).unwrap_or(i32::MAX),
        Op::Discard | Op::Flush => 0,
    }
}
