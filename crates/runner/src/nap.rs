//! Waiting while something is watched.

use std::time::Duration;

use drivelab_block::Nanos;
use drivelab_method::Interrupt;

/// How often a nap looks at the interrupt.
const GLANCE: Duration = Duration::from_millis(50);

/// Waits, or until the user wants to go.
pub fn nap(idle: Nanos, interrupt: &Interrupt) {
    let mut left = Duration::from_nanos(idle.get());
    while !left.is_zero() && !interrupt.is_raised() {
        let step = left.min(GLANCE);
        #[expect(clippy::disallowed_methods, reason = "the machine is watched while it idles")]
        std::thread::sleep(step);
        left -= step;
    }
}
