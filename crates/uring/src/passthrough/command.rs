//! A request as a command of the drive.

use drivelab_block::{Op, Request};
use io_uring::{opcode, squeue, types};

/// `NVME_URING_CMD_IO` of `linux/nvme_ioctl.h`: `_IOWR('N', 0x80, struct nvme_uring_cmd)`.
const NVME_URING_CMD_IO: u32 = 0xC048_4E80;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;

/// What a command is built from besides its request.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// The descriptor of the character device, used where it is not registered.
    pub descriptor: i32,
    pub registered_file: bool,
    pub registered_buffers: bool,
    /// The number of the namespace.
    pub namespace: u32,
    /// The logarithm of a block's 512-byte sectors.
    pub block_shift: u32,
}

impl Form {
    /// The entry of a request in this slot, whose buffer has its number and lies at `address`. The request is a read or
    /// a write, of whole blocks and at most 65,536 of them.
    pub fn entry(self, request: &Request, slot: u32, address: *mut u8) -> squeue::Entry128 {
        let file = types::Fd(if self.registered_file { 0 } else { self.descriptor });
        #[expect(clippy::cast_possible_truncation, reason = "there are at most DEPTH_MAX slots")]
        let buffer = self.registered_buffers.then_some(slot as u16);
        let command = self.command(request, address as u64);
        let entry = opcode::UringCmd80::new(file, NVME_URING_CMD_IO).cmd(command).buf_index(buffer);
        entry.build().flags(self.flags()).user_data(u64::from(slot))
    }

    /// The flags of every entry.
    pub fn flags(self) -> squeue::Flags {
        let mut flags = squeue::Flags::empty();
        flags.set(squeue::Flags::FIXED_FILE, self.registered_file);
        flags
    }

    /// `struct nvme_uring_cmd`, in the processor's byte order.
    fn command(self, request: &Request, address: u64) -> [u8; 80] {
        let mut command = [0; 80];
        let mut put = |at: usize, bytes: &[u8]| command[at..at + bytes.len()].copy_from_slice(bytes);
        put(4, &self.namespace.to_ne_bytes());
        let opcode = if request.op == Op::Write { WRITE } else { READ };
        let start = request.extent.start.get() >> self.block_shift;
        let blocks = request.extent.length.get() >> self.block_shift;
        let length = u32::try_from(request.extent.length.bytes().get()).unwrap_or(u32::MAX);
        put(0, &[opcode]);
        put(24, &address.to_ne_bytes());
        put(36, &length.to_ne_bytes());
        // Command dwords 10 and 11 are the first block, its low half first; the low half of 12 is how many follow it.
        put(40, &low_half(start).to_ne_bytes());
        put(44, &low_half(start >> 32).to_ne_bytes());
        put(48, &blocks.saturating_sub(1).to_ne_bytes());
        command
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
fn low_half(number: u64) -> u32 {
    number as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{Extent, Instant, PhaseId, QueueId, Sector, SectorCount};

    #[test]
    fn a_write_of_two_blocks_of_4096() {
        let form = Form {
            descriptor: 3,
            registered_file: true,
            registered_buffers: true,
            namespace: 0x0102,
            block_shift: 3,
        };
        let extent = Extent { start: Sector::new(0x12_3456_7890 << 3), length: SectorCount::new(16) };
        let request = Request {
            op: Op::Write,
            extent,
            intended_at: Instant::ORIGIN,
            queue: QueueId(0),
            phase: PhaseId(0),
        };
        let command = form.command(&request, 0xABCD_0000);
        let word = |at: usize| u32::from_ne_bytes(command[at..at + 4].try_into().expect("four bytes"));
        assert_eq!((command[0], word(4), NVME_URING_CMD_IO), (0x01, 0x0102, 0xC048_4E80));
        assert_eq!((word(24), word(28), word(36)), (0xABCD_0000, 0, 8192));
        assert_eq!(
            (word(40), word(44), word(48)),
            (0x3456_7890, 0x12, 1),
            "the count is of those behind the first"
        );
    }
}
