//! In which order the blocks of a span are asked for.

use drivelab_block::{Extent, Sector};

use crate::{Draw, OnePass, Seed, Span};

/// An order of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// From the first block to the last, once.
    SequentialOnce,
    /// From the first block to the last, again and again.
    Sequential,
    /// Every block equally likely, with replacement, for ever.
    Uniform,
    /// The sequence of [`OnePass`], which ends.
    OnePass {
        /// The flash beyond the span, over the span, in millionths: 75,000 where a span of 1000 blocks lies on flash of 1075.
        spare_millionths: u32,
    },
}

impl Order {
    /// How many blocks are asked for until the order ends, of a span of `blocks` blocks; none where it does not end.
    pub fn ends_after(self, blocks: u64) -> Option<u64> {
        match self {
            Order::SequentialOnce => Some(blocks),
            Order::Sequential | Order::Uniform => None,
            Order::OnePass { spare_millionths } => {
                let spare = u128::from(blocks) * u128::from(spare_millionths) / 1_000_000;
                Some(blocks.saturating_add(u64::try_from(spare).unwrap_or(u64::MAX)))
            }
        }
    }
}

/// The addresses of a workload, one after the other.
#[derive(Clone, Debug)]
pub struct Addresses {
    span: Span,
    places: BlockNumbers,
}

/// What the numbers of the blocks come from.
#[derive(Clone, Debug)]
enum BlockNumbers {
    Sequential { next: u64, repeats: bool },
    Uniform(Draw),
    OnePass(Box<OnePass>),
}

impl Addresses {
    /// The addresses of `span` in this order.
    pub fn new(span: Span, order: Order, seed: Seed) -> Addresses {
        let seed = seed.child("addresses");
        let places = match order {
            Order::SequentialOnce => BlockNumbers::Sequential { next: 0, repeats: false },
            Order::Sequential => BlockNumbers::Sequential { next: 0, repeats: true },
            Order::Uniform => BlockNumbers::Uniform(seed.draw()),
            Order::OnePass { .. } => {
                let writes = order.ends_after(span.blocks()).unwrap_or(span.blocks());
                BlockNumbers::OnePass(Box::new(OnePass::new(span.blocks(), writes, seed)))
            }
        };
        Addresses { span, places }
    }

    #[inline]
    fn next_block(&mut self) -> Option<u64> {
        match &mut self.places {
            BlockNumbers::Uniform(draw) => Some(draw.below(self.span.blocks())),
            BlockNumbers::OnePass(pass) => pass.next(),
            BlockNumbers::Sequential { next, repeats } => {
                if *next == self.span.blocks() {
                    if !*repeats {
                        return None;
                    }
                    *next = 0;
                }
                *next += 1;
                Some(*next - 1)
            }
        }
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
