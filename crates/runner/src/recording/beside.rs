//! A recording of one device beside something else, on a thread of its own.

use std::path::Path;
use std::thread::JoinHandle;

use drivelab_method::Interrupt;
use drivelab_trace::TraceManifest;

use super::{EventRecorder, devices};
use crate::{Failure, monotonic};

/// A device that is recorded while something else goes on.
pub struct DeviceRecording {
    interrupt: Interrupt,
    thread: JoinHandle<Result<TraceManifest, Failure>>,
    began_at: u64,
    measured: &'static str,
}

impl DeviceRecording {
    /// Records the device with this node into a folder.
    pub fn start(folder: &Path, node: &Path) -> Result<DeviceRecording, Failure> {
        let drives = devices::chosen(&[node.to_owned()])?;
        let measured = drives.first().map_or("nothing", devices::Recorded::measured);
        let recorder = EventRecorder::begin(&drives, folder, None, None)?;
        let (began_at, interrupt) = (recorder.began_at, Interrupt::default());
        let heard = interrupt.clone();
        let record = move || {
            let mut recorder = recorder;
            recorder.run(None, &heard)?;
            recorder.end()
        };
        let thread = std::thread::Builder::new().name("record-device".to_owned()).spawn(record);
        let thread = thread.map_err(|error| Failure::io("the recorder could not be started", &error))?;
        Ok(DeviceRecording { interrupt, thread, began_at, measured })
    }

    /// The clock of its times, in nanoseconds.
    pub fn now() -> u64 {
        monotonic()
    }

    /// When it began, on `CLOCK_MONOTONIC` in nanoseconds: the zero of its times.
    pub fn began_at(&self) -> u64 {
        self.began_at
    }

    /// What is measured: `D2C` or `Q2C`.
    pub fn measured(&self) -> &'static str {
        self.measured
    }

    /// Ends it.
    pub fn stop(self) -> Result<TraceManifest, Failure> {
        self.interrupt.raise();
        match self.thread.join() {
            Ok(ended) => ended,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}
