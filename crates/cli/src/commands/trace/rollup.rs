//! The rollup of a recording, written while it goes on: on a thread of its own, which waits for a destination that is away, so
//! that the recording never does.

use std::io;
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use drivelab_block::TracedIo;
use drivelab_export::s3::{Store, StoreError, StoreFault};
use drivelab_export::{
    Attempts, CATALOGUE, Destination, DroppedDay, ExportError, ExportFolder, ExportStore, HostName,
    LiveRollup, LiveStep, NotWritten, RecordingSums, SourceOptions, WrittenStep,
};
use drivelab_runner::{
    EventRecorder, Failure, RecordingWatch, environment, say, started_at_unix, unix_nanos, usage,
};
use drivelab_trace::{TraceFolder, TraceManifest};
use drivelab_view::format::{by_number, things};

use crate::args::{ExportPlace, RollupToArgs};
use crate::commands::export::place::{self, PlaceUse};

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
/// One that can never be written as it is, is refused.
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
    start_writer(to, mask, &shared)?;
    Ok(Some(OpenedRollup { to, args, shared }))
}

/// Says that the machine has no name before anything was begun.
fn check_host(args: &RollupToArgs) -> Result<(), Failure> {
    let machine = started_at_unix(unix_nanos()).map_or_else(String::new, |started| started.machine);
    if args.host.is_none() && machine.parse::<HostName>().is_err() {
        return Err(usage!(
            "--rollup-to: this machine has no name that a folder can have: add --host NAME, such as --host lab-07"
        ));
    }
    Ok(())
}

impl<'a> OpenedRollup<'a> {
    /// Begins the rollup of a recording that has just begun. Refused where the recording does not say of which machine it is.
    pub fn begin(self, recorder: &mut EventRecorder) -> Result<WritingRollup<'a>, Failure> {
        let options = SourceOptions {
            host: self.args.host.as_ref(),
            started: None,
            hides_serial: self.args.hide_serial,
        };
        let rollup = LiveRollup::new(&recorder.recording.manifest, options)
            .map_err(|error| usage!("--rollup-to: {error}"))?;
        let run = rollup.run().to_owned();
        let sums = RecordingSums::new(rollup.began_unix_ns());
        let watch = RollupWatch { sums, shared: Arc::clone(&self.shared), to: self.to.to_string() };
        recorder.watch = Some(Box::new(watch));
        self.shared.begin(rollup);
        Ok(WritingRollup { to: self.to, run, shared: self.shared })
    }
}

impl WritingRollup<'_> {
    /// Waits a while until the destination has what was closed of a recording that failed, and says how the rest gets there.
    pub fn abandon(self, trace: &Path) {
        say!("drivelab: the recording fails; what was closed of its rollup is written first");
        let _ = self.shared.wait_for_end(LAST_STATE_TIMEOUT);
        let (to, mend) = (self.to, self.mend(trace));
        say!("--rollup-to {to}: the end of the rollup was not written: {mend}");
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
            say!("--rollup-to {to}: the last state of the rollup was not written: {mend}");
            return false;
        };
        let NotWritten { days, dropped_ios, late_ios } = not_written;
        if days > 0 {
            say!(
                "--rollup-to {to}: the rollup may lack up to {}, of {} that {} dropped while the destination could not be \
                 written: {mend}",
                things(dropped_ios, "I/O"),
                things(days, "day"),
                by_number(days, "was", "were")
            );
        }
        if late_ios > 0 {
            say!(
                "--rollup-to {to}: the rollup lacks {} that completed when {} day was not held in memory any more: {mend}",
                things(late_ios, "I/O"),
                by_number(late_ios, "its", "their")
            );
        }
        if not_written != NotWritten::default() {
            return false;
        }
        say!("rollup: run {} in {to}", self.run);
        true
    }
}

/// Why a destination cannot be opened.
pub enum NotOpened {
    /// It can never be written as it is.
    Refused {
        /// What ends the command, where nothing is recorded yet.
        failure: Failure,
        /// The reason as it goes on behind a colon, where the recording has begun without it.
        why: String,
    },
    /// It may be there later; a reason that goes on behind a colon.
    Away(String),
}

/// Opens a destination. Of a folder it is seen that it can be written.
pub fn open_destination(to: &ExportPlace, mask: u32) -> Result<Box<dyn Destination>, NotOpened> {
    match to {
        ExportPlace::Folder(folder) => {
            let destination = ExportFolder::new(folder.clone(), Some(mask));
            destination.make().and_then(|()| destination.probe()).map_err(not_written)?;
            Ok(Box::new(destination))
        }
        ExportPlace::Store(address) => {
            let store = ExportStore::new(Store::open(address).map_err(|error| not_opened(&error))?);
            if store.is_free().map_err(|error| not_opened(&error))? {
                Ok(Box::new(store))
            } else {
                Err(NotOpened::Refused {
                    failure: place::holds_other_things("--rollup-to", address),
                    why: "it holds something else than exports".to_owned(),
                })
            }
        }
    }
}

fn not_written(error: ExportError) -> NotOpened {
    let why = reason(&error);
    let failure = match error {
        ExportError::NotWritten { path, source } => Failure::not_written(&path, &source),
        error => environment!("{error}"),
    };
    NotOpened::Refused { failure, why }
}

fn not_opened(error: &StoreError) -> NotOpened {
    match error.fault {
        StoreFault::Unreachable(_) | StoreFault::Failed(_) => NotOpened::Away(store_reason(error)),
        _ => NotOpened::Refused { why: store_reason(error), failure: place::store_failure(error) },
    }
}

/// Why a step could not be written, as it goes on behind a colon: the recording goes on, and there is no command to run again.
pub fn reason(error: &ExportError) -> String {
    match error {
        ExportError::Store(error) => store_reason(error),
        error => error.to_string(),
    }
}

fn store_reason(error: &StoreError) -> String {
    match &error.fault {
        StoreFault::Unreachable(why) => format!("the store cannot be reached ({why})"),
        StoreFault::Failed(why) => format!("the store failed ({why})"),
        StoreFault::Denied(why) => format!("the store refuses access ({why})"),
        _ => error.to_string(),
    }
}

/// The pause between attempts while the program waits for the last state to be written.
const LAST_PAUSE: Duration = Duration::from_secs(1);

/// The rollup of a recording, and how far it is.
#[derive(Default)]
pub struct SharedRollup {
    state: Mutex<RollupState>,
    changed: Condvar,
}

#[derive(Default)]
struct RollupState {
    /// None before the recording has begun.
    rollup: Option<LiveRollup>,
    has_ended: bool,
    /// Whether the destination has the last state.
    is_written: bool,
}

impl SharedRollup {
    pub fn begin(&self, rollup: LiveRollup) {
        self.lock().rollup = Some(rollup);
        self.changed.notify_all();
    }

    /// Changes the rollup by what the recorder has closed; gives what comes of that.
    pub fn change<T: Default>(&self, change: impl FnOnce(&mut LiveRollup) -> T) -> T {
        let outcome = self.lock().rollup.as_mut().map(change).unwrap_or_default();
        self.changed.notify_all();
        outcome
    }

    /// Ends it, and waits at most this long until the last state is written; what it lacks, or none where it is not written.
    pub fn wait_for_end(&self, timeout: Duration) -> Option<NotWritten> {
        let mut state = self.lock();
        state.has_ended = true;
        self.changed.notify_all();
        let waited = self.changed.wait_timeout_while(state, timeout, |state| !state.is_written);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.rollup.as_ref().filter(|_| state.is_written).map(LiveRollup::not_written)
    }

    /// What is to be written next, after a pause since the last failure; none where the recording has ended and all is written.
    pub fn next_step(&self, pause: Duration) -> Option<LiveStep> {
        let waited = self.changed.wait_timeout_while(self.lock(), pause, |state| !state.has_ended);
        let (mut state, timeout) = waited.unwrap_or_else(PoisonError::into_inner);
        if !pause.is_zero() && !timeout.timed_out() {
            let waited = self.changed.wait_timeout(state, LAST_PAUSE);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        loop {
            if let Some(step) = state.rollup.as_ref().and_then(LiveRollup::next_step) {
                return Some(step);
            }
            if state.has_ended {
                state.is_written = true;
                self.changed.notify_all();
                return None;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, RollupState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Counts the I/Os of a recording on its thread, and hands over what is closed.
pub struct RollupWatch {
    sums: RecordingSums,
    shared: Arc<SharedRollup>,
    to: String,
}

impl RollupWatch {
    fn say(&self, dropped: &[DroppedDay]) {
        for date in dropped.iter().map(DroppedDay::date) {
            say!(
                "drivelab: --rollup-to {}: too much is waiting for the destination: the rollup of {date} was dropped; \
                 `drivelab export` of the trace writes it",
                self.to
            );
        }
    }
}

impl RecordingWatch for RollupWatch {
    fn see(&mut self, ios: &[TracedIo]) {
        self.sums.add(ios);
    }

    fn seen_until(&mut self, until_ns: u64, trace: &TraceManifest) {
        if let Some(closed) = self.sums.close_until(until_ns) {
            self.say(&self.shared.change(|rollup| rollup.add(closed, trace)));
        }
    }

    fn ended(&mut self, trace: &TraceManifest, folder: &TraceFolder) {
        let (closed, segments) = (self.sums.close(), folder.sum_of_segments().ok());
        self.shared.change(|rollup| rollup.end(closed, trace, segments));
    }
}

/// How long the beginning of a recording waits for a destination that does not answer.
const OPENING_TIMEOUT: Duration = Duration::from_secs(10);
/// It gives way to everything else: what it writes is not urgent.
const LOWEST_PRIORITY: i32 = 19;

/// Starts the thread, and waits a while until it has opened the destination. One that can never be written as it is, is refused.
fn start_writer(to: &ExportPlace, mask: u32, shared: &Arc<SharedRollup>) -> Result<(), Failure> {
    // Without room for an outcome: what the recording does not wait for any more is not sent.
    let (opened, outcome) = sync_channel(0);
    let (to_write, shared) = (to.clone(), Arc::clone(shared));
    let thread = std::thread::Builder::new().name("rollup".to_owned()).spawn(move || {
        RollupThread { to: to_write, mask, destination: None, attempts: Attempts::default() }
            .run(&shared, &opened);
    });
    thread.map_err(|error| Failure::no_thread("the rollup cannot be written", &error))?;
    match outcome.recv_timeout(OPENING_TIMEOUT) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => {
            say!(
                "drivelab: --rollup-to {to}: the destination does not answer yet; the recording begins without it"
            );
            Ok(())
        }
        Err(RecvTimeoutError::Disconnected) => {
            Err(environment!("--rollup-to {to}: it cannot be opened: run the same command again"))
        }
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
        match open_destination(&self.to, self.mask) {
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
                    shared.change(|rollup| rollup.written(written));
                    if self.attempts.succeeded() {
                        say!("drivelab: --rollup-to {}: the rollup is written again", self.to);
                    }
                }
                Err(why) => self.failed(&why),
            }
        }
    }

    /// Writes a step; the error goes on behind a colon.
    fn write(&mut self, step: LiveStep) -> Result<WrittenStep, String> {
        let destination = match &mut self.destination {
            Some(destination) => destination,
            none => none.insert(open_destination(&self.to, self.mask).map_err(|error| match error {
                NotOpened::Refused { why, .. } | NotOpened::Away(why) => why,
            })?),
        };
        check_is_there(&self.to)
            .and_then(|()| step.write(destination.as_ref()))
            .map_err(|error| reason(&error))
    }

    fn failed(&mut self, why: &str) {
        if self.attempts.failed() {
            say!(
                "drivelab: --rollup-to {}: {why}; the recording goes on, and its rollup is written when that is possible again",
                self.to
            );
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
