//! A synthetic workload: one block size, one order, one mix.

use drivelab_block::{Extent, Op};

use crate::{Addresses, Ask, Draw, Next, Order, Seed, Span, Workload};

/// Which operations are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mix {
    /// One operation only.
    Only(Op),
    /// Reads and writes, drawn independently.
    ReadPercent(u8),
}

/// Blocks of one size, in one order, of one mix, from one seed.
#[derive(Clone, Debug)]
pub struct Synthetic {
    addresses: Addresses,
    mix: Mix,
    draw: Draw,
}

impl Synthetic {
    /// The workload over `span`.
    pub fn new(span: Span, order: Order, mix: Mix, seed: Seed) -> Synthetic {
        Synthetic { addresses: Addresses::new(span, order, seed), mix, draw: seed.child("mix").draw() }
    }

    #[inline]
    fn op(&mut self) -> Op {
        match self.mix {
            Mix::Only(op) => op,
            Mix::ReadPercent(percent) if self.draw.below(100) < u64::from(percent) => Op::Read,
            Mix::ReadPercent(_) => Op::Write,
        }
    }
}

impl Workload for Synthetic {
    #[inline]
    fn next_ask(&mut self) -> Next {
        let Some(extent) = self.addresses.next() else { return Next::End };
        let op = self.op();
        // A flush is of the whole drive: it has no address and moves no byte.
        let extent = if op == Op::Flush { Extent::default() } else { extent };
        Next::Ask(Ask { due: None, op, extent })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{ByteCount, Sector, SectorCount};

    #[test]
    fn a_mix_comes_out_as_asked_and_does_not_shift_the_addresses() {
        let span =
            Span::new(Sector::new(0), ByteCount::new(1 << 30), SectorCount::new(8)).expect("blocks fit");
        let mut mixed = Synthetic::new(span, Order::Uniform, Mix::ReadPercent(30), Seed::new(9));
        let mut writes = Synthetic::new(span, Order::Uniform, Mix::Only(Op::Write), Seed::new(9));
        let mut reads = 0;
        for _ in 0..10_000 {
            let (a, b) =
                (mixed.next_ask().ask().expect("endless"), writes.next_ask().ask().expect("endless"));
            assert_eq!(a.extent, b.extent);
            reads += u32::from(a.op == Op::Read);
        }
        // Five standard deviations of a binomial of 10,000 at 30 %.
        assert!((2_771..=3_229).contains(&reads), "{reads}");
    }
}
