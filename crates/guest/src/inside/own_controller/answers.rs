//! What the controller answers.

use std::time::{Duration, Instant};

/// Blocks of 512 bytes.
const BLOCKS: u64 = 32 << 10;
const BLOCK: usize = 512;
/// "Do not retry", with a status.
const DO_NOT_RETRY: u16 = 0x4000;
const INVALID_OPCODE: u16 = DO_NOT_RETRY | 0x01;
const INVALID_FIELD: u16 = DO_NOT_RETRY | 0x02;
const SANITIZE_IN_PROGRESS: u16 = DO_NOT_RETRY | 0x1d;
const OUT_OF_RANGE: u16 = DO_NOT_RETRY | 0x80;

/// What is answered to a command.
pub enum Answer {
    /// Nothing, ever.
    Never,
    /// Success, with dwords 0 and 1 of the completion.
    Result(u64),
    /// Success, with data.
    Data(Vec<u8>),
    /// This status: type and code, without a phase tag.
    Status(u16),
}

/// A connection: which queue it is, and the controller's registers as its host has set them.
#[derive(Default)]
pub struct Connection {
    queue: u16,
    configuration: u32,
}

/// The controller's state, which outlives its connections as that of a drive outlives a reset.
pub struct Controller {
    blocks: Vec<u8>,
    sanitize_takes: Duration,
    sanitize_began: Option<Instant>,
    /// Whether the last sanitize has erased the blocks.
    is_erased: bool,
    sanitizes: u32,
}

fn word(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn dword(bytes: &[u8], at: usize) -> u32 {
    u32::from(word(bytes, at)) | u32::from(word(bytes, at + 2)) << 16
}

impl Controller {
    /// A controller whose sanitize takes this long.
    pub fn new(sanitize_takes: Duration) -> Controller {
        let blocks = vec![0; usize::try_from(BLOCKS).unwrap_or(0) * BLOCK];
        Controller { blocks, sanitize_takes, sanitize_began: None, is_erased: false, sanitizes: 0 }
    }

    /// How many sanitizes were begun.
    pub fn sanitizes_begun(&self) -> u32 {
        self.sanitizes
    }

    /// Whether a sanitize goes on.
    pub fn is_sanitizing(&self) -> bool {
        self.sanitize_began.is_some_and(|began| began.elapsed() < self.sanitize_takes)
    }

    /// Carries a command out: 64 bytes, and the data that came with them.
    pub fn answer(&mut self, connection: &mut Connection, command: &[u8], data: &[u8]) -> Answer {
        if self.sanitize_began.is_some() && !self.is_sanitizing() && !self.is_erased {
            self.blocks.fill(0);
            self.is_erased = true;
        }
        match (command[0], connection.queue) {
            (0x7f, _) => fabrics(connection, command),
            (opcode, 0) => self.admin(opcode, command),
            (opcode, _) => self.io(opcode, command, data),
        }
    }

    fn admin(&mut self, opcode: u8, command: &[u8]) -> Answer {
        let dword10 = dword(command, 40);
        match opcode {
            0x02 => self.log_page(dword10),
            0x06 => match dword10 & 0xff {
                0x00 => Answer::Data(identify_namespace()),
                0x01 => Answer::Data(identify_controller()),
                0x02 => {
                    let mut list = vec![0; 4096];
                    list[0] = u8::from(dword(command, 4) == 0);
                    Answer::Data(list)
                }
                0x03 => Answer::Data(vec![0; 4096]),
                _ => Answer::Status(INVALID_FIELD),
            },
            // Set Features (one queue), Get Features, Keep Alive.
            0x09 | 0x0a | 0x18 => Answer::Result(0),
            // Asynchronous Event Request.
            0x0c => Answer::Never,
            0x84 if self.is_sanitizing() => Answer::Status(SANITIZE_IN_PROGRESS),
            0x84 if dword10 & 0b111 == 2 => {
                self.sanitize_began = Some(Instant::now());
                self.is_erased = false;
                self.sanitizes += 1;
                Answer::Result(0)
            }
            0x84 => Answer::Status(INVALID_FIELD),
            _ => Answer::Status(INVALID_OPCODE),
        }
    }

    fn log_page(&self, dword10: u32) -> Answer {
        let mut page = vec![0; ((dword10 >> 16) as usize + 1) * 4];
        match dword10 & 0xff {
            // Available spare, of the health log.
            0x02 if page.len() > 3 => page[3] = 100,
            0x81 if page.len() > 19 => {
                let (progress, state) = match self.sanitize_began {
                    None => (u16::MAX, 0),
                    Some(_) if !self.is_sanitizing() => (u16::MAX, 0x101),
                    Some(began) => {
                        let whole = self.sanitize_takes.as_millis().max(1);
                        (u16::try_from(began.elapsed().as_millis() * 65_535 / whole).unwrap_or(u16::MAX), 2)
                    }
                };
                page[..2].copy_from_slice(&progress.to_le_bytes());
                page[2..4].copy_from_slice(&u16::to_le_bytes(state));
                page[8..20].fill(0xff);
            }
            _ => return Answer::Status(DO_NOT_RETRY | 0x109),
        }
        Answer::Data(page)
    }

    fn io(&mut self, opcode: u8, command: &[u8], data: &[u8]) -> Answer {
        if self.is_sanitizing() {
            return Answer::Status(SANITIZE_IN_PROGRESS);
        }
        let first = u64::from(dword(command, 40)) | u64::from(dword(command, 44)) << 32;
        let count = u64::from(word(command, 48)) + 1;
        if opcode == 0x00 {
            return Answer::Result(0);
        }
        if first.checked_add(count).is_none_or(|end| end > BLOCKS) {
            return Answer::Status(OUT_OF_RANGE);
        }
        let bytes = |blocks: u64| usize::try_from(blocks).unwrap_or(usize::MAX).saturating_mul(BLOCK);
        let (first, count) = (bytes(first), bytes(count));
        let blocks = &mut self.blocks[first..first + count];
        match opcode {
            0x01 if data.len() == count => {
                blocks.copy_from_slice(data);
                Answer::Result(0)
            }
            0x02 => Answer::Data(blocks.to_vec()),
            _ => Answer::Status(INVALID_OPCODE),
        }
    }
}

fn fabrics(connection: &mut Connection, command: &[u8]) -> Answer {
    let (kind, offset) = (command[4], dword(command, 44));
    match kind {
        // Connect: the queue, answered with the controller's identifier.
        0x01 => {
            connection.queue = word(command, 42);
            Answer::Result(1)
        }
        // Property Set: of the controller's configuration alone.
        0x00 => {
            if offset == 0x14 {
                connection.configuration = dword(command, 48);
            }
            Answer::Result(0)
        }
        // Property Get.
        0x04 => Answer::Result(property(connection, offset)),
        _ => Answer::Status(INVALID_FIELD),
    }
}

fn property(connection: &Connection, offset: u32) -> u64 {
    let configuration = connection.configuration;
    match offset {
        // Capabilities: 128 entries, contiguous queues, ready within 10 s, the NVM command set.
        0x00 => 127 | 1 << 16 | 20 << 24 | 1 << 37,
        // Version 1.4.
        0x08 => 0x0001_0400,
        0x14 => u64::from(configuration),
        // Ready as it is enabled, shut down as it is asked to.
        0x1c => u64::from(configuration & 1) | if configuration & 0xc000 == 0 { 0 } else { 0b1000 },
        _ => 0,
    }
}

fn identify_controller() -> Vec<u8> {
    let mut data = vec![0; 4096];
    data[4..64].fill(b' ');
    data[4..4 + super::SERIAL.len()].copy_from_slice(super::SERIAL.as_bytes());
    data[24..31].copy_from_slice(b"SANITIZ");
    data[64..72].copy_from_slice(b"1       ");
    // The longest transfer is 128 KiB; identifier 1; version 1.4; an I/O controller.
    data[77] = 5;
    data[78] = 1;
    data[80..84].copy_from_slice(&0x0001_0400_u32.to_le_bytes());
    data[111] = 1;
    // Keep alive in steps of 100 ms; Sanitize by block erase.
    data[320] = 10;
    data[328] = 0b10;
    // Entries of 64 and 16 bytes, 64 commands, one namespace, SGLs.
    (data[512], data[513], data[514], data[516], data[536]) = (0x66, 0x44, 64, 1, 1);
    data[768..768 + super::SUBSYSTEM.len()].copy_from_slice(super::SUBSYSTEM.as_bytes());
    // Capsules of a command with 128 KiB of data, and of a completion, in units of 16 bytes.
    data[1792..1796].copy_from_slice(&((64 + (128 << 10)) / 16_u32).to_le_bytes());
    data[1796] = 1;
    data[1803] = 1;
    data
}

fn identify_namespace() -> Vec<u8> {
    let mut data = vec![0; 4096];
    for place in [0, 8, 16] {
        data[place..place + 8].copy_from_slice(&BLOCKS.to_le_bytes());
    }
    // Blocks of two to the ninth bytes.
    data[130] = 9;
    data
}
