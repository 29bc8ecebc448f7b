//! The sums of a closed interval, in little memory.

use drivelab_block::Op;

use crate::rollup::sums::BucketSums;
use crate::rollup::{RollupInterval, RollupSums};

/// The sums of one interval of several devices, which are known by numbers, in 10 to 15 bytes for each bucket that holds
/// something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedInterval {
    interval: RollupInterval,
    ios: u64,
    /// For each device and operation: its number, its operation, and how many buckets follow. For each bucket: how far it is
    /// behind the one before, and its four sums. All are numbers of 7 bits a byte, the lowest first.
    packed: Box<[u8]>,
}

/// The sums of a bucket of one device and operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedRow {
    /// The number of the device.
    pub device: u16,
    /// The operation.
    pub op: Op,
    /// The bucket of the service times; none of I/Os that failed or whose service time is not known.
    pub bucket: Option<u16>,
    /// How many I/Os, their bytes and times.
    pub sums: RollupSums,
}

impl PackedInterval {
    pub(crate) fn pack<'a>(
        interval: RollupInterval,
        groups: impl Iterator<Item = (u16, Op, &'a BucketSums)>,
    ) -> PackedInterval {
        let (mut packed, mut ios) = (Vec::new(), 0_u64);
        for (device, op, buckets) in groups {
            let rows = buckets.occupied().count();
            push_all(&mut packed, &[u64::from(device), u64::from(op.code()), rows as u64]);
            let mut before = 0;
            for (bucket, sums) in buckets.occupied() {
                let place = bucket.map_or(0, |bucket| u64::from(bucket) + 1);
                let RollupSums { ios: served, failed_ios, bytes, service_ns } = *sums;
                push_all(&mut packed, &[place - before, served, failed_ios, bytes, service_ns]);
                before = place;
                ios = ios.saturating_add(sums.ios).saturating_add(sums.failed_ios);
            }
        }
        PackedInterval { interval, ios, packed: packed.into_boxed_slice() }
    }

    /// The interval.
    pub const fn interval(&self) -> RollupInterval {
        self.interval
    }

    /// How many I/Os it counts, those included that failed.
    pub const fn ios(&self) -> u64 {
        self.ios
    }

    /// How much memory it takes, in bytes.
    pub fn bytes(&self) -> usize {
        size_of::<PackedInterval>() + self.packed.len()
    }

    /// Its rows, by device and operation, and there by bucket.
    pub fn rows(&self) -> impl Iterator<Item = PackedRow> {
        let mut rest = &*self.packed;
        let (mut group, mut left, mut place) = ((0, Op::Read), 0, 0);
        std::iter::from_fn(move || {
            while left == 0 {
                let device = u16::try_from(pop(&mut rest)?).ok()?;
                group = (device, Op::from_code(u8::try_from(pop(&mut rest)?).ok()?)?);
                (left, place) = (pop(&mut rest)?, 0);
            }
            left -= 1;
            place += pop(&mut rest)?;
            let bucket = place.checked_sub(1).and_then(|bucket| u16::try_from(bucket).ok());
            let sums = RollupSums {
                ios: pop(&mut rest)?,
                failed_ios: pop(&mut rest)?,
                bytes: pop(&mut rest)?,
                service_ns: pop(&mut rest)?,
            };
            Some(PackedRow { device: group.0, op: group.1, bucket, sums })
        })
    }
}

fn push_all(out: &mut Vec<u8>, numbers: &[u64]) {
    numbers.iter().for_each(|number| push(out, *number));
}

fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number.to_le_bytes()[0] | 0x80);
        number >>= 7;
    }
    out.push(number.to_le_bytes()[0]);
}

fn pop(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_is_read_as_it_was() {
        let sums =
            |ios, failed_ios| RollupSums { ios, failed_ios, bytes: ios << 12, service_ns: u64::MAX >> 1 };
        let (mut reads, mut flushes) = (BucketSums::default(), BucketSums::default());
        let rows =
            [(None, sums(0, 3)), (Some(0), sums(1, 0)), (Some(1), sums(200, 0)), (Some(7_423), sums(9, 0))];
        rows.iter().for_each(|(bucket, sums)| reads.add(*bucket, sums));
        flushes.add(Some(300), &sums(1 << 40, 0));
        let interval = RollupInterval::of_unix_nanos(1_795_507_500_000_000_000);
        let groups =
            [(3, Op::Read, &reads), (3, Op::Write, &BucketSums::default()), (400, Op::Flush, &flushes)];
        let packed = PackedInterval::pack(interval, groups.into_iter());
        let row = |device, op| move |&(bucket, sums)| PackedRow { device, op, bucket, sums };
        let mut expected: Vec<PackedRow> = rows.iter().map(row(3, Op::Read)).collect();
        expected.push(row(400, Op::Flush)(&(Some(300), sums(1 << 40, 0))));
        assert_eq!(packed.rows().collect::<Vec<_>>(), expected);
        assert_eq!((packed.interval(), packed.ios()), (interval, 3 + 1 + 200 + 9 + (1 << 40)));
    }
}
