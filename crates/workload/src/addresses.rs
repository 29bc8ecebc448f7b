//! In which order the blocks of a span are asked for.

use drivelab_block::{Extent, Sector};

use crate::{Draw, Seed, Span};

/// An order of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the first block to the last, once.
    SequentialOnce,
    /// From the first block to the last, again and again.
    Sequential,
    /// Every block equally likely, with replacement, for ever.
    Uniform,
}

/// The addresses of a workload, one after the other.
#[derive(Clone, Debug)]
pub struct Addresses {
    span: Span,
    order: Order,
    next_block: u64,
    draw: Draw,
}

impl Addresses {
    /// The addresses of `span` in this order.
    pub fn new(span: Span, order: Order, seed: Seed) -> Addresses {
        Addresses { span, order, next_block: 0, draw: seed.child("addresses").draw() }
    }

    #[inline]
    fn next_block(&mut self) -> Option<u64> {
        if self.order == Order::Uniform {
            return Some(self.draw.below(self.span.blocks()));
        }
        if self.next_block == self.span.blocks() {
            if self.order == Order::SequentialOnce {
                return None;
            }
            self.next_block = 0;
        }
        self.next_block += 1;
        Some(self.next_block - 1)
    }
}

impl Iterator for Addresses {
    type Item = Extent;

    #[inline]
    fn next(&mut self) -> Option<Extent> {
        let block = self.next_block()?;
        let start: Sector = self.span.sector_of(block);
        Some(Extent { start, length: self.span.block() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{ByteCount, SectorCount};

    fn span(blocks: u64) -> Span {
        Span::new(Sector::new(80), ByteCount::new(blocks * 4096), SectorCount::new(8)).expect("blocks fit")
    }

    #[test]
    fn a_fill_visits_every_block_once() {
        let starts: Vec<u64> = Addresses::new(span(5), Order::SequentialOnce, Seed::new(1))
            .map(|extent| extent.start.get())
            .collect();
        assert_eq!(starts, [80, 88, 96, 104, 112]);
    }

    #[test]
    fn uniform_addresses_pass_a_chi_square_test() {
        let mut counts = [0u32; 64];
        for extent in Addresses::new(span(64), Order::Uniform, Seed::new(7)).take(64_000) {
            counts[usize::try_from((extent.start.get() - 80) / 8).expect("a block of the span")] += 1;
        }
        let chi_square: f64 = counts.iter().map(|count| (f64::from(*count) - 1000.0).powi(2) / 1000.0).sum();
        // 63 degrees of freedom: the 0.1 % and 99.9 % points.
        assert!((33.0..=104.0).contains(&chi_square), "{chi_square}");
    }
}
