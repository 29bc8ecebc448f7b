//! The kernel's own times of a drive's requests, recorded on a thread of their own while a test runs.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use drivelab_block::{ByteCount, TracedIo};
use drivelab_kinds::{RecordedRequests, RequestSpan};
use drivelab_method::Interrupt;
use drivelab_safety::DriveIdentity;
use drivelab_trace::{TraceFolder, TraceManifest};
use drivelab_uring::Clock;

use super::devices::RecordedDrive;
use super::two_clocks::OriginReading;
use super::{EventRecorder, devices};
use crate::Failure;

/// The folder of the trace, in that of the run.
const FOLDER: &str = "device";

/// A recording of a drive's requests that goes on.
pub struct DeviceRecording {
    interrupt: Interrupt,
    thread: JoinHandle<Result<TraceManifest, Failure>>,
    folder: PathBuf,
    /// The zero of the trace's times, on `CLOCK_MONOTONIC` in nanoseconds.
    began_at: u64,
    clock: Clock,
    /// The run's clock beside the kernel's when the recording began.
    at_begin: OriginReading,
    first_sector: u64,
    span: RequestSpan,
}

impl DeviceRecording {
    pub fn start(run: &Path, drive: &DriveIdentity, clock: Clock) -> Result<DeviceRecording, Failure> {
        let whole = drive.whole_name();
        let node = PathBuf::from("/dev").join(whole.replace('!', "/"));
        let drives = devices::recorded_drives(&[node])?;
        let span = drives.first().map_or(RequestSpan::IssueToCompletion, RecordedDrive::span);
        let folder = run.join(FOLDER);
        let recorder = EventRecorder::begin(&drives, &folder, None, None)?;
        let (began_at, at_begin) = (recorder.began_at, OriginReading::now(clock));
        let interrupt = Interrupt::default();
        let heard = interrupt.clone();
        let record = move || {
            let mut recorder = recorder;
            recorder.run(None, &heard)?;
            recorder.end()
        };
        let thread = std::thread::Builder::new().name("record-device".to_owned()).spawn(record);
        let thread =
            thread.map_err(|error| Failure::no_thread("the recorder could not be started", &error))?;
        let first_sector = drive.start.map_or(0, ByteCount::whole_sectors);
        Ok(DeviceRecording { interrupt, thread, folder, began_at, clock, at_begin, first_sector, span })
    }

    pub fn stop(self) -> Result<RecordedRequests, Failure> {
        self.interrupt.raise();
        let manifest = match self.thread.join() {
            Ok(ended) => ended?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let (folder, _) = TraceFolder::open(&self.folder)?;
        let mut reader = folder.reader()?;
        let (began_at, at_begin) = (self.began_at, self.at_begin);
        let at_end = OriginReading::now(self.clock);
        let batches = std::iter::from_fn(move || reader.next_batch());
        let requests = batches.flatten().map(move |io: TracedIo| {
            (at_begin.time_until(at_end, began_at.saturating_add(io.issued_at.as_nanos())), io)
        });
        Ok(RecordedRequests {
            folder: FOLDER.to_owned(),
            zero_ns: at_begin.time_of(began_at),
            first_sector: self.first_sector,
            span: self.span,
            lost_events: manifest.account.map_or(0, |account| account.lost_events),
            requests: Box::new(requests),
        })
    }
}
