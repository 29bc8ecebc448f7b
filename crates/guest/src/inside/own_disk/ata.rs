//! The ATA drive: its blocks, its identification, and its security.

use std::time::Duration;

/// Bytes of a block.
pub const BLOCK: usize = 512;
/// How many there are.
pub const BLOCKS: u64 = 32 << 10;
/// The user password: 32 bytes.
type Password = [u8; 32];

/// Aborted: the status and error registers of a command that is refused.
#[derive(Clone, Copy, Debug)]
pub struct Aborted;

/// The state of a drive. What a power cut keeps of it is in [`AtaDisk::power_cut`].
pub struct AtaDisk {
    /// What it holds.
    pub blocks: Vec<u8>,
    /// The user password.
    pub password: Option<Password>,
    /// Whether it is locked.
    pub is_locked: bool,
    /// Whether its security is frozen.
    pub is_frozen: bool,
    /// How many wrong passwords it was told since it has power.
    pub wrong: u32,
    /// How many erases have ended.
    pub erases: u32,
    is_prepared: bool,
    power_cuts: u32,
    erase_takes: Duration,
}

impl AtaDisk {
    /// A drive without a password, whose erase takes this long.
    pub fn new(erase_takes: Duration) -> AtaDisk {
        AtaDisk {
            blocks: vec![0; usize::try_from(BLOCKS).unwrap_or(0) * BLOCK],
            password: None,
            is_locked: false,
            is_frozen: false,
            wrong: 0,
            erases: 0,
            is_prepared: false,
            power_cuts: 0,
            erase_takes,
        }
    }

    /// Takes the power away and gives it back: a drive with a password is locked then, and an erase is cut off.
    pub fn power_cut(&mut self) {
        self.is_locked = self.password.is_some();
        (self.is_frozen, self.is_prepared, self.wrong) = (false, false, 0);
        self.power_cuts += 1;
    }

    /// How long an erase takes, and how often the power was cut so far.
    pub fn erase_begins(&self) -> (Duration, u32) {
        (self.erase_takes, self.power_cuts)
    }

    /// Ends an erase, where the power was not cut since.
    pub fn erase_ends(&mut self, power_cuts: u32) -> Result<(), Aborted> {
        if power_cuts != self.power_cuts {
            return Err(Aborted);
        }
        self.blocks.fill(0);
        (self.password, self.is_locked) = (None, false);
        self.erases += 1;
        Ok(())
    }

    /// Whether it erases itself now: it was told the password after a preparation.
    pub fn may_erase(&mut self, data: &[u8]) -> Result<(), Aborted> {
        let was_prepared = std::mem::take(&mut self.is_prepared);
        self.told(data)?;
        if was_prepared && !self.is_frozen { Ok(()) } else { Err(Aborted) }
    }

    /// Any other command: what it brings.
    pub fn obey(&mut self, command: u8, data: &[u8]) -> Result<Vec<u8>, Aborted> {
        self.is_prepared = false;
        match command {
            // IDENTIFY DEVICE, and SMART in its simplest form: it is well.
            0xec => return Ok(self.identify()),
            _ if self.is_frozen => return Err(Aborted),
            0xf1 if !self.is_locked => self.password = Some(password(data)?),
            0xf2 => {
                self.told(data)?;
                self.is_locked = false;
            }
            0xf3 => self.is_prepared = true,
            0xf6 if !self.is_locked => {
                self.told(data)?;
                self.password = None;
            }
            _ => return Err(Aborted),
        }
        Ok(Vec::new())
    }

    fn told(&mut self, data: &[u8]) -> Result<(), Aborted> {
        let told = password(data)?;
        if self.wrong < 5 && self.password == Some(told) {
            return Ok(());
        }
        self.wrong += 1;
        Err(Aborted)
    }

    fn identify(&self) -> Vec<u8> {
        let mut words = [0_u16; 256];
        let mut text = |first: usize, count: usize, text: &str| {
            let padded = format!("{text:<width$}", width = count * 2);
            for (word, pair) in words[first..first + count].iter_mut().zip(padded.as_bytes().chunks(2)) {
                *word = u16::from_be_bytes([pair[0], pair[1]]);
            }
        };
        text(10, 10, super::SERIAL);
        text(23, 4, "1");
        text(27, 20, "OWN DISK");
        let blocks = u16::try_from(BLOCKS).unwrap_or(u16::MAX);
        // LBA; the sectors twice; ACS-3; security and 48-bit addresses, there and switched on; solid state.
        for (number, value) in [
            (0, 0x0040),
            (49, 0x0300),
            (53, 0x0006),
            (60, blocks),
            (80, 0x07f0),
            (82, 0x0002),
            (83, 0x4400),
            (84, 0x4000),
            (85, u16::from(self.password.is_some()) << 1),
            (86, 0x0400),
            (87, 0x4000),
            (89, 2),
            (90, 1),
            (92, 0xfffe),
            (100, blocks),
            (106, 0x4000),
            (217, 1),
        ] {
            words[number] = value;
        }
        let bits = [true, self.password.is_some(), self.is_locked, self.is_frozen, self.wrong >= 5, true];
        words[128] = bits.iter().enumerate().map(|(bit, is_set)| u16::from(*is_set) << bit).sum();
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

fn password(data: &[u8]) -> Result<Password, Aborted> {
    data.get(2..34).and_then(|bytes| bytes.try_into().ok()).ok_or(Aborted)
}
