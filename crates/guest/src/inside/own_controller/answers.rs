//! What the controller answers.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::identity::{BLOCK, BLOCKS, controller, health, namespace, namespaces, ocp_log, reservations};
use super::little_endian::{dword, word};

/// "Do not retry", with a status.
const DO_NOT_RETRY: u16 = 0x4000;
const INVALID_OPCODE: u16 = DO_NOT_RETRY | 0x01;
const INVALID_FIELD: u16 = DO_NOT_RETRY | 0x02;
const SANITIZE_IN_PROGRESS: u16 = DO_NOT_RETRY | 0x1d;
/// Hosts of fabrics are known by 128 bits, and asked for by 64 here.
const HOST_IDENTIFIER_INCONSISTENT: u16 = DO_NOT_RETRY | 0x18;
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

/// How the drive is made, as far as tests differ in it.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How long a sanitize takes.
    pub sanitize_takes: Duration,
    /// Whether a second namespace is listed, which has no blocks.
    pub has_another_namespace: bool,
    /// Whether Format NVM knows the erase of user data; it always knows the crypto erase.
    pub erases_user_data: bool,
    /// Whether another host has reserved the namespace for its own writes.
    pub is_reserved: bool,
    /// Blocks at which every read fails, each with its status: type and code.
    pub unreadable: Vec<(u64, u16)>,
    /// A block whose reads are answered only after this time, and so is everything behind them.
    pub hangs_at: Option<(u64, Duration)>,
    /// What the log page C0h is.
    pub vendor_log: VendorLog,
    /// How long after the first write to a drive that is made so it throttles, and by how much it then delays each I/O. It counts
    /// the seconds as those of thermal management 1.
    pub throttles: Option<(Duration, Duration)>,
}

/// What the log page C0h is, which each vendor gives a meaning of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VendorLog {
    /// The drive has none.
    Absent,
    /// That of the Open Compute Project: [`FLASH_FACTOR`] times what the host wrote.
    Ocp,
    /// Another one, with the same bytes under another GUID.
    Other,
}

/// Bytes that the drive counts as written to its flash for each that the host wrote.
pub const FLASH_FACTOR: u64 = 3;

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            sanitize_takes: Duration::ZERO,
            has_another_namespace: false,
            erases_user_data: true,
            is_reserved: false,
            unreadable: Vec::new(),
            hangs_at: None,
            vendor_log: VendorLog::Absent,
            throttles: None,
        }
    }
}

/// The controller's state, which outlives its connections as that of a drive outlives a reset.
pub struct Controller {
    /// How the drive is made.
    settings: Settings,
    blocks: Vec<u8>,
    sanitize_began: Option<Instant>,
    /// Whether the last sanitize has erased the blocks.
    is_erased: bool,
    sanitizes: u32,
    /// Bytes that the host wrote.
    written: u64,
    /// When it was written to first since it is made as it is.
    first_write: Option<Instant>,
    /// The secure erase settings of each format that was carried out.
    formats: Vec<u32>,
}

impl Controller {
    /// A controller of a drive without data.
    pub fn new() -> Controller {
        let settings = Settings::default();
        let blocks = vec![0; usize::try_from(BLOCKS).unwrap_or(0) * BLOCK];
        Controller {
            settings,
            blocks,
            sanitize_began: None,
            is_erased: false,
            sanitizes: 0,
            written: 0,
            first_write: None,
            formats: Vec::new(),
        }
    }

    /// Makes the drive so from now on. What it holds stays.
    pub fn make(&mut self, settings: Settings) {
        (self.settings, self.first_write) = (settings, None);
    }

    /// The secure erase settings of each format that was carried out.
    pub fn formats(&self) -> &[u32] {
        &self.formats
    }

    /// How many sanitizes were begun.
    pub fn sanitizes_begun(&self) -> u32 {
        self.sanitizes
    }

    /// Whether a sanitize goes on.
    pub fn is_sanitizing(&self) -> bool {
        self.sanitize_began.is_some_and(|began| began.elapsed() < self.settings.sanitize_takes)
    }

    /// How long the answer to a command is held back.
    pub fn delay(&self, connection: &Connection, command: &[u8]) -> Duration {
        let is_read = connection.queue > 0 && command[0] == 0x02;
        let hangs_at = self.settings.hangs_at.filter(|(block, _)| is_read && blocks(command).contains(block));
        let is_throttled = connection.queue > 0 && !self.throttled_for().is_zero();
        let throttles = self.settings.throttles.filter(|_| is_throttled);
        hangs_at.map(|(_, time)| time).or(throttles.map(|(_, delay)| delay)).unwrap_or_default()
    }

    /// For how long the drive has throttled.
    fn throttled_for(&self) -> Duration {
        let since = self.settings.throttles.zip(self.first_write);
        since.map_or(Duration::ZERO, |((after, _), first)| first.elapsed().saturating_sub(after))
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
                0x00 => Answer::Data(namespace()),
                0x01 => Answer::Data(controller()),
                0x02 => Answer::Data(namespaces(dword(command, 4), self.settings.has_another_namespace)),
                0x03 => Answer::Data(vec![0; 4096]),
                _ => Answer::Status(INVALID_FIELD),
            },
            // Set Features (one queue), Get Features, Keep Alive.
            0x09 | 0x0a | 0x18 => Answer::Result(0),
            // Asynchronous Event Request.
            0x0c => Answer::Never,
            0x80 | 0x84 if self.is_sanitizing() => Answer::Status(SANITIZE_IN_PROGRESS),
            0x84 if dword10 & 0b111 == 2 => {
                self.sanitize_began = Some(Instant::now());
                self.is_erased = false;
                self.sanitizes += 1;
                Answer::Result(0)
            }
            0x84 => Answer::Status(INVALID_FIELD),
            0x80 => self.format(dword10 >> 9 & 0b111),
            _ => Answer::Status(INVALID_OPCODE),
        }
    }

    /// Format NVM with these secure erase settings: 1 of user data, 2 by crypto erase.
    fn format(&mut self, erase: u32) -> Answer {
        if !(erase == 2 || erase == 1 && self.settings.erases_user_data) {
            return Answer::Status(INVALID_FIELD);
        }
        self.blocks.fill(0);
        self.formats.push(erase);
        Answer::Result(0)
    }

    fn log_page(&self, dword10: u32) -> Answer {
        let mut page = vec![0; ((dword10 >> 16) as usize + 1) * 4];
        match dword10 & 0xff {
            0x02 => {
                let whole = health(self.written, self.throttled_for());
                let length = page.len().min(whole.len());
                page[..length].copy_from_slice(&whole[..length]);
            }
            0xc0 if self.settings.vendor_log != VendorLog::Absent && page.len() == 512 => {
                let is_ocp = self.settings.vendor_log == VendorLog::Ocp;
                page = ocp_log(self.written * FLASH_FACTOR, is_ocp);
            }
            0x81 if page.len() > 19 => {
                let (progress, state) = match self.sanitize_began {
                    None => (u16::MAX, 0),
                    Some(_) if !self.is_sanitizing() => (u16::MAX, 0x101),
                    Some(began) => {
                        let whole = self.settings.sanitize_takes.as_millis().max(1);
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
        let Range { start: first, end } = blocks(command);
        let count = end - first;
        match opcode {
            // Flush.
            0x00 => return Answer::Result(0),
            // Reservation Report: its length in dwords less one, and whether hosts are named by 128 bits.
            0x0e if dword(command, 44) & 1 == 0 => return Answer::Status(HOST_IDENTIFIER_INCONSISTENT),
            0x0e => {
                let mut data = reservations(self.settings.is_reserved);
                data.resize((dword(command, 40) as usize + 1) * 4, 0);
                return Answer::Data(data);
            }
            _ => {}
        }
        if end > BLOCKS {
            return Answer::Status(OUT_OF_RANGE);
        }
        let bad =
            self.settings.unreadable.iter().find(|(bad, _)| opcode == 0x02 && (first..end).contains(bad));
        if let Some((_, status)) = bad {
            return Answer::Status(DO_NOT_RETRY | status);
        }
        let bytes = |blocks: u64| usize::try_from(blocks).unwrap_or(usize::MAX).saturating_mul(BLOCK);
        let (first, count) = (bytes(first), bytes(count));
        let blocks = &mut self.blocks[first..first + count];
        match opcode {
            0x01 if data.len() == count => {
                blocks.copy_from_slice(data);
                self.written += data.len() as u64;
                self.first_write.get_or_insert_with(Instant::now);
                Answer::Result(0)
            }
            0x02 => Answer::Data(blocks.to_vec()),
            _ => Answer::Status(INVALID_OPCODE),
        }
    }
}

/// The blocks that a read or a write is of.
fn blocks(command: &[u8]) -> Range<u64> {
    let first = u64::from(dword(command, 40)) | u64::from(dword(command, 44)) << 32;
    first..first.saturating_add(u64::from(word(command, 48)) + 1)
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
