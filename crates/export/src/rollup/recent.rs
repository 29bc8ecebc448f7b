//! Sums of I/Os that become known one after the other, almost in the order of their time.

use drivelab_block::{ByteCount, Op};

use crate::rollup::packed::PackedInterval;
use crate::rollup::sums::BucketSums;
use crate::rollup::{IoOutcome, RollupInterval};

/// Sums of the intervals that are not closed yet, which counting an I/O does not have to look for: it costs some nanoseconds. It
/// takes up to 240 KB of memory for each interval, device and operation.
#[derive(Clone, Debug, Default)]
pub struct RecentSums {
    /// The interval of the I/O before is the last one.
    open: Vec<OpenInterval>,
}

#[derive(Clone, Debug)]
struct OpenInterval {
    interval: RollupInterval,
    /// By device, and there by operation.
    groups: Vec<BucketSums>,
}

impl RecentSums {
    /// Counts an I/O of so many bytes that was issued in this interval to the device with this number.
    #[inline]
    pub fn add(
        &mut self,
        interval: RollupInterval,
        device: u16,
        op: Op,
        bytes: ByteCount,
        outcome: IoOutcome,
    ) {
        if self.open.last().is_none_or(|last| last.interval != interval) {
            self.bring_to_the_end(interval);
        }
        let Some(open) = self.open.last_mut() else { return };
        let place = usize::from(device) * Op::ALL.len() + usize::from(op.code());
        if place >= open.groups.len() {
            open.groups.resize(place + 1, BucketSums::default());
        }
        let (bucket, sums) = outcome.counted(bytes);
        open.groups[place].add(bucket, &sums);
    }

    fn bring_to_the_end(&mut self, interval: RollupInterval) {
        let known = self.open.iter().position(|open| open.interval == interval);
        let open = known.map(|place| self.open.remove(place));
        self.open.push(open.unwrap_or_else(|| OpenInterval { interval, groups: Vec::new() }));
    }

    /// Takes out everything before an interval, in the order of time.
    #[must_use]
    pub fn close_before(&mut self, interval: RollupInterval) -> Vec<PackedInterval> {
        self.close_where(|open| open < interval)
    }

    /// Takes out everything, in the order of time.
    #[must_use]
    pub fn close_all(&mut self) -> Vec<PackedInterval> {
        self.close_where(|_| true)
    }

    fn close_where(&mut self, is_closed: impl Fn(RollupInterval) -> bool) -> Vec<PackedInterval> {
        let closed = self.open.extract_if(.., |open| is_closed(open.interval));
        let mut closed: Vec<PackedInterval> = closed.map(|open| open.pack()).collect();
        closed.sort_by_key(PackedInterval::interval);
        closed
    }
}

impl OpenInterval {
    fn pack(&self) -> PackedInterval {
        let numbered = (0..=u16::MAX).flat_map(|device| Op::ALL.map(|op| (device, op)));
        let groups = numbered.zip(&self.groups).filter(|(_, buckets)| buckets.occupied().next().is_some());
        PackedInterval::pack(self.interval, groups.map(|((device, op), buckets)| (device, op, buckets)))
    }
}

#[cfg(test)]
mod tests {
    use drivelab_block::Nanos;

    use super::*;

    #[test]
    fn intervals_are_closed_in_their_order_and_late_ios_make_a_further_part_of_theirs() {
        let at = |number: u64| RollupInterval::of_unix_nanos(number * 300_000_000_000);
        let add = |sums: &mut RecentSums, number, device, op| {
            let outcome = IoOutcome::Served(Nanos::new(80_000));
            sums.add(at(number), device, op, ByteCount::new(4_096), outcome);
        };
        let mut sums = RecentSums::default();
        for (number, device, op) in [(7, 0, Op::Read), (8, 2, Op::Write), (7, 0, Op::Read), (6, 0, Op::Flush)]
        {
            add(&mut sums, number, device, op);
        }
        let closed = sums.close_before(at(8));
        let of = |packed: &PackedInterval| (packed.interval(), packed.ios());
        assert_eq!(closed.iter().map(of).collect::<Vec<_>>(), [(at(6), 1), (at(7), 2)]);
        assert!(sums.close_before(at(8)).is_empty());
        add(&mut sums, 7, 0, Op::Read);
        let rest = sums.close_all();
        assert_eq!(rest.iter().map(of).collect::<Vec<_>>(), [(at(7), 1), (at(8), 1)]);
        let row = rest[1].rows().next().expect("a row");
        assert_eq!((row.device, row.op, row.sums.bytes), (2, Op::Write, 4_096));
        assert!(sums.close_all().is_empty());
    }
}
