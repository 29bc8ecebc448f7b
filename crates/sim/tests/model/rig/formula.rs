//! Write amplification of uniform random writes under greedy collection, and the bound on IOPS.

#![allow(dead_code, reason = "each test file uses a part of it")]

/// The harmonic number of a real x >= 1, by the asymptotic series; good to 1e-6 from 8 on.
fn harmonic(x: f64) -> f64 {
    0.577_215_664_901_532_9 + x.ln() + 1.0 / (2.0 * x) - 1.0 / (12.0 * x * x)
}

/// Solves `alpha (b - j) = b (H_b - H_j)`, H harmonic, for the units j still current in a victim of b units;
/// returns b / (b - j).
pub fn greedy(alpha: f64, block_units: u32) -> f64 {
    let b = f64::from(block_units);
    let excess = |j: f64| alpha * (b - j) - b * (harmonic(b) - harmonic(j));
    // Below the solution there is too little spare, above it (up to the trivial j = b) too much.
    let (mut low, mut high) = (1.0, b - 0.25);
    for _ in 0..200 {
        let middle = f64::midpoint(low, high);
        if excess(middle) < 0.0 { low = middle } else { high = middle }
    }
    b / (b - low)
}

/// What the dies allow, in 4 KiB writes a second: `D / (WA tPROG / u + (R tR + tBERS) / (b (1 - v)))`.
pub struct Bound {
    pub dies: f64,
    pub program_units: f64,
    pub program: f64,
    pub read: f64,
    pub erase: f64,
    pub block_units: f64,
    /// Multi-plane page reads a victim.
    pub page_reads: f64,
}

impl Bound {
    pub fn iops(&self, write_amplification: f64) -> f64 {
        let programs = write_amplification * self.program / self.program_units;
        let collection = self.page_reads * self.read + self.erase;
        // b (1 - v) = b / WA host writes for each victim.
        self.dies / (programs + collection * write_amplification / self.block_units)
    }
}

/// What the dies allow for sequential writes by the modes of the SLC cache. Times are in seconds, rates in bytes a second.
///
/// Folding a block in SLC mode costs each of its pages a read and a dense program, and an erase for the block.
pub struct SlcRates {
    pub dies: f64,
    pub program_units: f64,
    pub slc_block_units: f64,
    pub bits_per_cell: f64,
    pub slc_program: f64,
    pub program: f64,
    pub read: f64,
    pub erase: f64,
}

impl SlcRates {
    /// Into the cache.
    pub fn cache(&self) -> f64 {
        self.rate(self.slc_program / self.program_units)
    }

    /// Directly to the dense cells, without any collection.
    pub fn direct(&self) -> f64 {
        self.rate(self.program / self.program_units)
    }

    /// Through a full cache, of which as much is folded as is written.
    pub fn folding(&self) -> f64 {
        self.folding_of(1.0)
    }

    /// The same where free blocks are to be gained, too: b / (b - 1) times as much is folded.
    pub fn folding_to_gain_blocks(&self) -> f64 {
        self.folding_of(self.bits_per_cell / (self.bits_per_cell - 1.0))
    }

    fn folding_of(&self, folded: f64) -> f64 {
        let fold = (self.read + self.program) / self.program_units + self.erase / self.slc_block_units;
        self.rate(self.slc_program / self.program_units + folded * fold)
    }

    /// The rate of units of 4 KiB that take a die this long.
    fn rate(&self, unit: f64) -> f64 {
        4096.0 * self.dies / unit
    }
}
