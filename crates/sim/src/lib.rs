//! The simulated drive, in virtual time.
//!
//! A [`SimDrive`] answers to the same calls as a real one ([`drivelab_block::Engine`]) and knows the truth
//! about itself: its write amplification, its collections, each delay that was injected. What it is like is
//! said by a [`Profile`]: one that comes with the program, or a TOML file, with overrides.
//!
//! The modules, each above what it uses: `drive` (the engine) > `flash` (policy and timing of a flash drive),
//! `disk` > `controller`, `cache`, `nand` (time) > `ftl` (where data is; no time) > `profile`.
//!
//! ```
//! use drivelab_sim::{SimDrive, Spec};
//!
//! let profile = Spec::parse("sm2246en?size=8GiB")?;
//! let drive = SimDrive::new(&profile, 1);
//! assert_eq!(drive.geometry().capacity.get(), 8 << 30);
//! # Ok::<(), drivelab_sim::ProfileError>(())
//! ```

mod cache;
mod controller;
mod defect;
mod disk;
mod drive;
mod energy;
mod fault;
mod flash;
mod ftl;
mod health;
mod heat;
mod nand;
mod profile;
mod random;
mod resting;
mod span;
mod stall;
mod truth;

pub use drive::{ReadObserver, SimDrive, wraps_at};
pub use fault::Stored;
pub use ftl::Tag;
pub use health::{FlashWear, HealthLog, HealthProtocol, HealthReadings};
pub use heat::{HeatLog, HeatReading};
pub use profile::{Key, Profile, ProfileError, Spec, keys, shipped_profiles, shipped_toml, sizes};
pub use resting::RestState;
pub use truth::{
    Counts, FaultKind, GroundTruth, InjectedDelay, InjectedFault, LostBlock, PowerCut, SlcCache,
};
