//! What a simulated drive is made of: profiles shipped or read from a file, and overrides of their keys.

mod check;
mod error;
mod limits;
mod load;
mod needs;
mod parameters;
mod row;
mod shape;
mod shipped;
mod table;
mod units;

use drivelab_block::{ByteCount, Geometry};

pub use error::ProfileError;
use parameters::Kind;
pub(crate) use parameters::{
    Collection, DiskParameters, EnergyParameters, FaultParameters, FlashParameters, HealthKind,
    HealthParameters, Parameters, PowerStateParameters, QueuedReads, SlcFull, StallParameters,
    ThermalParameters, TrimModel, WriteCache,
};
pub use row::Key;
pub(crate) use shape::{DriveShape, MAP_PAGE_BYTES, UNIT_BYTES};
pub use shipped::{shipped_profiles, shipped_toml};
pub use table::keys;

/// The least and the greatest size that a profile takes where nothing else is changed: whole powers of two from
/// 64 MiB up, and whole TiB from 15 down. They are found by the very check that a size has to pass.
pub fn sizes(name: &str) -> (ByteCount, ByteCount) {
    let takes = |bytes: &u64| Spec::parse(&format!("{name}?size={bytes}B")).is_ok();
    let least = (26..44).map(|bits| 1u64 << bits).find(takes);
    let most = (1..=15).rev().map(|tib| tib << 40).find(takes);
    (ByteCount::new(least.unwrap_or(0)), ByteCount::new(most.unwrap_or(0)))
}

/// Reads what stands behind `sim:`.
#[derive(Clone, Copy, Debug)]
pub struct Spec;

impl Spec {
    /// Reads `PROFILE` or `FILE.toml`, with overrides: `sm2246en?size=64GiB&over_provisioning=12%`.
    ///
    /// With `size` overridden, the over-provisioning is kept and the raw flash follows, unless either is
    /// given too; and blocks are made smaller, where the drive would otherwise be left with too few of them.
    ///
    /// # Errors
    /// One line that names the key and the value and says what to do.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        Profile::check(load::load(text)?)
    }
}

/// A drive that can be simulated: every value is in range, and they fit each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    name: String,
    /// Whether it comes from a file of the user's, which may change from one run to the next.
    pub is_of_file: bool,
    pub(crate) parameters: Parameters,
    /// The flash in whole blocks; none of a disk.
    pub(crate) shape: Option<DriveShape>,
}

impl Profile {
    fn check(mut loaded: load::Loaded) -> Result<Profile, ProfileError> {
        needs::settle_spreads(&mut loaded);
        needs::settle(&mut loaded)?;
        limits::check(&loaded)?;
        check::check(&loaded.parameters)?;
        let shape = match loaded.parameters.kind {
            Kind::Flash => Some(DriveShape::from_parameters(&loaded.parameters, loaded.may_shrink_blocks)?),
            Kind::Disk => None,
        };
        shape.as_ref().map_or(Ok(()), |shape| limits::check_pools(&loaded, shape))?;
        let load::Loaded { name, is_of_file, parameters, .. } = loaded;
        Ok(Profile { name, is_of_file, parameters, shape })
    }

    /// The profile's name: a shipped one's, or the file's without its ending.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// One line about the drive.
    pub fn description(&self) -> &str {
        &self.parameters.description
    }

    /// What a report calls the drive's model: the name and the capacity.
    pub fn model(&self) -> String {
        format!("sim {} {}", self.name, self.user_capacity())
    }

    /// A number that tells it from a profile of other values, whatever the names of both: FNV-1a over its parameters.
    pub fn fingerprint(&self) -> u64 {
        let text = format!("{:?}", self.parameters);
        text.bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    }

    /// What a workload has to know.
    pub fn geometry(&self) -> Geometry {
        let logical_block = u32::try_from(self.parameters.logical_block).unwrap_or(4096);
        let physical_block = match self.parameters.kind {
            Kind::Flash => 4096,
            Kind::Disk => logical_block.max(4096),
        };
        Geometry { capacity: self.user_capacity(), logical_block, physical_block }
    }

    /// Whether it is flash, not a disk.
    pub fn has_flash(&self) -> bool {
        self.parameters.kind == Kind::Flash
    }

    /// Whether it takes discards, whatever it makes of them. A disk takes none.
    pub fn takes_discards(&self) -> bool {
        self.has_flash() && self.parameters.flash.trim != TrimModel::Absent
    }

    /// Whether it has a temperature.
    pub fn has_temperature(&self) -> bool {
        self.parameters.thermal.resistance > 0
    }

    /// User-accessible bytes: whole mapping units.
    pub fn user_capacity(&self) -> ByteCount {
        ByteCount::new(self.parameters.size / UNIT_BYTES * UNIT_BYTES)
    }

    /// All the flash; a disk has no more than its capacity.
    pub fn raw_capacity(&self) -> ByteCount {
        self.shape.as_ref().map_or(self.user_capacity(), |shape| ByteCount::new(shape.raw_bytes()))
    }

    /// (raw - user) / user.
    pub fn over_provisioning(&self) -> f64 {
        let user = self.user_capacity().get() as f64;
        (self.raw_capacity().get() as f64 - user) / user
    }

    /// Flash that never holds data while collection runs: free blocks, and what is empty in the frontiers.
    pub fn collection_reserve(&self) -> ByteCount {
        self.shape.as_ref().map_or(ByteCount::new(0), |shape| {
            ByteCount::new(shape.collection_reserve(self.parameters.flash.collection))
        })
    }

    /// alpha = (raw - collection reserve) / `range`, for a host that uses only `range` of the drive: what the
    /// write amplification of uniform random writes depends on (Desnoyers, 2014). 1 for a disk.
    pub fn alpha(&self, range: ByteCount) -> f64 {
        if self.shape.is_none() {
            return 1.0;
        }
        (self.raw_capacity().get() - self.collection_reserve().get()) as f64 / range.get().max(1) as f64
    }

    /// Mapping units in an erase block, over all planes; none for a disk.
    pub fn units_per_block(&self) -> Option<u64> {
        self.shape.as_ref().map(|shape| u64::from(shape.units_per_block))
    }
}
