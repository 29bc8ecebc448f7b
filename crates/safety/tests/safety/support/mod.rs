//! Claims for the tests, on the devices of the test bed.

#![allow(dead_code, unused_imports, reason = "each test file uses its own part of these")]

pub mod machine;

use std::path::Path;

use drivelab_safety::{
    ClaimOptions, Confirmation, Reason, Refusal, SafetyError, System, Target, WriteGrant, claim_for_writing,
};
pub use drivelab_testbed::{
    Loop, Mount, Zram, checksum, checksum_beyond_swap, eventually, has,
    loops_can_be_made as devices_can_be_made, partition_in_two, run, skipped, zram_can_be_made,
};

/// Resolves a path on this machine.
pub fn resolve(path: &Path) -> Target {
    Target::resolve(&System::live(), path).expect("a target")
}

/// A claim with everything confirmed that can be.
pub fn claim(path: &Path, serial: Option<&str>, destroy_data: bool) -> Result<WriteGrant, SafetyError> {
    let confirmation = Confirmation { serial: serial.map(String::from), destroy_data };
    claim_for_writing(&System::live(), &resolve(path), &confirmation, &ClaimOptions::default())
}

/// The refusal of a claim that must not be granted, shown in the test's output.
pub fn refused(claimed: Result<WriteGrant, SafetyError>) -> Refusal {
    match claimed {
        Err(SafetyError::Refused(refusal)) => {
            println!("{refusal}");
            refusal
        }
        Err(other) => panic!("not refused, but: {other}"),
        Ok(grant) => panic!("granted: {:?}", grant.identity()),
    }
}

/// Whether one of the reasons is as wanted.
pub fn has_reason(refusal: &Refusal, wanted: impl Fn(&Reason) -> bool) -> bool {
    refusal.reasons.iter().any(wanted)
}
