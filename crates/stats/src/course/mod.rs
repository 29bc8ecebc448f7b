//! The course of a trace: what was asked, and how it went, over busy time and by the clock. Collected where a page wants it.

mod addresses;
mod clock;

pub use addresses::AddressMap;
pub use clock::LONG_IDLE;

use drivelab_block::{Nanos, Op, TracedIo};

use crate::bunching::THRESHOLDS;
use crate::joined::{Joining, joined_by};
use clock::CourseClock;

/// Devices whose addresses are mapped: half a megabyte each.
const MAPS_MAX: usize = 16;

/// What began in one column of time. Reads come first in all pairs, then writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CourseBin {
    /// When the first of it began, on the trace's own clock in nanoseconds; `None` for an empty bin.
    pub began: Option<u64>,
    /// Requests.
    pub requests: [u64; 2],
    /// Bytes asked for.
    pub bytes: [u64; 2],
    /// Slow ones by threshold, the relative one last, as [`crate::Bunching::thresholds`] lists them.
    pub slow: [[u32; THRESHOLDS.len() + 1]; 2],
    /// The longest service time, in nanoseconds.
    pub worst: [u64; 2],
    /// The sum over all requests of how many were in flight, each with itself.
    pub depth_sum: u64,
    /// The requests in that sum: those whose duration is known.
    pub depth_count: u64,
    /// The greatest of them.
    pub depth_max: u64,
    /// How often idle time was cut out before a request of it.
    pub cuts: u32,
    /// How much, in nanoseconds.
    pub cut_nanos: u64,
}

impl CourseBin {
    fn join(&mut self, right: &CourseBin) {
        self.began = self.began.or(right.began);
        for direction in 0..2 {
            self.requests[direction] += right.requests[direction];
            self.bytes[direction] += right.bytes[direction];
            self.worst[direction] = self.worst[direction].max(right.worst[direction]);
            let slow = self.slow[direction].iter_mut().zip(right.slow[direction]);
            slow.for_each(|(sum, count)| *sum = sum.saturating_add(count));
        }
        self.depth_sum += right.depth_sum;
        self.depth_count += right.depth_count;
        self.depth_max = self.depth_max.max(right.depth_max);
        self.cuts += right.cuts;
        self.cut_nanos += right.cut_nanos;
    }
}

#[derive(Clone, Debug)]
pub struct Courses {
    /// Over busy time.
    pub busy: Course,
    /// By the clock.
    pub by_clock: Course,
}

impl Courses {
    /// Those of a trace at whose beginning the clock had shown its day for this many nanoseconds.
    pub(crate) fn begun_at(nanos_of_day: u64) -> Courses {
        let clock = CourseClock::begun_at(nanos_of_day);
        Courses { busy: Course::default(), by_clock: Course { clock, ..Course::default() } }
    }

    pub(crate) fn add(&mut self, io: &TracedIo, slow: u8, depth: Option<u64>) {
        self.busy.add(io, slow, depth);
        self.by_clock.add(io, slow, depth);
    }
}

/// A trace over busy time, which is its own time without idle stretches of more than ten seconds, or by the clock.
///
/// A column is 1 ms wide at first; where more than 512 (of the clock, 720) are needed, neighbours are joined. Reads and writes
/// are counted, of other requests only how many are in flight.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// How wide its columns are, and when the first begins.
    pub clock: CourseClock,
    /// The columns.
    pub bins: Vec<CourseBin>,
    /// The addresses of each device, by its place in the trace's list; of the first sixteen.
    pub maps: Vec<AddressMap>,
    /// Reads and writes of further devices.
    pub unmapped: u64,
}

impl Course {
    /// Takes the next I/O, with a bit for each threshold at which it is slow and how many are in flight with it; none
    /// where its duration is not known.
    pub(crate) fn add(&mut self, io: &TracedIo, slow: u8, depth: Option<u64>) {
        let at = io.issued_at.as_nanos();
        let step = self.clock.step(at, at.saturating_add(io.service.map_or(0, Nanos::get)));
        step.joins.iter().for_each(|joining| self.join_columns(*joining));
        if self.bins.len() <= step.column {
            self.bins.resize(step.column + 1, CourseBin::default());
        }
        let bin = &mut self.bins[step.column];
        bin.began = bin.began.or(Some(at));
        if step.cut > 0 {
            bin.cuts += 1;
            bin.cut_nanos += step.cut;
        }
        if let Some(depth) = depth {
            bin.depth_sum += depth;
            bin.depth_count += 1;
            bin.depth_max = bin.depth_max.max(depth);
        }
        let direction = match io.op {
            Op::Read => 0,
            Op::Write => 1,
            Op::Discard | Op::Flush => return,
        };
        bin.requests[direction] += 1;
        bin.bytes[direction] += io.bytes().get();
        bin.worst[direction] = bin.worst[direction].max(io.service.map_or(0, Nanos::get));
        if slow != 0 {
            let counts = bin.slow[direction].iter_mut().enumerate();
            counts.for_each(|(place, count)| *count += u32::from(slow >> place & 1));
        }
        self.map(io, step.column, direction);
    }

    fn map(&mut self, io: &TracedIo, column: usize, direction: usize) {
        let device = usize::from(io.device.0);
        if device >= MAPS_MAX {
            self.unmapped += 1;
            return;
        }
        if self.maps.len() <= device {
            self.maps.resize(device + 1, AddressMap::default());
        }
        self.maps[device].add(column, direction, io.extent.start.get());
    }

    fn join_columns(&mut self, joining: Joining) {
        joined_by(&mut self.bins, joining, CourseBin::join);
        self.maps.iter_mut().for_each(|map| map.join_columns(joining));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::{DeviceId, Extent, Instant, Sector, SectorCount};

    fn read(at: u64, device: u16) -> TracedIo {
        let extent = Extent { start: Sector::new(at / 1_000_000_000), length: SectorCount::new(8) };
        let io = TracedIo::new(Instant::from_nanos(at), Op::Read, extent);
        TracedIo { service: Some(Nanos::new(1_000_000)), device: DeviceId(device), ..io }
    }

    #[test]
    fn weeks_of_idle_time_are_cut_out_and_nothing_else_is_lost() {
        let mut course = Course::default();
        let second = 1_000_000_000;
        // Ten minutes of a read a second, every hour for two weeks; the first begins late on the clock.
        for hour in 0..336u64 {
            (0..600)
                .for_each(|number| course.add(&read((hour * 3_600 + number + 7) * second, 0), 0, Some(2)));
        }
        assert!(course.bins.len() <= clock::COLUMNS_MAX);
        let sum = |of: fn(&CourseBin) -> u64| course.bins.iter().map(of).sum::<u64>();
        assert_eq!(sum(|bin| bin.requests[0]), 336 * 600);
        assert_eq!(sum(|bin| u64::from(bin.cuts)), 335);
        assert_eq!(sum(|bin| bin.cut_nanos), 335 * (3_001 * second - 1_000_000));
        let busy = course.bins.len() as u64 * course.clock.column_nanos;
        assert!(busy.abs_diff(336 * 599 * second) <= 2 * course.clock.column_nanos);
        assert_eq!(course.bins[0].began, Some(7 * second));
        let mapped = course.maps[0].columns(0).flatten().map(u64::from).sum::<u64>();
        assert_eq!((mapped, course.maps[0].requests), (336 * 600, 336 * 600));
    }

    #[test]
    fn a_column_counts_what_began_in_it() {
        let mut course = Course::default();
        let io = |at: u64, op: Op, sectors: u32, service: Option<u64>| {
            let extent = Extent { start: Sector::new(0), length: SectorCount::new(sectors) };
            let service = service.map(Nanos::new);
            TracedIo { service, ..TracedIo::new(Instant::from_nanos(at), op, extent) }
        };
        // Slow at the second threshold and at ten medians, then at the second alone.
        course.add(&io(5_000, Op::Write, 8, Some(40)), 0b1000_0010, Some(1));
        course.add(&io(6_000, Op::Write, 16, Some(90)), 0b10, Some(5));
        course.add(&io(7_000, Op::Read, 1, Some(30)), 0, Some(2));
        course.add(&io(8_000, Op::Write, 1, None), 0, None);
        course.add(&io(9_000, Op::Flush, 0, Some(30)), 0, Some(3));
        let mut slow = [[0; THRESHOLDS.len() + 1]; 2];
        (slow[1][1], slow[1][7]) = (2, 1);
        let first = CourseBin {
            began: Some(5_000),
            requests: [1, 3],
            bytes: [512, 25 * 512],
            slow,
            worst: [30, 90],
            depth_sum: 11,
            depth_count: 4,
            depth_max: 5,
            cuts: 0,
            cut_nanos: 0,
        };
        assert_eq!(course.bins, [first]);
        // What is busy until 9,030 ns is idle for more than ten seconds then, twice.
        let later = 9_030 + LONG_IDLE + 1;
        course.add(&io(later, Op::Read, 1, Some(10)), 0, None);
        course.add(&io(later + LONG_IDLE + 11, Op::Read, 1, Some(10)), 0, None);
        let found = course.bins[0];
        assert_eq!((course.bins.len(), found.requests, found.cuts), (1, [3, 3], 2));
        assert_eq!(found.cut_nanos, 2 * (LONG_IDLE + 1));
        // Ten seconds and no more are shown.
        course.add(&io(later + 2 * LONG_IDLE + 21, Op::Read, 1, Some(10)), 0, None);
        assert_eq!((course.bins[0].cuts, course.bins[0].requests), (2, [3, 3]));
    }

    /// Each request is in the column of the time at which the clock showed it, whatever the first second, and columns begin at a
    /// whole number of their widths after midnight.
    #[test]
    fn columns_of_the_clock_hold_what_was_issued_in_them() {
        let (second, hour) = (1_000_000_000_u64, 3_600_000_000_000_u64);
        let lead = 13 * hour + 37 * 60 * second + 20_548_000_000;
        for (count, apart, width) in [
            (700, 900 * 1_000_000, second),
            (5_000, 60 * second, 10 * 60 * second),
            (336, hour, hour / 2),
            (400, hour, hour),
        ] {
            let mut course = Courses::begun_at(lead).by_clock;
            let issued = |number: u64| 7 * second + number * apart;
            (0..count).for_each(|number| course.add(&read(issued(number), 0), 0, None));
            assert_eq!(course.clock.column_nanos, width, "{count} requests");
            let begins = course.clock.begins();
            assert_eq!(
                (begins + i128::from(lead)).rem_euclid(i128::from(width)),
                0,
                "a round time of the clock"
            );
            let mapped: Vec<u32> = course.maps[0].columns(0).map(|rows| rows.iter().sum()).collect();
            for (number, bin) in course.bins.iter().enumerate() {
                let from = begins + number as i128 * i128::from(width);
                let within = from..from + i128::from(width);
                let held =
                    (0..count).filter(|number| within.contains(&i128::from(issued(*number)))).count() as u64;
                assert_eq!((bin.requests[0], bin.cuts), (held, 0), "column {number} of {count} requests");
                assert_eq!(u64::from(mapped[number]), held);
            }
        }
    }

    #[test]
    fn where_there_are_too_many_columns_each_becomes_one_with_its_neighbour() {
        let mut course = Course::default();
        (0..513).for_each(|ms| course.add(&read(ms * 1_000_000, 0), 1, Some(ms)));
        assert_eq!((course.bins.len(), course.clock.column_nanos), (257, 2_000_000));
        let (third, last) = (course.bins[2], course.bins[256]);
        assert_eq!((third.began, third.requests, third.bytes), (Some(4_000_000), [2, 0], [8_192, 0]));
        assert_eq!((third.slow[0][0], third.worst, third.depth_max), (2, [1_000_000, 0], 5));
        assert_eq!((third.depth_sum, third.depth_count), (9, 2));
        assert_eq!((last.began, last.requests), (Some(512_000_000), [1, 0]));
    }

    #[test]
    fn further_devices_are_counted() {
        let mut course = Course::default();
        (0..20).for_each(|device| course.add(&read(u64::from(device), device), 0, None));
        assert_eq!((course.maps.len(), course.unmapped), (16, 4));
    }
}
