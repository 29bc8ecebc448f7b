//! The kernel's events of block devices, recorded into a trace.

mod device_recording;
mod devices;
mod own;
mod two_clocks;

use std::path::Path;
use std::time::Duration;

use drivelab_block::{ByteCount, Nanos, TracedIo};
use drivelab_method::Interrupt;
use drivelab_system_calls::tracer::{Filled, Tracer};
use drivelab_trace::{Begin, EndedRecording, PAGE_BYTES, Recording, TraceFolder, TraceManifest};

use crate::live::LiveTrace;
use crate::{Failure, monotonic, output, started_at_unix, unix_nanos};
pub use device_recording::DeviceRecording;
pub use devices::{RecordedDrive, identities_of, names_by_number, recorded_drives};
pub use own::OwnFiles;

/// How often the buffers are emptied. A buffer holds several times what the fastest drives bring in this time.
const EVERY: Duration = Duration::from_millis(100);
/// How often what was lost is asked for and said.
const NOTED_EVERY: u64 = 1_000_000_000;
/// More pages at a time, for each processor, and the buffers are emptied again without a rest.
const BUSY_PAGES: usize = 1024;
/// The buffers of all processors together take no more than this, unless it is asked for.
const BUFFERS: u64 = 512 << 20;
/// The most that one processor's buffer takes by itself, and the least.
const BUFFER: (u64, u64) = (1 << 20, 16 << 20);

fn buffer_kib(asked: Option<ByteCount>) -> u64 {
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let bytes = asked.map_or((BUFFERS / processors).clamp(BUFFER.0, BUFFER.1), ByteCount::get);
    bytes >> 10
}

/// Sees what a recording records, on the thread that records it: what it does has to be fast, and must not wait.
pub trait RecordingWatch: Send {
    /// Sees I/Os that were recorded, in the order in which they became known. Their times are counted from the beginning.
    fn see(&mut self, ios: &[TracedIo]);

    /// Is called about once a second: all I/Os that completed before `until_ns`, in nanoseconds after the beginning, were seen.
    fn seen_until(&mut self, until_ns: u64, trace: &TraceManifest);

    /// Is called when the recording has ended, with its folder.
    fn ended(&mut self, trace: &TraceManifest, folder: &TraceFolder);
}

/// Records the events of devices into a trace.
pub struct EventRecorder {
    tracer: Tracer,
    /// The trace so far.
    pub recording: Recording,
    /// Leaves out what is written to these files: those of the trace itself.
    pub own: Option<OwnFiles>,
    /// The drives with paths that may come and go.
    with_paths: Vec<RecordedDrive>,
    page: Box<[u8; PAGE_BYTES]>,
    /// The zero of the trace's times, on `CLOCK_MONOTONIC` in nanoseconds.
    began_at: u64,
    /// Whether the user knows that something could not be written.
    has_said_unwritten: bool,
    /// What is written for Prometheus, where that was asked for.
    pub live: Option<LiveTrace>,
    /// Sees all that is recorded.
    pub watch: Option<Box<dyn RecordingWatch>>,
    /// All events before this time on `CLOCK_MONOTONIC` were handed over, in nanoseconds.
    complete_until: u64,
}

impl EventRecorder {
    /// Switches the events of these drives on, and makes the folder that they go to.
    pub fn begin(
        drives: &[RecordedDrive],
        folder: &Path,
        buffer: Option<ByteCount>,
        max_size: Option<ByteCount>,
    ) -> Result<EventRecorder, Failure> {
        let watched: Vec<_> = drives.iter().flat_map(|drive| drive.watched.clone()).collect();
        let tracer = Tracer::start(&watched, buffer_kib(buffer))?;
        let (began_at, unix_ns) = (monotonic(), unix_nanos());
        let begin = Begin {
            version: env!("CARGO_PKG_VERSION"),
            devices: names_by_number(drives),
            drives: identities_of(drives),
            formats: &tracer.formats,
            at: began_at,
            unix_ns,
            started: started_at_unix(unix_ns),
            keep_at_most: max_size.map(ByteCount::get),
        };
        let recording = Recording::begin(folder, begin)?;
        let page = Box::new([0; PAGE_BYTES]);
        Ok(EventRecorder {
            tracer,
            recording,
            own: None,
            with_paths: drives.iter().filter(|drive| !drive.paths.paths.is_empty()).cloned().collect(),
            page,
            began_at,
            has_said_unwritten: false,
            live: None,
            watch: None,
            complete_until: began_at,
        })
    }

    fn write_live(&mut self) {
        if let Some(live) = &mut self.live {
            live.write(&self.recording.devices(), self.recording.progress(), false);
        }
    }

    /// Records until the time is over or the user ends it: whether that cut a duration short.
    pub fn run(&mut self, duration: Option<Nanos>, interrupt: &Interrupt) -> Result<bool, Failure> {
        let began = monotonic();
        let mut noted_at = began;
        // Events that a processor was about to write when its buffer was read may come with the next reading.
        let mut complete_until = 0;
        loop {
            let read_at = monotonic();
            let is_over = duration.is_some_and(|whole| read_at - began >= whole.get());
            if is_over || interrupt.is_raised() {
                return Ok(!is_over && duration.is_some());
            }
            let pages = self.read_all()?;
            self.advance(complete_until);
            complete_until = read_at;
            if read_at - noted_at >= NOTED_EVERY {
                noted_at = read_at;
                self.note()?;
            }
            if pages < self.tracer.buffers.processors() * BUSY_PAGES {
                rest();
            }
        }
    }

    /// Reads every page there is; how many there were.
    fn read_all(&mut self) -> Result<usize, Failure> {
        let mut pages = 0;
        for processor in 0..self.tracer.buffers.processors() {
            // The first may be what was left of a page that was read before it was full.
            let mut partly = 0;
            while partly < 2 {
                let filled = self.tracer.buffers.read(processor, &mut self.page);
                match filled.map_err(|error| Failure::io("the kernel's events cannot be read", &error))? {
                    Filled::Nothing => break,
                    Filled::Partly => partly += 1,
                    Filled::Wholly => {}
                }
                pages += 1;
                self.recording.page(self.page.clone());
            }
        }
        Ok(pages)
    }

    fn advance(&mut self, until: u64) {
        if let Some(own) = &self.own {
            self.recording.leave_out(&own.drive, &own.places());
        }
        let (live, watch) = (self.live.as_mut(), self.watch.as_mut());
        self.recording.advance(until, |ios| {
            live.into_iter().for_each(|live| live.count(ios));
            watch.into_iter().for_each(|watch| watch.see(ios));
        });
        self.complete_until = self.complete_until.max(until);
    }

    /// Notes what was lost. A manifest that cannot be written costs what it says beside the segments, and the next
    /// may be written: no reason to end.
    fn note(&mut self) -> Result<(), Failure> {
        self.look_at_paths()?;
        let losses = self.tracer.buffers.losses();
        self.recording
            .lost(losses.map_err(|error| Failure::io("the kernel's losses cannot be read", &error))?);
        let _ = self.recording.note();
        self.write_live();
        if let Some(watch) = &mut self.watch {
            let until_ns = self.complete_until.saturating_sub(self.began_at);
            watch.seen_until(until_ns, &self.recording.manifest);
        }
        let unwritten = self.recording.progress().unwritten;
        if unwritten > 0 && !self.has_said_unwritten {
            self.has_said_unwritten = true;
            output::say(
                "drivelab: requests cannot be written any more and are lost: is the disk of the trace full?",
            );
        }
        Ok(())
    }

    /// Says which paths to the drives came and went, and records those that came.
    fn look_at_paths(&mut self) -> Result<(), Failure> {
        let after = Nanos::new(monotonic().saturating_sub(self.began_at));
        for drive in &mut self.with_paths {
            for change in drive.paths.look() {
                say!("drivelab: {change}");
                self.recording.notice(format!("After {:.0} s, {change}.", after.as_secs_f64()));
                let watched = devices::watched_path(&change.path).filter(|_| change.is_there);
                if let Some(watched) = watched {
                    self.tracer.watch_also(watched)?;
                    self.recording.name_device(devices::number_of(&watched), &drive.name);
                }
            }
        }
        Ok(())
    }

    /// Ends the trace with what the buffers still hold.
    pub fn end(mut self) -> Result<TraceManifest, Failure> {
        self.tracer.stop()?;
        self.read_all()?;
        let complete_until = self.complete_until;
        self.advance(u64::MAX);
        // The rest of the last interval is not over by the clock.
        self.complete_until = complete_until;
        self.note()?;
        let (mut watch, mut live) = (self.watch, self.live);
        let (folder, devices) = (self.recording.folder.clone(), self.recording.devices());
        let EndedRecording { manifest, progress } = self.recording.finish(|ios| {
            live.as_mut().into_iter().for_each(|live| live.count(ios));
            watch.as_mut().into_iter().for_each(|watch| watch.see(ios));
        })?;
        // What its files hold is known when the last one is whole.
        live.into_iter().for_each(|mut live| live.write(&devices, progress, true));
        watch.into_iter().for_each(|mut watch| watch.ended(&manifest, &folder));
        Ok(manifest)
    }
}

#[expect(clippy::disallowed_methods, reason = "the kernel fills its buffers meanwhile")]
fn rest() {
    std::thread::sleep(EVERY);
}
