//! What the rollup sees of its recording.

use std::sync::Arc;

use drivelab_block::TracedIo;
use drivelab_export::{DroppedDay, LiveRollup, RecordingSums};
use drivelab_runner::{RecordingWatch, output};
use drivelab_trace::{TraceFolder, TraceManifest};

use super::shared::SharedRollup;
use crate::args::ExportPlace;

/// Counts the I/Os of a recording on its thread, and hands over what is closed.
pub struct RollupWatch {
    sums: RecordingSums,
    shared: Arc<SharedRollup>,
    to: String,
}

impl RollupWatch {
    /// Of a recording that has just begun.
    pub fn new(rollup: &LiveRollup, shared: Arc<SharedRollup>, to: &ExportPlace) -> RollupWatch {
        RollupWatch { sums: RecordingSums::new(rollup.began_unix_ns()), shared, to: to.to_string() }
    }

    fn say(&self, dropped: &[DroppedDay]) {
        for date in dropped.iter().map(DroppedDay::date) {
            output::say(format_args!(
                "drivelab: --rollup-to {}: too much is waiting for the destination: the rollup of {date} was dropped; \
                 `drivelab export` of the trace writes it",
                self.to
            ));
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
