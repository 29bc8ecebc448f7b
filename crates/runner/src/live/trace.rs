//! What a recording of a system's I/O has seen until now.

use drivelab_block::{Op, TracedIo};
use std::path::Path;

use drivelab_trace::RecordingProgress;

use super::exposition::{Exposition, Labels};
use super::out::{FilePace, LiveOut};
use super::shared::{OpTotal, add_lost_records, add_running, add_totals, failed_ios};
use crate::Failure;

/// The command, as its samples name it.
const COMMAND: &str = "trace record";

/// What a recording shows of itself in the file of its command.
#[derive(Debug)]
pub struct LiveTrace {
    out: LiveOut,
    pace: FilePace,
    /// What was recorded of each device, by its number: a tree that is searched for every I/O costs the recorder a percent.
    devices: Vec<DeviceTotals>,
}

#[derive(Debug, Default)]
struct DeviceTotals {
    /// By the codes of the operations; none of those that were not seen.
    ops: [Option<OpTotal>; Op::ALL.len()],
    failed: u64,
}

impl LiveTrace {
    /// Begins to write for a recording to this file.
    pub fn begin(file: &Path) -> Result<LiveTrace, Failure> {
        let out = LiveOut::new(file);
        out.replace("")?;
        Ok(LiveTrace { out, pace: FilePace::default(), devices: Vec::new() })
    }

    /// Counts I/Os that were recorded.
    pub fn count(&mut self, ios: &[TracedIo]) {
        for io in ios {
            let place = usize::from(io.device.0);
            if place >= self.devices.len() {
                self.devices.resize_with(place + 1, DeviceTotals::default);
            }
            self.devices[place].count(io);
        }
    }

    /// Writes what was recorded until now, where it is time for that, or the recording `has_ended`. `names` are the devices, each
    /// under its number.
    pub fn write(&mut self, names: &[String], progress: RecordingProgress, has_ended: bool) {
        if has_ended || self.pace.is_due() {
            let text = self.text(names, progress, has_ended);
            self.out.write(&text);
        }
    }

    fn text(&self, names: &[String], progress: RecordingProgress, has_ended: bool) -> String {
        let mut all = Exposition::default();
        let recording = Labels::new([("command", COMMAND.to_owned())]);
        add_running(&mut all, &recording, !has_ended);
        all.gauge("drivelab_trace_bytes", "The size of the files of the trace.")
            .count(&recording, progress.bytes);
        all.counter("drivelab_lost_events_total", "Events that the kernel had no room for.")
            .count(&recording, progress.lost_events);
        add_lost_records(&mut all, &recording, progress.unwritten);
        let device = |place: usize| recording.with("target", names.get(place).map_or("", String::as_str));
        let devices = || self.devices.iter().enumerate();
        let mut failed = failed_ios(&mut all);
        let with_failed = devices().filter(|(_, totals)| totals.failed > 0);
        with_failed.for_each(|(place, totals)| failed.count(&device(place), totals.failed));
        let ops = devices().flat_map(|(place, totals)| {
            let seen =
                Op::ALL.into_iter().zip(&totals.ops).filter_map(|(op, total)| Some((op, total.as_ref()?)));
            seen.map(move |(op, total)| (place, op, total))
        });
        let labelled = ops.map(|(place, op, total)| (device(place).with("operation", op.name()), total));
        add_totals(&mut all, &labelled.collect::<Vec<_>>());
        all.into_text()
    }
}

impl DeviceTotals {
    fn count(&mut self, io: &TracedIo) {
        if !io.status.is_ok() {
            self.failed += 1;
            return;
        }
        let total = self.ops[usize::from(io.op.code())].get_or_insert_default();
        total.completed += 1;
        total.bytes += io.bytes().get();
        if let Some(service) = io.service {
            total.service.add(service.get());
        }
    }
}
