//! What the drive's own health counters report, and readings of them in virtual time.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use drivelab_block::{ByteCount, Instant, Nanos};

use crate::ftl::Wear;
use crate::heat::HeatLog;
use crate::profile::{HealthKind, HealthParameters};
use crate::truth::Counts;

/// How often a suspicion is looked at, in nanoseconds.
const EVERY: u64 = 1_000_000_000;
/// The least time between two readings, in nanoseconds.
const LEAST_APART: u64 = 30 * EVERY;

/// The kind of health log that a drive keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HealthProtocol {
    /// Attributes of an ATA drive.
    Ata,
    /// The health log of an NVMe drive (log page 02h).
    Nvme,
}

/// A drive's health counters. All count from the making of the drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthLog {
    /// The kind of log that they are of.
    pub protocol: HealthProtocol,
    /// Virtual time since the drive was made: it is powered all the time.
    pub power_on: Nanos,
    /// Write commands.
    pub host_writes: u64,
    /// Read commands.
    pub host_reads: u64,
    /// Bytes that the host wrote.
    pub host_written: ByteCount,
    /// Bytes that the host read.
    pub host_read: ByteCount,
    /// Attribute 183: `delay_bad_blocks` for each delay. `None` where the drive has no such attribute.
    pub runtime_bad_blocks: Option<u64>,
    /// The wear of the flash; none of a disk.
    pub flash: Option<FlashWear>,
    /// What a drive with a temperature reports of it.
    pub thermal: Option<HeatLog>,
}

/// What was read of a drive's health, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HealthReadings {
    /// Its counters; the first from the beginning of the watch, the last from its end.
    pub logs: Vec<(Instant, HealthLog)>,
    /// Its temperature twice a minute, in thousandths of a degree Celsius.
    pub milli_celsius: Vec<(Instant, u64)>,
}

/// How much of its endurance a drive's flash has used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashWear {
    /// Bytes programmed: for the host, for collection, and to fill programs up.
    pub written: ByteCount,
    /// Erases of a block on average, rounded down.
    pub mean_erases: u64,
    /// Erases of the block that was erased most often.
    pub most_erases: u64,
    /// Mean erases of a block relative to `rated_erases`, in percent, rounded down. It may exceed 100.
    pub percentage_used: u64,
}

impl HealthLog {
    /// The counters of a drive of this age; `None` where it keeps none.
    pub(crate) fn read(
        parameters: &HealthParameters,
        counts: &Counts,
        (wear, thermal): (Option<Wear>, Option<HeatLog>),
        (delays, now): (u64, u64),
    ) -> Option<HealthLog> {
        let protocol = match parameters.kind {
            HealthKind::Absent => return None,
            HealthKind::Ata => HealthProtocol::Ata,
            HealthKind::Nvme => HealthProtocol::Nvme,
        };
        let flash = wear.map(|wear| FlashWear {
            written: ByteCount::new(counts.flash_units * 4096),
            mean_erases: wear.erases / wear.blocks.max(1),
            most_erases: wear.most,
            percentage_used: wear.erases * 100 / (wear.blocks.max(1) * parameters.rated_erases),
        });
        Some(HealthLog {
            protocol,
            power_on: Nanos::new(now),
            host_writes: counts.host_writes,
            host_reads: counts.host_reads,
            host_written: ByteCount::new(counts.host_bytes),
            host_read: ByteCount::new(counts.host_read_bytes),
            runtime_bad_blocks: (parameters.delay_bad_blocks > 0)
                .then(|| delays * parameters.delay_bad_blocks),
            flash,
            thermal,
        })
    }
}

/// Readings of a drive's health counters by the rules of a real drive's watch: once a second it is looked whether a count
/// of suspicions has grown, and then the counters are read, at most twice a minute.
#[derive(Debug)]
pub(crate) struct HealthWatch {
    suspicions: Arc<AtomicU64>,
    answered: u64,
    /// When it looks again, in nanoseconds.
    pub(crate) due: u64,
    last_read: Option<u64>,
    next_temperature: u64,
    readings: HealthReadings,
}

impl HealthWatch {
    /// A watch that begins with a reading.
    pub(crate) fn new(now: u64, first: HealthLog, suspicions: Arc<AtomicU64>) -> HealthWatch {
        HealthWatch {
            answered: suspicions.load(Ordering::Relaxed),
            suspicions,
            due: now + EVERY,
            last_read: None,
            next_temperature: now,
            readings: HealthReadings {
                logs: vec![(Instant::from_nanos(now), first)],
                milli_celsius: Vec::new(),
            },
        }
    }

    /// Looks at `now`, and reads the counters where that is time.
    pub(crate) fn look(&mut self, now: u64, warm: Option<HeatLog>, read: impl FnOnce() -> Option<HealthLog>) {
        self.due = now + EVERY;
        if let Some(warm) = warm.filter(|_| now >= self.next_temperature) {
            self.next_temperature = now + LEAST_APART;
            self.readings.milli_celsius.push((Instant::from_nanos(now), warm.milli_celsius));
        }
        let suspicions = self.suspicions.load(Ordering::Relaxed);
        let is_time = self.last_read.is_none_or(|at| now >= at + LEAST_APART);
        if suspicions > self.answered && is_time {
            self.answered = suspicions;
            self.read(now, read());
        }
    }

    /// Ends with a last reading; returns all, oldest first, the first from the beginning of the watch.
    pub(crate) fn finish(mut self, now: u64, last: Option<HealthLog>) -> HealthReadings {
        self.read(now, last);
        self.readings
    }

    fn read(&mut self, now: u64, log: Option<HealthLog>) {
        self.last_read = Some(now);
        self.readings.logs.extend(log.map(|log| (Instant::from_nanos(now), log)));
    }
}
