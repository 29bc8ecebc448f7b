//! The kernel's own times of a stream's writes: recorded beside it, and found again in its folder.

use std::path::{Path, PathBuf};

use drivelab_analysis::{DeviceTimes, StreamWrites};
use drivelab_block::{Instant, TracedIo};
use drivelab_report::DeviceRecordingDocument;
use drivelab_runner::{DeviceRecording, Failure};
use drivelab_safety::DriveIdentity;
use drivelab_trace::TraceFolder;
use drivelab_uring::Clock;

/// The folder of the trace, in that of the run.
const FOLDER: &str = "device";

/// A recording beside a stream.
pub struct BesideStream {
    recording: DeviceRecording,
    /// The zero of the trace on the clock of the run.
    zero_ns: i64,
    first_sector: u64,
}

impl BesideStream {
    /// Records the drive that a stream goes to into the folder of its run.
    pub fn start(run: &Path, drive: &DriveIdentity, clock: Clock) -> Result<BesideStream, Failure> {
        let whole = drive.parent.as_ref().map_or(&drive.kernel_name, |parent| &parent.kernel_name);
        let node = PathBuf::from("/dev").join(whole.replace('!', "/"));
        let recording = DeviceRecording::start(&run.join(FOLDER), &node)?;
        let (kernel, own) = (i128::from(DeviceRecording::now()), i128::from(clock.now().as_nanos()));
        let zero_ns = own - (kernel - i128::from(recording.began_at()));
        Ok(BesideStream {
            recording,
            zero_ns: i64::try_from(zero_ns).unwrap_or(0),
            first_sector: if drive.parent.is_some() { start_of(&drive.kernel_name) } else { 0 },
        })
    }

    /// Ends the recording.
    pub fn stop(self) -> Result<DeviceRecordingDocument, Failure> {
        let measured = self.recording.measured().to_owned();
        let manifest = self.recording.stop()?;
        Ok(DeviceRecordingDocument {
            folder: FOLDER.to_owned(),
            zero_ns: self.zero_ns,
            first_sector: self.first_sector,
            measured,
            lost_events: manifest.account.map_or(0, |account| account.lost_events),
        })
    }
}

/// Where a partition begins on its drive, in sectors.
fn start_of(partition: &str) -> u64 {
    let path = Path::new("/sys/class/block").join(partition).join("start");
    std::fs::read_to_string(path).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0)
}

/// The device's times of a stream that began at `started_at`, from the trace in the folder of its run.
pub fn read(
    run: &Path,
    recording: &DeviceRecordingDocument,
    stream: &StreamWrites,
    started_at: Instant,
) -> Result<DeviceTimes, Failure> {
    let (folder, _) = TraceFolder::open(&run.join(&recording.folder))?;
    let mut reader = folder.reader()?;
    let zero = recording.zero_ns - i64::try_from(started_at.as_nanos()).unwrap_or(i64::MAX);
    let batches = std::iter::from_fn(|| reader.next_batch());
    let requests = batches.flatten().map(|io: TracedIo| {
        let issued = i64::try_from(io.issued_at.as_nanos()).unwrap_or(i64::MAX);
        (zero.saturating_add(issued), io)
    });
    Ok(DeviceTimes::of(stream, recording.first_sector, requests))
}
