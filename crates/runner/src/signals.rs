//! Ctrl-C, SIGTERM and the end of a terminal (SIGHUP): the first ends the run cleanly, the second ends the program.

use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::sharing::{Places, undo_own};
use drivelab_method::Interrupt;
use drivelab_system_calls::tracer::switch_off_own;
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::iterator::Signals;

use crate::Failure;

/// The exit code of a run that was interrupted.
const INTERRUPTED: i32 = 130;

/// What comes so soon after the first signal is the same one: `timeout`, and a terminal that closes, send it to the program
/// and to its process group.
const SAME_SIGNAL: Duration = Duration::from_millis(250);

/// What a run that is given up leaves.
pub const GIVEN_UP: &str = "what the run's folder holds so far stays, `drivelab report` reads it";

/// Which signal asked the program to end first; 0 where none did.
static FIRST: AtomicI32 = AtomicI32::new(0);

/// The signal that asked this program to end, the first of several: SIGINT, which Ctrl-C sends, SIGTERM, which service managers
/// and `kill` send, or SIGHUP, which comes when the terminal is closed; none where no signal did.
pub fn caught() -> Option<Signal> {
    Signal::from_named_raw(FIRST.load(Ordering::Relaxed))
}

/// How the program was asked to end, as it goes on after "the run was": interrupted, where no other signal did.
pub fn stopped_in_words() -> &'static str {
    match caught() {
        Some(Signal::TERM) => "stopped by SIGTERM",
        Some(Signal::HUP) => "stopped by SIGHUP (its terminal was closed)",
        _ => "interrupted",
    }
}

/// What this process is sent, held back for another one that is about to start.
pub struct HeldSignals(Signals);

impl HeldSignals {
    /// Holds signals back from now on.
    ///
    /// # Errors
    /// They cannot be caught.
    pub fn hold() -> std::io::Result<HeldSignals> {
        Ok(HeldSignals(Signals::new([SIGINT, SIGTERM, SIGHUP])?))
    }

    /// Has that process hear of them, and of all that follow. It takes what a terminal sends to both for one signal.
    pub fn pass_on_to(mut self, process: Pid) {
        let pass_on = move || {
            for signal in self.0.forever() {
                if let Some(signal) = Signal::from_named_raw(signal) {
                    let _ = kill_process(process, signal);
                }
            }
        };
        // Without the thread a terminal still sends it to both.
        let _ = std::thread::Builder::new().name("pass-signals".to_owned()).spawn(pass_on);
    }
}

/// Ends this process by a signal, in the kernel's own way. Returns if that cannot be.
pub fn end_by(signal: Signal) {
    let _ = signal_hook::low_level::emulate_default_handler(signal.as_raw());
}

/// An interrupt that the signals raise, of a run that keeps a folder. They are waited for on a thread of its own,
/// which says what becomes of them.
pub fn interrupt() -> Result<Interrupt, Failure> {
    interrupt_leaving(GIVEN_UP)
}

/// The same, where something else is left by a run that is given up.
pub fn interrupt_leaving(left: &'static str) -> Result<Interrupt, Failure> {
    catch(left, true)
}

/// The same of a part of a command, such as a step of a review, which says itself what becomes of the first signal.
pub fn interrupt_of_part() -> Result<Interrupt, Failure> {
    catch(GIVEN_UP, false)
}

/// The interrupt of this process, once signals are caught.
static CAUGHT: Mutex<Option<Interrupt>> = Mutex::new(None);

fn catch(left: &'static str, is_whole: bool) -> Result<Interrupt, Failure> {
    // A second thread that waits would take the second signal for a first one.
    let mut caught = CAUGHT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(interrupt) = &*caught {
        return Ok(interrupt.clone());
    }
    let not_caught = |error| Failure::io("signals cannot be caught", &error);
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(not_caught)?;
    let interrupt = Interrupt::default();
    let raised = interrupt.clone();
    let wait = move || {
        let mut signals = signals.forever();
        if let Some(signal) = signals.next() {
            FIRST.store(signal, Ordering::Relaxed);
            raised.raise();
            if is_whole {
                let is_other = signal != SIGINT;
                let by = if is_other { format!("{}: ", stopped_in_words()) } else { String::new() };
                say!(
                    "drivelab: {by}ending the run and keeping what it has; a second Ctrl-C or SIGTERM ends at once, without that"
                );
            }
        }
        let raised_at = now();
        let gives_up = |_: &i32| match kept_running() {
            Some(why) => {
                say!("drivelab: {why}");
                false
            }
            None => raised_at.elapsed() > SAME_SIGNAL,
        };
        if signals.find(gives_up).is_some() {
            say!("drivelab: given up: {left}");
            // Nothing is dropped on this way out.
            switch_off_own();
            undo_own(&Places::live()).iter().for_each(|undone| say!("drivelab: {undone}"));
            std::process::exit(INTERRUPTED);
        }
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(wait)
        .map_err(|error| Failure::no_thread("signals cannot be caught", &error))?;
    Ok(caught.insert(interrupt).clone())
}

/// Why a second signal does not end the program at the moment.
static KEPT_RUNNING: Mutex<Option<&'static str>> = Mutex::new(None);

fn kept_running() -> Option<&'static str> {
    *KEPT_RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// As long as this lives, a second signal does not end the program.
pub struct KeptRunning(());

/// Keeps a second signal from ending the program; where one comes, `why` is said.
#[must_use]
pub fn keep_running(why: &'static str) -> KeptRunning {
    *KEPT_RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    KeptRunning(())
}

impl Drop for KeptRunning {
    fn drop(&mut self) {
        *KEPT_RUNNING.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// Makes a write that goes past the limit of a file's size (`ulimit -f`) fail like any other, with an error that names the file,
/// where the kernel's own way is to kill the program. Programs that are started get the kernel's own way again.
pub fn report_file_size_limit() {
    // The flag is not read. Where the signal cannot be caught, the kernel's own way stays.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

#[expect(clippy::disallowed_methods, reason = "how far two signals are apart is no part of a measurement")]
fn now() -> Instant {
    Instant::now()
}
