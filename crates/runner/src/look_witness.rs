//! What looks bring back from a simulated drive.

use drivelab_block::Request;
use drivelab_sim::{ReadObserver, Stored};
use drivelab_workload::verify::{BlockContents, ReadbackLog};

/// Notes what every read of a simulated drive brings back: not bytes, but the writes that made them.
#[derive(Debug)]
pub struct ReadbackChecker(pub ReadbackLog);

impl ReadObserver for ReadbackChecker {
    fn read(&mut self, request: &Request, units: &[Stored]) {
        let held = if units.iter().all(|unit| *unit == Stored::Nothing) {
            BlockContents::Zeros
        } else {
            let bytes: Vec<u8> = units.iter().flat_map(|unit| number(*unit).to_le_bytes()).collect();
            BlockContents::from_bytes(&bytes)
        };
        self.0.note(request.extent.start.get(), held);
    }
}

/// A number for what a unit shows; no write has the number 0.
fn number(unit: Stored) -> u64 {
    match unit {
        Stored::Nothing => 0,
        Stored::Write(tag) => tag,
        Stored::Flipped(tag) => !tag,
    }
}
