//! What a recording of streams has done until now.

use std::path::Path;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::JoinHandle;

use drivelab_block::Op;
use drivelab_stream::{ChannelNow, EndedWrite, RecordingNow};

use super::exposition::{Exposition, Family, Labels};
use super::out::{FilePace, LiveOut};
use super::shared::{OpTotal, add_done, add_running, add_totals};
use crate::Failure;

/// The command, as its samples name it.
const COMMAND: &str = "stream record";

/// What a recording of streams shows of itself in the file of its command.
///
/// The file is written on a thread of its own: the folder that it lies in may be slow, and the thread that records is not to wait
/// for it. A text that the thread has no time for is left out, since the next one says the same and more.
#[derive(Debug)]
pub struct LiveStream {
    recording: Labels,
    channels: Vec<String>,
    writes: OpTotal,
    pace: FilePace,
    texts: SyncSender<String>,
    writer: JoinHandle<()>,
}

impl LiveStream {
    /// Begins to write to this file for a recording to this target.
    pub fn begin(file: &Path, target: &Path, channels: Vec<String>) -> Result<LiveStream, Failure> {
        let recording =
            Labels::new([("command", COMMAND.to_owned()), ("target", target.display().to_string())]);
        let mut first = Exposition::default();
        add_running(&mut first, &recording, true);
        let mut out = LiveOut::new(file);
        out.replace(&first.into_text())?;
        let (texts, queue) = sync_channel::<String>(1);
        let thread = std::thread::Builder::new().name("live-metrics".to_owned());
        let writer = thread.spawn(move || queue.iter().for_each(|text| out.write(&text)));
        let writer = writer.map_err(|error| Failure::no_thread("the metrics cannot be written", &error))?;
        let (pace, writes) = (FilePace::default(), OpTotal::default());
        Ok(LiveStream { recording, channels, writes, pace, texts, writer })
    }

    /// Counts a block that was written.
    pub fn written(&mut self, write: EndedWrite) {
        self.writes.completed += 1;
        self.writes.bytes += write.bytes;
        self.writes.service.add(write.took.get());
    }

    /// Has written what the recording is at now, where it is time for that: this is called many times a second. `done` gives the
    /// share of it that is done, from 0 to 1, where that is known, and is called only when it is time.
    pub fn write(&mut self, now: &RecordingNow<'_>, done: impl FnOnce() -> Option<f64>) {
        if self.pace.is_due() {
            let channels: Vec<ChannelNow> = now.channels().collect();
            let _ = self.texts.try_send(self.text(&channels, done(), true));
        }
    }

    /// Writes what came of the recording, and waits until it is written.
    pub fn end(self, channels: &[ChannelNow]) {
        let text = self.text(channels, None, false);
        // The thread ends with its queue; one that panicked has ended the program.
        let _ = self.texts.send(text);
        drop(self.texts);
        let _ = self.writer.join();
    }

    fn text(&self, channels: &[ChannelNow], done: Option<f64>, is_running: bool) -> String {
        let mut all = Exposition::default();
        add_running(&mut all, &self.recording, is_running);
        add_done(&mut all, &self.recording, done);
        add_totals(&mut all, &[(self.recording.with("operation", Op::Write.name()), &self.writes)]);
        let named: Vec<(Labels, &ChannelNow)> = self
            .channels
            .iter()
            .map(|name| self.recording.with("channel", name.as_str()))
            .zip(channels)
            .collect();
        for metric in CHANNEL_COUNTERS {
            metric.add(&mut all.counter(metric.name, metric.help), &named);
        }
        for metric in CHANNEL_GAUGES {
            metric.add(&mut all.gauge(metric.name, metric.help), &named);
        }
        all.into_text()
    }
}

/// A number of each channel.
struct ChannelMetric {
    name: &'static str,
    help: &'static str,
    value: fn(&ChannelNow) -> u64,
}

impl ChannelMetric {
    fn add(&self, family: &mut Family<'_>, channels: &[(Labels, &ChannelNow)]) {
        channels.iter().for_each(|(labels, channel)| family.count(labels, (self.value)(channel)));
    }
}

const CHANNEL_COUNTERS: &[ChannelMetric] = &[
    ChannelMetric {
        name: "drivelab_kept_frames_total",
        help: "Frames that are kept.",
        value: |channel| channel.kept.frames,
    },
    ChannelMetric {
        name: "drivelab_kept_bytes_total",
        help: "Bytes of frames that are kept.",
        value: |channel| channel.kept.bytes,
    },
    ChannelMetric {
        name: "drivelab_dropped_frames_total",
        help: "Frames that found no room in the ring.",
        value: |channel| channel.dropped,
    },
    ChannelMetric {
        name: "drivelab_dropped_bytes_total",
        help: "Bytes of frames that found no room in the ring.",
        value: |channel| channel.dropped_bytes,
    },
];

const CHANNEL_GAUGES: &[ChannelMetric] = &[
    ChannelMetric {
        name: "drivelab_ring_bytes",
        help: "The length of the ring.",
        value: |channel| channel.ring_bytes,
    },
    ChannelMetric {
        name: "drivelab_ring_used_bytes",
        help: "How much of the ring is in use.",
        value: |channel| channel.used_bytes,
    },
    ChannelMetric {
        name: "drivelab_ring_most_used_bytes",
        help: "The most of the ring that was in use.",
        value: |channel| channel.most_used_bytes,
    },
];
