//! What really happened in the drive, for tests and reports to compare with.

use drivelab_block::{ByteCount, EnergyAccount, Instant, Nanos, Sector, growing_counters, worded_enum};

use crate::heat::HeatLog;

growing_counters! {
    /// Exact counts of the drive's work.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Counts {
        /// Write commands.
        pub host_writes: u64,
        /// Bytes of write commands.
        pub host_bytes: u64,
        /// Read commands.
        pub host_reads: u64,
        /// Discard commands.
        pub discards: u64,
        /// Mapping units of 4 KiB programmed: for the host, for collection, and to fill programs up.
        pub flash_units: u64,
        /// Of these, units moved by collection and by folding.
        pub moved_units: u64,
        /// Collections: victim blocks erased.
        pub erased_blocks: u64,
        /// Bytes of read commands.
        pub host_read_bytes: u64,
        /// Multi-plane pages of flash read.
        pub page_reads: u64,
        /// Multi-plane programs, but for those in SLC mode.
        pub programs: u64,
        /// Multi-plane programs in SLC mode.
        pub slc_programs: u64,
        /// Seeks of a disk.
        pub seeks: u64,
        /// Pages of map entries that reads found in memory, of a drive with a `map_cache`.
        pub map_hits: u64,
        /// Pages of map entries that reads had to bring into memory.
        pub map_misses: u64,
    }
}

impl Counts {
    /// Media writes / host writes, in bytes; 1 before anything was written.
    pub fn write_amplification(&self) -> f64 {
        if self.host_bytes == 0 {
            return 1.0;
        }
        (self.flash_units * 4096) as f64 / self.host_bytes as f64
    }
}

/// A delay that the profile asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectedDelay {
    /// When the controller stopped: when it took up the write command that met the delay.
    pub at: Instant,
    /// For how long; the command's own work is done meanwhile.
    pub duration: Nanos,
    /// The write command that met it, counted from 1 since the drive was made.
    pub host_write: u64,
    /// Host bytes written since the delay before, or since the drive was made.
    pub written_since_previous: ByteCount,
}

worded_enum! {
    /// How a write can be answered well and yet not be on the drive.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum FaultKind {
        /// Nothing was stored: what was there before still is.
        Dropped = "dropped",
        /// It was stored, and reads bring back the older contents that it was written over all the same.
        Reverted = "reverted",
        /// Only the first part was stored.
        Torn = "torn",
        /// It was stored in another place, over what was there.
        Misdirected = "misdirected",
        /// A bit of it was changed.
        Flipped = "flipped",
    }
}

/// A lie that the profile asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InjectedFault {
    /// What happened.
    pub kind: FaultKind,
    /// The write command, counted from 1 since the drive was made.
    pub host_write: u64,
    /// The first sector that does not hold what was written: of a torn write, of a flipped bit's mapping unit.
    pub at: Sector,
    /// The first sector that a misdirected write was stored in.
    pub landed: Option<Sector>,
}

/// A mapping unit of 4 KiB whose last write a power cut took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostBlock {
    /// Its first sector.
    pub at: Sector,
    /// The write command that was lost, counted from 1 since the drive was made.
    pub write: u64,
    /// The write command whose contents are there now; `None` where nothing is.
    pub left: Option<u64>,
    /// Whether the host had got an answer to the write that was lost.
    pub was_answered: bool,
}

/// What a power cut did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PowerCut {
    /// When it came.
    pub at: Instant,
    /// Commands in flight, which are never answered.
    pub unanswered: u64,
    /// Every unit whose last write is lost, by its address.
    pub lost: Vec<LostBlock>,
}

/// The SLC cache at a moment. Sizes count whole blocks in SLC mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlcCache {
    /// What it may hold now; of a dynamic cache this follows the free space.
    pub size: ByteCount,
    /// What its blocks hold, or held before it was overwritten, and are not erased yet.
    pub used: ByteCount,
    /// Host data that still fits: the knee of a sequential write lies this many bytes ahead.
    pub left: ByteCount,
}

/// What is known of a run because the drive was simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct GroundTruth {
    /// Work since the drive was made.
    pub lifetime: Counts,
    /// Every delay since the drive was made, oldest first.
    pub delays: Vec<InjectedDelay>,
    /// Every lie since the drive was made, oldest first.
    pub faults: Vec<InjectedFault>,
    /// Freezes that began since the drive was made.
    pub freezes: u64,
    /// The bytes that the drive keeps, where it announces more.
    pub keeps: Option<ByteCount>,
    /// I/Os that failed because the profile says so, since the drive was made.
    pub failed_ios: u64,
    /// Mapping units that hold data.
    pub mapped_units: u64,
    /// Energy since the drive was made.
    pub energy: EnergyAccount,
    /// Every power cut since the drive was made, oldest first.
    pub power_cuts: Vec<PowerCut>,
    /// The SLC cache now; none of a drive without one.
    pub slc_cache: Option<SlcCache>,
    /// The temperature, and throttling since the drive was made; none of a drive without a temperature.
    pub thermal: Option<HeatLog>,
}
