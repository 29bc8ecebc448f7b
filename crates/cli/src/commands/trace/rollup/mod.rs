//! The rollup of a recording, written to a destination while it goes on.

mod opening;
mod shared;
mod watch;
mod writer;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use drivelab_export::{HostName, LiveRollup, NotWritten, SourceOptions};
use drivelab_runner::{EventRecorder, Failure, output, started_at_unix, unix_nanos};
use drivelab_view::format::{by_number, things};

use crate::args::{ExportPlace, RollupToArgs};
use crate::commands::export::place::{self, PlaceUse};
use shared::SharedRollup;
use watch::RollupWatch;

/// How long the end of a recording waits for the destination. Service managers wait for 30 s (Kubernetes) to 90 s (systemd)
/// before they kill.
const LAST_STATE_TIMEOUT: Duration = Duration::from_secs(20);

/// A destination that was found to be one, or does not answer yet. Nothing was written.
pub struct OpenedRollup<'a> {
    to: &'a ExportPlace,
    args: &'a RollupToArgs,
    shared: Arc<SharedRollup>,
}

/// A rollup that is written while its recording goes on.
pub struct WritingRollup<'a> {
    to: &'a ExportPlace,
    run: String,
    shared: Arc<SharedRollup>,
}

/// Opens the destination, where one is asked for, on the thread that is to write it. `mask` is the user's mask of permissions.
///
/// # Errors
/// Where it can never be written as it is.
pub fn open<'a>(
    args: &'a RollupToArgs,
    trace: &Path,
    mask: u32,
) -> Result<Option<OpenedRollup<'a>>, Failure> {
    let Some(to) = &args.rollup_to else { return Ok(None) };
    check_host(args)?;
    if let ExportPlace::Folder(folder) = to {
        place::check(
            folder,
            &PlaceUse { option: "--rollup-to", done: "recorded into" },
            &[trace.to_owned()],
        )?;
    }
    let shared = Arc::new(SharedRollup::default());
    writer::start(to, mask, &shared)?;
    Ok(Some(OpenedRollup { to, args, shared }))
}

/// Says that the machine has no name before anything was begun.
fn check_host(args: &RollupToArgs) -> Result<(), Failure> {
    let machine = started_at_unix(unix_nanos()).map_or_else(String::new, |started| started.machine);
    if args.host.is_none() && machine.parse::<HostName>().is_err() {
        let message = "--rollup-to: this machine has no name that a folder can have: add --host NAME, such as --host lab-07";
        return Err(Failure::Usage(message.to_owned()));
    }
    Ok(())
}

impl<'a> OpenedRollup<'a> {
    /// Begins the rollup of a recording that has just begun.
    ///
    /// # Errors
    /// Where the recording does not say of which machine it is.
    pub fn begin(self, recorder: &mut EventRecorder) -> Result<WritingRollup<'a>, Failure> {
        let options = SourceOptions {
            host: self.args.host.as_ref(),
            started: None,
            hides_serial: self.args.hide_serial,
        };
        let rollup = LiveRollup::new(recorder.manifest(), options)
            .map_err(|error| Failure::Usage(format!("--rollup-to: {error}")))?;
        let run = rollup.run().to_owned();
        recorder.watch(Some(Box::new(RollupWatch::new(&rollup, Arc::clone(&self.shared), self.to))));
        self.shared.begin(rollup);
        Ok(WritingRollup { to: self.to, run, shared: self.shared })
    }
}

impl WritingRollup<'_> {
    /// Waits a while until the destination has what was closed of a recording that failed, and says how the rest gets there.
    pub fn abandon(self, trace: &Path) {
        output::say(format_args!(
            "drivelab: the recording fails; what was closed of its rollup is written first"
        ));
        let _ = self.shared.wait_for_end(LAST_STATE_TIMEOUT);
        let (to, mend) = (self.to, self.mend(trace));
        output::say(format_args!("--rollup-to {to}: the end of the rollup was not written: {mend}"));
    }

    /// The command that completes the rollup, in a clause.
    fn mend(&self, trace: &Path) -> String {
        format!("`drivelab export {} --destination {}` writes what is missing", trace.display(), self.to)
    }

    /// Waits a while until the destination has the last state of a recording that has ended, and says what it has. Whether it has
    /// all of it.
    pub fn finish(self, trace: &Path) -> bool {
        let (to, mend) = (self.to, self.mend(trace));
        let Some(not_written) = self.shared.wait_for_end(LAST_STATE_TIMEOUT) else {
            output::say(format_args!(
                "--rollup-to {to}: the last state of the rollup was not written: {mend}"
            ));
            return false;
        };
        let NotWritten { days, dropped_ios, late_ios } = not_written;
        if days > 0 {
            output::say(format_args!(
                "--rollup-to {to}: the rollup may lack up to {}, of {} that {} dropped while the destination could not be \
                 written: {mend}",
                things(dropped_ios, "I/O"),
                things(days, "day"),
                by_number(days, "was", "were")
            ));
        }
        if late_ios > 0 {
            output::say(format_args!(
                "--rollup-to {to}: the rollup lacks {} that completed when {} day was not held in memory any more: {mend}",
                things(late_ios, "I/O"),
                by_number(late_ios, "its", "their")
            ));
        }
        if not_written != NotWritten::default() {
            return false;
        }
        output::say(format_args!("rollup: run {} in {to}", self.run));
        true
    }
}
