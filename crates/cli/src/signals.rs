//! Ctrl-C, SIGTERM and the end of a terminal (SIGHUP): the first ends the run cleanly, the second ends the program.

use drivelab_method::Interrupt;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use crate::exit::Failure;

/// An interrupt that the signals raise.
pub fn interrupt() -> Result<Interrupt, Failure> {
    let interrupt = Interrupt::default();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        // Registered first, so that it sees the flag as the first signal left it.
        flag::register_conditional_shutdown(signal, 130, interrupt.flag())
            .and_then(|_| flag::register(signal, interrupt.flag()))
            .map_err(|error| Failure::io("signals cannot be caught", &error))?;
    }
    Ok(interrupt)
}
