//! The ring of commands between the kernel's target and us, in memory that both have mapped
//! (`linux/target_core_user.h`, version 2).
#![allow(unsafe_code, reason = "the memory is shared with the kernel, which changes it while we look")]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::{Ordering, fence};

use anyhow::{Context as _, Result, ensure};
use rustix::mm::{MapFlags, ProtFlags, mmap};

/// Where the fields of the mailbox lie: offset and size of the ring, its head (the kernel's) and its tail (ours).
const RING_AT: usize = 4;
const RING_SIZE: usize = 8;
const HEAD: usize = 12;
const TAIL: usize = 64;
/// Where those of an entry lie: its length and kind, the number of its buffers, where its command is, and the buffers.
const KIND: usize = 0;
const BUFFERS: usize = 8;
const COMMAND_AT: usize = 24;
const FIRST_BUFFER: usize = 48;
/// Where those of its answer lie.
const STATUS: usize = 8;
const SENSE: usize = 16;
/// The kind of an entry that is a command.
const IS_COMMAND: u32 = 1;
const KINDS: u32 = 0b111;

/// What is answered to a command.
pub enum Answer {
    /// It succeeded, with this data for the host.
    Good(Vec<u8>),
    /// It failed, with this sense data.
    Check(Vec<u8>),
}

/// The ring, mapped.
pub struct Ring {
    device: File,
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping belongs to this value alone as far as this process goes, and may be used from any thread.
unsafe impl Send for Ring {}

impl Ring {
    /// Maps the ring of a device in sysfs.
    ///
    /// # Errors
    /// Where it cannot be mapped, or is of a version that is not known.
    pub fn open(device: &Path) -> Result<Ring> {
        let name = device.file_name().context("a device has a name")?;
        let text = fs::read_to_string(device.join("maps/map0/size"))?;
        let length = usize::from_str_radix(text.trim().trim_start_matches("0x"), 16)?;
        let device = File::options().read(true).write(true).open(Path::new("/dev").join(name))?;
        // SAFETY: a new mapping touches no memory that exists.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                &device,
                0,
            )?
        };
        let start = NonNull::new(start.cast()).context("the kernel mapped address zero")?;
        let ring = Ring { device, start, length };
        ensure!(ring.byte(0) == 2, "version {} of the ring is not known", ring.byte(0));
        Ok(ring)
    }

    /// Answers commands until the device is gone. Each comes with the data that the host sends with it, or with room for
    /// what it wants.
    pub fn serve(&mut self, mut answer: impl FnMut(&[u8], &[u8]) -> Answer) {
        loop {
            while self.dword(TAIL) != self.dword(HEAD) {
                fence(Ordering::Acquire);
                let entry = self.dword(RING_AT) as usize + self.dword(TAIL) as usize;
                let kind = self.dword(entry + KIND);
                if kind & KINDS == IS_COMMAND {
                    self.serve_entry(entry, &mut answer);
                }
                fence(Ordering::Release);
                let next = (self.dword(TAIL) + (kind & !KINDS)) % self.dword(RING_SIZE);
                self.put(TAIL, &next.to_le_bytes());
            }
            // A number for the kernel to look at the tail, and one from it when there is more.
            if self.device.write_all(&[0; 4]).is_err() || self.device.read_exact(&mut [0; 4]).is_err() {
                return;
            }
        }
    }

    fn serve_entry(&self, entry: usize, answer: &mut impl FnMut(&[u8], &[u8]) -> Answer) {
        let command = self.bytes(self.qword(entry + COMMAND_AT), 16);
        let buffers: Vec<(usize, usize)> = (0..self.dword(entry + BUFFERS) as usize)
            .map(|number| entry + FIRST_BUFFER + number * 16)
            .map(|at| (self.qword(at), self.qword(at + 8)))
            .collect();
        let data: Vec<u8> = buffers.iter().flat_map(|(at, length)| self.bytes(*at, *length)).collect();
        match answer(&command, &data) {
            Answer::Good(mut data) => {
                for (at, length) in buffers {
                    let rest = data.split_off(length.min(data.len()));
                    self.put(at, &data);
                    data = rest;
                }
                self.put(entry + STATUS, &[0]);
            }
            Answer::Check(sense) => {
                self.put(entry + STATUS, &[2]);
                self.put(entry + SENSE, &sense);
            }
        }
    }

    fn byte(&self, at: usize) -> u8 {
        assert!(at < self.length, "byte {at} is beyond the ring");
        // SAFETY: the assertion keeps the address inside the mapping; the kernel may change it at any time.
        unsafe { self.start.add(at).read_volatile() }
    }

    fn bytes(&self, at: usize, count: usize) -> Vec<u8> {
        (at..at + count).map(|at| self.byte(at)).collect()
    }

    fn dword(&self, at: usize) -> u32 {
        u32::from_le_bytes([self.byte(at), self.byte(at + 1), self.byte(at + 2), self.byte(at + 3)])
    }

    fn qword(&self, at: usize) -> usize {
        self.dword(at) as usize | (self.dword(at + 4) as usize) << 32
    }

    fn put(&self, at: usize, data: &[u8]) {
        assert!(at + data.len() <= self.length, "byte {at} is beyond the ring");
        for (place, byte) in data.iter().enumerate() {
            // SAFETY: the assertion keeps the address inside the mapping; the kernel only looks at it.
            unsafe { self.start.add(at + place).write_volatile(*byte) }
        }
    }
}
