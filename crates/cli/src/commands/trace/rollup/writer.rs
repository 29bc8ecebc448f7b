//! The thread that writes the rollup.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use drivelab_export::{
    Attempts, CATALOGUE, Destination, DestinationNews, ExportError, LiveStep, WrittenStep,
};
use drivelab_runner::{Failure, output};

use super::opening::{self, NotOpened};
use super::shared::SharedRollup;
use crate::args::ExportPlace;

/// How long the beginning of a recording waits for a destination that does not answer.
const OPENING_TIMEOUT: Duration = Duration::from_secs(10);
/// It gives way to everything else: what it writes is not urgent.
const LOWEST_PRIORITY: i32 = 19;

/// Starts the thread, and waits a while until it has opened the destination.
///
/// # Errors
/// Where the destination can never be written as it is.
pub fn start(to: &ExportPlace, mask: u32, shared: &Arc<SharedRollup>) -> Result<(), Failure> {
    // Without room for an outcome: what the recording does not wait for any more is not sent.
    let (opened, outcome) = sync_channel(0);
    let (own, shared) = (to.clone(), Arc::clone(shared));
    let write = move || {
        RollupThread { to: own, mask, destination: None, attempts: Attempts::default() }
            .run(&shared, &opened);
    };
    let thread = std::thread::Builder::new().name("rollup".to_owned()).spawn(write);
    thread.map_err(|error| Failure::no_thread("the rollup cannot be written", &error))?;
    match outcome.recv_timeout(OPENING_TIMEOUT) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => {
            output::say(format_args!(
                "drivelab: --rollup-to {to}: the destination does not answer yet; the recording begins without it"
            ));
            Ok(())
        }
        Err(RecvTimeoutError::Disconnected) => Err(Failure::Environment(format!(
            "--rollup-to {to}: it cannot be opened: run the same command again"
        ))),
    }
}

struct RollupThread {
    to: ExportPlace,
    mask: u32,
    /// None before it was opened.
    destination: Option<Box<dyn Destination>>,
    attempts: Attempts,
}

impl RollupThread {
    fn run(mut self, shared: &SharedRollup, opened: &SyncSender<Result<(), Failure>>) {
        // Where the system does not allow it, it writes with the priority of the recorder.
        let _ = rustix::process::nice(LOWEST_PRIORITY);
        match opening::open(&self.to, self.mask) {
            Ok(destination) => self.destination = Some(destination),
            Err(NotOpened::Refused { failure, why }) => {
                if opened.send(Err(failure)).is_ok() {
                    return;
                }
                // The recording has begun without it, and what is refused now may be allowed later.
                self.failed(&why);
            }
            Err(NotOpened::Away(why)) => self.failed(&why),
        }
        let _ = opened.send(Ok(()));
        while let Some(step) = shared.next_step(self.attempts.pause()) {
            match self.write(step) {
                Ok(written) => {
                    shared.written(written);
                    let news = self.attempts.succeeded();
                    self.say(news);
                }
                Err(why) => self.failed(&why),
            }
        }
    }

    /// Writes a step; the error goes on behind a colon.
    fn write(&mut self, step: LiveStep) -> Result<WrittenStep, String> {
        let destination = match &mut self.destination {
            Some(destination) => destination,
            none => none.insert(opening::open(&self.to, self.mask).map_err(|error| match error {
                NotOpened::Refused { why, .. } | NotOpened::Away(why) => why,
            })?),
        };
        check_is_there(&self.to)
            .and_then(|()| step.write(destination.as_ref()))
            .map_err(|error| opening::reason(&error))
    }

    fn failed(&mut self, why: &str) {
        let news = self.attempts.failed(why);
        self.say(news);
    }

    fn say(&self, news: Option<DestinationNews>) {
        let to = &self.to;
        match news {
            Some(DestinationNews::IsAway(why)) => output::say(format_args!(
                "drivelab: --rollup-to {to}: {why}; the recording goes on, and its rollup is written when that is possible again"
            )),
            Some(DestinationNews::IsBack) => {
                output::say(format_args!("drivelab: --rollup-to {to}: the rollup is written again"));
            }
            None => {}
        }
    }
}

/// A folder whose file system was unmounted is there and empty: what is written to it now would lie on another file system.
fn check_is_there(to: &ExportPlace) -> Result<(), ExportError> {
    match to {
        ExportPlace::Folder(folder) if !folder.join(CATALOGUE).is_dir() => Err(ExportError::NotWritten {
            path: folder.join(CATALOGUE),
            source: io::Error::from(io::ErrorKind::NotFound),
        }),
        ExportPlace::Folder(_) | ExportPlace::Store(_) => Ok(()),
    }
}
