//! All that describes a drive, in base units: bytes, nanoseconds, bytes a second, millionths.

use crate::truth::FaultKind;

/// What stores the bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Flash,
    Disk,
}

/// When a flash drive collects while the host is writing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Collection {
    /// Host writes first as long as a block is free; then a burst of collection on all dies.
    Foreground,
    /// A few moves with every program, so that the number of free blocks stays level.
    Interleaved,
}

/// What the drive does with a discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TrimModel {
    /// Forgets the contents.
    Honoured,
    /// Does not have the command.
    Absent,
    /// Answers well and does nothing.
    Ignored,
}

/// How the size of the SLC cache is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlcKind {
    /// Blocks set aside, never used for anything else.
    Static,
    /// Blocks borrowed from the free ones, as long as there are enough.
    Dynamic,
}

/// What a read waits for whose die has more to do than a program takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum QueuedReads {
    /// For what is left of the operation under way, as if all that waits were programs.
    Pass,
    /// The same, but for reads where nothing but reads is before it: for all of them.
    Wait,
}

/// What a host write does when the SLC cache is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SlcFull {
    /// Waits for older data to be folded, and still goes through the cache.
    Fold,
    /// Goes to the dense cells directly.
    Direct,
    /// Goes to the dense cells directly as long as there are free blocks, and then waits for older data to be folded.
    DirectThenFold,
}

/// What a power cut takes of the write buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteCache {
    /// All that is not programmed.
    Volatile,
    /// Nothing: capacitors last until it is programmed.
    Protected,
}

/// The health log that a drive keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HealthKind {
    Absent,
    Ata,
    Nvme,
}

/// One drive. Every field has its row in the table of keys, which says what it means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameters {
    pub(crate) description: String,
    pub(crate) kind: Kind,
    pub(crate) size: u64,
    pub(crate) logical_block: u64,
    pub(crate) link: u64,
    pub(crate) command_time: u64,
    pub(crate) read_command_time: u64,
    pub(crate) unit_time: u64,
    pub(crate) controller_noise: u64,
    pub(crate) flash: FlashParameters,
    pub(crate) disk: DiskParameters,
    pub(crate) stalls: StallParameters,
    pub(crate) faults: FaultParameters,
    pub(crate) energy: EnergyParameters,
    pub(crate) health: HealthParameters,
    pub(crate) thermal: ThermalParameters,
    pub(crate) power_states: [PowerStateParameters; 4],
}

/// How warm a drive gets, and what it does about that: thousandths of K/W, of J/K and of degrees Celsius; millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ThermalParameters {
    pub(crate) resistance: u64,
    pub(crate) capacity: u64,
    pub(crate) ambient: u64,
    pub(crate) limit: u64,
    pub(crate) hysteresis: u64,
    pub(crate) throttle: u64,
}

/// A non-operational power state: nanoseconds and microwatts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PowerStateParameters {
    pub(crate) after: u64,
    pub(crate) exit: u64,
    pub(crate) power: u64,
}

/// What a drive says of its own health.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HealthParameters {
    pub(crate) kind: HealthKind,
    pub(crate) rated_erases: u64,
    pub(crate) delay_bad_blocks: u64,
}

/// The flash drive's own keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FlashParameters {
    pub(crate) raw: u64,
    pub(crate) over_provisioning: u64,
    pub(crate) dies: u64,
    pub(crate) channels: u64,
    pub(crate) planes: u64,
    pub(crate) page: u64,
    pub(crate) pages_per_block: u64,
    pub(crate) read: u64,
    pub(crate) queued_reads: QueuedReads,
    pub(crate) program: u64,
    pub(crate) erase: u64,
    pub(crate) bus: u64,
    pub(crate) move_time: u64,
    pub(crate) write_buffer: u64,
    pub(crate) write_cache: WriteCache,
    pub(crate) flush_time: u64,
    pub(crate) collection: Collection,
    pub(crate) collect_pool: u64,
    pub(crate) collect_quantum: u64,
    pub(crate) idle_collect_after: u64,
    pub(crate) idle_collect_pool: u64,
    pub(crate) trim: TrimModel,
    pub(crate) trim_time: u64,
    pub(crate) bits_per_cell: u64,
    pub(crate) slc_cache: u64,
    pub(crate) slc_min: u64,
    pub(crate) slc_share: u64,
    pub(crate) slc_empty_rate: u64,
    pub(crate) slc_kind: SlcKind,
    pub(crate) slc_full: SlcFull,
    pub(crate) slc_program: u64,
    pub(crate) map_segment: u64,
    pub(crate) split_time: u64,
    pub(crate) map_cache: u64,
    pub(crate) map_miss: u64,
}

/// The mechanical disk's own keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DiskParameters {
    pub(crate) rpm: u64,
    pub(crate) outer_rate: u64,
    pub(crate) inner_rate: u64,
    pub(crate) seek_track: u64,
    pub(crate) seek_full: u64,
    pub(crate) read_ahead: u64,
}

/// Delays and freezes that any drive may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StallParameters {
    pub(crate) delay_every: u64,
    pub(crate) delay_every_deviation: u64,
    pub(crate) delay: u64,
    pub(crate) delay_deviation: u64,
    pub(crate) freeze_every: u64,
    pub(crate) freeze_for: u64,
    pub(crate) hang_at: u64,
    pub(crate) hang_for: u64,
}

/// What a drive draws: microwatts, and nanojoules for each operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnergyParameters {
    pub(crate) idle_power: u64,
    pub(crate) read: u64,
    pub(crate) program: u64,
    pub(crate) slc_program: u64,
    pub(crate) erase: u64,
    pub(crate) seek: u64,
    pub(crate) transfer: u64,
}

impl Default for EnergyParameters {
    /// A SATA drive that idles without the link's power states, 0.3 W (data sheets of consumer drives: 0.05 W to 0.5 W);
    /// flash that draws 20 mA at 3.3 V while it works (data sheets of MLC: 15 mA to 50 mA), for the default times of
    /// reading, programming and erasing; and 2 uJ for the controller and the link to carry 4 KiB, so that writing
    /// 500 MB/s takes 3.1 W (data sheets: 2 W to 4 W). A seek is that of a 3.5-inch disk: 2 W more for 10 ms.
    fn default() -> EnergyParameters {
        EnergyParameters {
            idle_power: 300_000,
            read: 6_600,
            program: 85_000,
            slc_program: 13_000,
            erase: 200_000,
            seek: 20_000_000,
            transfer: 2_000,
        }
    }
}

/// How often a drive lies, in write commands from one lie to the next; and from which address, I/O or time on it does not do
/// what is asked. 0: never.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct FaultParameters {
    pub(crate) drop: u64,
    pub(crate) revert: u64,
    pub(crate) tear: u64,
    pub(crate) misdirect: u64,
    pub(crate) flip: u64,
    pub(crate) fail_from: u64,
    pub(crate) fail_every: u64,
    pub(crate) wrap_at: u64,
    pub(crate) zeros_from: u64,
    pub(crate) read_only_at: u64,
    pub(crate) gone_at: u64,
}

impl FaultParameters {
    /// Write commands from one lie of this kind to the next, on average.
    pub(crate) fn every(&self, kind: FaultKind) -> u64 {
        match kind {
            FaultKind::Dropped => self.drop,
            FaultKind::Reverted => self.revert,
            FaultKind::Torn => self.tear,
            FaultKind::Misdirected => self.misdirect,
            FaultKind::Flipped => self.flip,
        }
    }
}

impl Default for Parameters {
    /// A small, plain flash drive: what a profile file does not say is as it is here.
    fn default() -> Parameters {
        Parameters {
            description: String::new(),
            kind: Kind::Flash,
            size: 0,
            logical_block: 512,
            link: 550_000_000,
            command_time: 5_000,
            read_command_time: 5_000,
            unit_time: 1_000,
            controller_noise: 0,
            flash: FlashParameters::default(),
            disk: DiskParameters {
                rpm: 7_200,
                outer_rate: 210_000_000,
                inner_rate: 100_000_000,
                seek_track: 1_000_000,
                seek_full: 16_000_000,
                read_ahead: 1 << 20,
            },
            stalls: StallParameters {
                delay_every: 0,
                delay_every_deviation: 0,
                delay: 0,
                delay_deviation: 0,
                freeze_every: 0,
                freeze_for: 0,
                hang_at: 0,
                hang_for: 0,
            },
            faults: FaultParameters::default(),
            energy: EnergyParameters::default(),
            health: HealthParameters {
                kind: HealthKind::Absent,
                // Data sheets and tests of endurance of MLC and of TLC in three dimensions: 1000 to 5000.
                rated_erases: 3_000,
                delay_bad_blocks: 0,
            },
            thermal: ThermalParameters {
                resistance: 0,
                capacity: 30_000,
                ambient: 25_000,
                limit: 0,
                hysteresis: 5_000,
                throttle: 500_000,
            },
            power_states: [PowerStateParameters::default(); 4],
        }
    }
}

impl Default for FlashParameters {
    /// The flash is the Micron 64 Gb MLC of the model's table of timings.
    fn default() -> FlashParameters {
        FlashParameters {
            raw: 0,
            over_provisioning: 70_000,
            dies: 16,
            channels: 8,
            planes: 2,
            page: 8 << 10,
            pages_per_block: 256,
            read: 100_000,
            queued_reads: QueuedReads::Pass,
            program: 1_300_000,
            erase: 3_000_000,
            bus: 200_000_000,
            move_time: 0,
            write_buffer: 0,
            write_cache: WriteCache::Volatile,
            flush_time: 0,
            collection: Collection::Interleaved,
            collect_pool: 0,
            collect_quantum: 0,
            idle_collect_after: 0,
            idle_collect_pool: 0,
            trim: TrimModel::Honoured,
            trim_time: 100_000,
            bits_per_cell: 2,
            slc_cache: 0,
            slc_min: 0,
            slc_share: 0,
            slc_empty_rate: 0,
            slc_kind: SlcKind::Static,
            slc_full: SlcFull::Fold,
            slc_program: 200_000,
            map_segment: 1 << 20,
            split_time: 0,
            map_cache: 0,
            map_miss: 0,
        }
    }
}
