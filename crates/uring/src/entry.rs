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
        let (offset, length) = (request.extent.start.byte_offset(), request.extent.length.bytes().get());
        // The engine's limits keep a read or write far below 4 GiB.
        let bytes = u32::try_from(length).unwrap_or(u32::MAX);
        let entry = match (request.op, self.registered_buffers) {
            (Op::Read, true) => opcode::ReadFixed::new(file, address, bytes, buffer).offset(offset).build(),
            (Op::Read, false) => opcode::Read::new(file, address, bytes).offset(offset).build(),
            (Op::Write, true) => opcode::WriteFixed::new(file, address, bytes, buffer).offset(offset).build(),
            (Op::Write, false) => opcode::Write::new(file, address, bytes).offset(offset).build(),
            (Op::Discard, _) if self.is_file => {
                let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
                opcode::Fallocate::new(file, length).offset(offset).mode(mode).build()
            }
            (Op::Discard, _) => discard::command(file, offset, length),
            (Op::Flush, _) => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        let mut flags = squeue::Flags::empty();
        flags.set(squeue::Flags::FIXED_FILE, self.registered_file);
        flags.set(squeue::Flags::ASYNC, self.always_waits);
        entry.flags(flags).user_data(u64::from(slot))
    }
}

/// The bytes that a well-ended I/O reports as its result.
#[inline]
pub fn expected_result(request: &Request) -> i32 {
    match request.op {
        Op::Read | Op::Write => i32::try_from(request.extent.length.bytes().get()).unwrap_or(i32::MAX),
        Op::Discard | Op::Flush => 0,
    }
}
