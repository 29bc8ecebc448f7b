//! Addresses that leave a drive in the steady state of random writes after one write of its flash.
//!
//! **The steady state.** A range of U blocks on flash of T blocks is written at random, every block equally likely, and the
//! block of flash that was written first is collected first. For each block that the host writes, the drive writes A. A block
//! of flash that was written t block writes ago has seen t / A writes of the host since, each of which made one of the U blocks
//! invalid, so that the share of it that is still valid is
//!
//! ```text
//! v(t) = exp(-t / (A U)),   0 <= t <= T
//! ```
//!
//! What is collected has the share u = v(T). It yields 1 - u of room, so that A = 1 / (1 - u), and with alpha = T / U
//!
//! ```text
//! u = exp(-alpha (1 - u)),   A = alpha / (alpha + W(-alpha exp(-alpha)))
//! ```
//!
//! with Lambert's W (P. Desnoyers, "Analytic modeling of SSD write performance", SYSTOR 2012). For large blocks, collection of
//! the block with the least valid data gives the same. The integral of v from 0 to T is A U (1 - u) = U: each block of the range
//! is valid once.
//!
//! **The sequence.** An empty drive that is written T blocks stores them in their order. [`OnePass`] decides for each write
//! whether it is the last one of its address, with the probability v(t), where t is the number of writes from there to the
//! end. Last writes take the addresses of a random permutation in turn. All other writes take an address that is still to
//! come in it, each equally likely, so that they are invalid at the end. Where the pass ends, each region of the flash has the
//! share of valid data of its age.
//!
//! The sequence takes no memory for each block: the permutation is computed.

use crate::{Draw, Seed};

/// The share of valid data in the block of flash that is collected in the steady state of uniform random writes, where `alpha`
/// is the flash over the range that is written. 0 to 1; 1 where `alpha` is 1 or less. The write amplification is 1 / (1 - it).
///
/// The equation is u = exp(-alpha (1 - u)) (P. Desnoyers, SYSTOR 2012, first in, first out). Newton's method rises to the root
/// from 0, since the function is convex.
pub fn collected_valid_share(alpha: f64) -> f64 {
    if alpha.is_nan() || alpha <= 1.0 {
        return 1.0;
    }
    let mut share = 0.0_f64;
    for _ in 0..200 {
        let power = (-alpha * (1.0 - share)).exp();
        let step = (power - share) / (1.0 - alpha * power);
        if step.is_nan() || step <= 1e-15 {
            break;
        }
        share += step;
    }
    share.clamp(0.0, 1.0)
}

/// The number of writes after which the running power is computed anew, so that rounding does not add up.
const RENEWED_EVERY: u64 = 1 << 16;

/// The blocks of a range in the order of one-pass preconditioning; see the module.
#[derive(Clone, Debug)]
pub struct OnePass {
    blocks: u64,
    /// Writes that are left.
    left: u64,
    /// Addresses that had their last write.
    settled: u64,
    /// A U: the number of writes to the flash over which the valid share falls by a factor of e.
    decay: f64,
    /// exp(-left / decay).
    valid: f64,
    /// By how much that grows with each write.
    growth: f64,
    permutation: Permutation,
    draw: Draw,
}

impl OnePass {
    /// The sequence for a range of `blocks` blocks, at least one, and flash of `writes` blocks. Where `writes` is not more than
    /// `blocks`, each block is written once, in random order.
    pub fn new(blocks: u64, writes: u64, seed: Seed) -> OnePass {
        let (blocks, writes) = (blocks.max(1), writes.max(blocks));
        let alpha = writes as f64 / blocks as f64;
        let decay = blocks as f64 / (1.0 - collected_valid_share(alpha)).max(f64::MIN_POSITIVE);
        OnePass {
            blocks,
            left: writes,
            settled: 0,
            decay,
            valid: (-(writes as f64) / decay).exp(),
            growth: decay.recip().exp(),
            permutation: Permutation::new(blocks, seed.child("permutation")),
            draw: seed.child("repetitions").draw(),
        }
    }

    /// Whether the next write is the last one of its address: by chance, with the probability of its age, corrected by what
    /// chance did before, so that every address has its last write within the pass.
    #[inline]
    fn is_last(&mut self) -> bool {
        let unsettled = self.blocks - self.settled;
        if unsettled == self.left {
            return true;
        }
        if unsettled == 1 {
            return false;
        }
        // The integral of the valid share over all writes that are left.
        let expected = self.decay * (1.0 - self.valid);
        self.draw.unit() * expected <= self.valid * unsettled as f64
    }
}

impl Iterator for OnePass {
    type Item = u64;

    #[inline]
    fn next(&mut self) -> Option<u64> {
        if self.left == 0 {
            return None;
        }
        let place = if self.is_last() {
            self.settled += 1;
            self.settled - 1
        } else {
            self.settled + self.draw.below(self.blocks - self.settled)
        };
        self.left -= 1;
        self.valid *= self.growth;
        if self.left.is_multiple_of(RENEWED_EVERY) {
            self.valid = (-(self.left as f64) / self.decay).exp();
        }
        Some(self.permutation.at(place))
    }
}

/// A random permutation of the numbers below a bound, without a table: a Feistel network over the next power of two, applied
/// until the number is below the bound ("cycle walking": J. Black and P. Rogaway, "Ciphers with arbitrary finite domains",
/// CT-RSA 2002). It takes fewer than two passes on average.
#[derive(Clone, Debug)]
struct Permutation {
    bound: u64,
    low_bits: u32,
    low_mask: u64,
    high_mask: u64,
    keys: [u64; 6],
}

impl Permutation {
    fn new(bound: u64, seed: Seed) -> Permutation {
        let bits = (u64::BITS - bound.saturating_sub(1).leading_zeros()).max(2);
        let low_bits = bits / 2;
        let mask = |bits: u32| (1_u64 << bits) - 1;
        let mut draw = seed.draw();
        Permutation {
            bound,
            low_bits,
            low_mask: mask(low_bits),
            high_mask: mask(bits - low_bits),
            keys: std::array::from_fn(|_| draw.bits()),
        }
    }

    #[inline]
    fn at(&self, mut number: u64) -> u64 {
        loop {
            number = self.step(number);
            if number < self.bound {
                return number;
            }
        }
    }

    #[inline]
    fn step(&self, number: u64) -> u64 {
        let (mut high, mut low) = (number >> self.low_bits, number & self.low_mask);
        for [one, other] in self.keys.as_chunks::<2>().0 {
            high ^= mix(low ^ one) & self.high_mask;
            low ^= mix(high ^ other) & self.low_mask;
        }
        high << self.low_bits | low
    }
}

/// A multiplication, whose high half is folded into the low one: that depends on all bits.
#[inline]
fn mix(bits: u64) -> u64 {
    let product = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}

#[cfg(test)]
mod tests;
