//! What a recording of a system's I/O has seen until now.

use std::collections::BTreeMap;

use drivelab_block::{DeviceId, Op, TracedIo};
use drivelab_live::{Exposition, Labels, MetricKind};
use drivelab_trace::Progress;

use super::out::LiveOut;
use super::pace::Pace;
use super::shared::{OpTotal, add_lost_records, add_running, add_totals, failed_ios};
use crate::Failure;

/// The command, as its samples name it.
const COMMAND: &str = "trace record";

/// What a recording shows of itself in the file of its command.
#[derive(Debug)]
pub struct LiveTrace {
    out: LiveOut,
    pace: Pace,
    seen: BTreeMap<(DeviceId, Op), OpTotal>,
    failed: BTreeMap<DeviceId, u64>,
}

impl LiveTrace {
    /// Begins to write for a recording; `None` where that was not asked for.
    ///
    /// # Errors
    /// Where the file cannot be written.
    pub fn begin() -> Result<Option<LiveTrace>, Failure> {
        let Some(out) = LiveOut::of_command() else { return Ok(None) };
        out.begin("")?;
        Ok(Some(LiveTrace { out, pace: Pace::default(), seen: BTreeMap::new(), failed: BTreeMap::new() }))
    }

    /// Counts I/Os that were recorded.
    pub fn count(&mut self, ios: &[TracedIo]) {
        for io in ios {
            if !io.status.is_ok() {
                *self.failed.entry(io.device).or_default() += 1;
                continue;
            }
            let total = self.seen.entry((io.device, io.op)).or_default();
            total.completed += 1;
            total.bytes += io.extent.length.bytes().get();
            if let Some(service) = io.service {
                total.service.add(service.get());
            }
        }
    }

    /// Writes what was recorded until now, where it is time for that, or the recording `has_ended`. `names` are the devices, each
    /// under its number.
    pub fn write(&mut self, names: &[String], progress: Progress, has_ended: bool) {
        if has_ended || self.pace.is_due() {
            let text = self.text(names, progress, has_ended);
            self.out.write(&text);
        }
    }

    fn text(&self, names: &[String], progress: Progress, has_ended: bool) -> String {
        let mut all = Exposition::default();
        let recording = Labels::new([("command", COMMAND.to_owned())]);
        add_running(&mut all, &recording, !has_ended);
        all.family("drivelab_trace_bytes", MetricKind::Gauge, "The size of the segments of the trace.")
            .count(&recording, progress.bytes);
        all.family(
            "drivelab_lost_events_total",
            MetricKind::Counter,
            "Events that the kernel had no room for.",
        )
        .count(&recording, progress.lost_events);
        add_lost_records(&mut all, &recording, progress.unwritten);
        let device = |device: DeviceId| {
            let name = names.get(usize::from(device.0)).map_or("", String::as_str);
            recording.with("target", name)
        };
        let mut failed = failed_ios(&mut all);
        self.failed.iter().for_each(|(of, count)| failed.count(&device(*of), *count));
        let labelled =
            self.seen.iter().map(|((of, op), total)| (device(*of).with("operation", op.name()), total));
        add_totals(&mut all, &labelled.collect::<Vec<_>>());
        all.into_text()
    }
}
