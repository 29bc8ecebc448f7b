//! All that describes a drive, in base units: bytes, nanoseconds, bytes a second, millionths.

/// What stores the bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    #[default]
    Flash,
    Disk,
}

/// When a flash drive collects while the host is writing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Collection {
    /// Host writes first as long as a block is free; then a burst of collection on all dies.
    Foreground,
    /// A few moves with every program, so that the number of free blocks stays level.
    #[default]
    Interleaved,
}

/// What the drive does with a discard.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TrimModel {
    /// Forgets the contents.
    #[default]
    Honoured,
    /// Does not have the command.
    Absent,
    /// Answers well and does nothing.
    Ignored,
}

/// How the size of the SLC cache is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SlcKind {
    /// Blocks set aside, never used for anything else.
    #[default]
    Static,
    /// Blocks borrowed from the free ones, as long as there are enough.
    Dynamic,
}

/// What a read waits for whose die has more to do than a program takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum QueuedReads {
    /// For what is left of the operation under way, as if all that waits were programs.
    #[default]
    Pass,
    /// The same, but for reads where nothing but reads is before it: for all of them.
    Wait,
}

/// What a host write does when the SLC cache is full.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum SlcFull {
    /// Waits for older data to be folded, and still goes through the cache.
    #[default]
    Fold,
    /// Goes to the dense cells directly.
    Direct,
    /// Goes to the dense cells directly as long as there are free blocks, and then waits for older data to be folded.
    DirectThenFold,
}

/// What a power cut takes of the write buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum WriteCache {
    /// All that is not programmed.
    #[default]
    Volatile,
    /// Nothing: capacitors last until it is programmed.
    Protected,
}

/// The health log that a drive keeps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum HealthKind {
    #[default]
    Absent,
    Ata,
    Nvme,
}

/// One drive. Every field has its row in the table of keys, which says what it means and what it is where it is not given: by
/// itself it is 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HealthParameters {
    pub(crate) kind: HealthKind,
    pub(crate) rated_erases: u64,
    pub(crate) delay_bad_blocks: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DiskParameters {
    pub(crate) rpm: u64,
    pub(crate) outer_rate: u64,
    pub(crate) inner_rate: u64,
    pub(crate) seek_track: u64,
    pub(crate) seek_full: u64,
    pub(crate) read_ahead: u64,
}

/// Delays and freezes that any drive may have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct EnergyParameters {
    pub(crate) idle_power: u64,
    pub(crate) read: u64,
    pub(crate) program: u64,
    pub(crate) slc_program: u64,
    pub(crate) erase: u64,
    pub(crate) seek: u64,
    pub(crate) transfer: u64,
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
