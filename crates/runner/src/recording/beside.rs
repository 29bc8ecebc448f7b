//! The kernel's own times of a drive's requests, recorded on a thread of their own while a test runs.

use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use drivelab_block::TracedIo;
use drivelab_method::Interrupt;
use drivelab_safety::DriveIdentity;
use drivelab_tests::{RecordedRequests, RequestSpan};
use drivelab_trace::{TraceFolder, TraceManifest};
use drivelab_uring::Clock;

use super::{EventRecorder, devices};
use crate::Failure;

/// The folder of the trace, in that of the run.
const FOLDER: &str = "device";

/// A recording of a drive's requests that goes on.
pub struct DeviceRecording {
    interrupt: Interrupt,
    thread: JoinHandle<Result<TraceManifest, Failure>>,
    /// The folder of the trace.
    folder: PathBuf,
    /// The zero of the trace on the clock of the run.
    zero_ns: i64,
    first_sector: u64,
    span: RequestSpan,
}

impl DeviceRecording {
    /// Records a drive into the folder of a run with this clock.
    pub fn start(run: &Path, drive: &DriveIdentity, clock: Clock) -> Result<DeviceRecording, Failure> {
        let whole = drive.whole_name();
        let node = PathBuf::from("/dev").join(whole.replace('!', "/"));
        let drives = devices::chosen(&[node])?;
        let span = drives.first().map_or(RequestSpan::IssueToCompletion, super::RecordedDrive::span);
        let folder = run.join(FOLDER);
        let recorder = EventRecorder::begin(&drives, &folder, None, None)?;
        let zero_ns = i128::from(recorder.began_at) - i128::from(clock.origin().get());
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
        let zero_ns = i64::try_from(zero_ns).unwrap_or(0);
        let first_sector = if drive.parent.is_some() { start_of(&drive.kernel_name) } else { 0 };
        Ok(DeviceRecording { interrupt, thread, folder, zero_ns, first_sector, span })
    }

    /// Ends it.
    pub fn stop(self) -> Result<RecordedRequests, Failure> {
        self.interrupt.raise();
        let manifest = match self.thread.join() {
            Ok(ended) => ended?,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let (folder, _) = TraceFolder::open(&self.folder)?;
        let mut reader = folder.reader()?;
        let zero_ns = self.zero_ns;
        let batches = std::iter::from_fn(move || reader.next_batch());
        let requests = batches.flatten().map(move |io: TracedIo| {
            let issued = i64::try_from(io.issued_at.as_nanos()).unwrap_or(i64::MAX);
            (zero_ns.saturating_add(issued), io)
        });
        Ok(RecordedRequests {
            folder: FOLDER.to_owned(),
            zero_ns,
            first_sector: self.first_sector,
            span: self.span,
            lost_events: manifest.account.map_or(0, |account| account.lost_events),
            requests: Box::new(requests),
        })
    }
}

/// Where a partition begins on its drive, in sectors.
fn start_of(partition: &str) -> u64 {
    let path = Path::new("/sys/class/block").join(partition).join("start");
    std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}
