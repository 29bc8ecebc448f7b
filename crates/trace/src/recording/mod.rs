//! A system's own I/O into a trace, while it happens.
//!
//! ```text
//! pages of all processors ─▶ events in the order of time ─▶ Pairing ─▶ I/Os ─▶ segments and tail
//! ```
//!
//! Whoever fetches the pages also says up to which time it has them all: only then is their order known. A request
//! is written when it completes, so that a killed recording has all but what completed in its last second.

mod live;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use drivelab_block::{Extent, TracedIo};
use drivelab_documents::{Drive, Started};

use crate::folder::{TraceError, TraceFolder};
use crate::manifest::{Account, RECORDED, TraceManifest};
use crate::ring::{EventDecoder, Layout, Layouts, PAGE_BYTES, RingEvent, events_of_page};
use crate::times::Times;
use crate::trace_builder::{EventSink as _, ImportedTrace, TraceBuilder};
use live::Live;

/// What a recording begins with.
#[derive(Clone, Debug)]
pub struct Begin<'a> {
    /// The version of drivelab.
    pub version: &'a str,
    /// The devices that are recorded: the kernel's number (12 bits of major, 20 of minor) and the name.
    pub devices: Vec<(u32, String)>,
    /// The drives behind them, by the same names, as far as the kernel tells.
    pub drives: BTreeMap<String, Drive>,
    /// The `format` files of the events.
    pub formats: &'a [String],
    /// The beginning, in nanoseconds on the clock of the events.
    pub at: u64,
    /// The beginning, in nanoseconds since 1970.
    pub unix_ns: u64,
    /// The beginning by the clock of this machine, and its name.
    pub started: Option<Started>,
    /// The most bytes of whole segments to keep; the oldest are removed where there are more.
    pub keep_at_most: Option<u64>,
}

/// How far a recording is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingProgress {
    /// I/Os that were recorded.
    pub requests: u64,
    /// Events that the kernel had no room for.
    pub lost_events: u64,
    /// The size of the files that the I/Os are in, in bytes.
    pub bytes: u64,
    /// I/Os that could not be written to a file.
    pub unwritten: u64,
}

/// A recording that has ended.
#[derive(Clone, Debug)]
pub struct EndedRecording {
    /// What is known of the trace.
    pub manifest: TraceManifest,
    /// How far it went.
    pub progress: RecordingProgress,
}

/// A trace that is being recorded.
pub struct Recording {
    /// Its folder.
    pub folder: TraceFolder,
    /// Tells other programs that the recording goes on.
    _lock: Option<File>,
    /// What is known of it: devices and losses until the last [`Recording::note`].
    pub manifest: TraceManifest,
    layouts: Layouts,
    translator: EventDecoder,
    collector: TraceBuilder<Live>,
    /// Events that are not known to be in order yet.
    pending: Vec<RingEvent>,
    losses: Vec<(u32, u64)>,
}

impl Recording {
    /// Begins a trace in a new folder.
    ///
    /// # Errors
    /// Where the folder cannot be made, or holds something already.
    pub fn begin(path: &Path, begin: Begin<'_>) -> Result<Recording, TraceError> {
        let manifest = TraceManifest {
            origins: begin.devices.iter().map(|(_, name)| name.clone()).collect(),
            started_unix_ns: Some(begin.unix_ns),
            started: begin.started,
            drives: begin.drives,
            ..TraceManifest::of_source(RECORDED.to_owned(), begin.version)
        };
        let folder = TraceFolder::create(path, &manifest)?;
        let lock = folder.lock();
        let mut writer = folder.writer();
        writer.sync_in_background();
        if let Some(bytes) = begin.keep_at_most {
            writer.keep_at_most(bytes);
        }
        let mut translator = EventDecoder::default();
        translator.names.extend(begin.devices);
        let layouts = begin.formats.iter().filter_map(|text| Layout::parse(text)).collect();
        Ok(Recording {
            folder,
            _lock: lock,
            manifest,
            layouts: Layouts::new(layouts),
            translator,
            collector: TraceBuilder::new(Live::new(writer, begin.at), Times::of_a_clock()),
            pending: Vec::new(),
            losses: Vec::new(),
        })
    }

    /// Calls another device number by this name from now on; several numbers may have one name, as paths to one drive have.
    pub fn name_device(&mut self, number: u32, name: &str) {
        self.translator.name(number, name);
    }

    /// Notes what the reader of the trace has to know, in a sentence.
    pub fn notice(&mut self, text: String) {
        self.manifest.notices.push(text);
    }

    /// Takes a page of some processor; pages of one processor come in their order.
    pub fn page(&mut self, page: Box<[u8; PAGE_BYTES]>) {
        if let Err(what) = events_of_page(page, &self.layouts, &mut self.pending) {
            self.collector.damaged(format!("a page of the kernel's buffer: {what}"));
        }
    }

    /// Every event before this time was in a page: pairs them, writes what is complete, and shows it to `watch`.
    pub fn advance(&mut self, until: u64, watch: impl FnOnce(&[TracedIo])) {
        // Pages are in order for each processor, so that this merges a few sorted runs.
        self.pending.sort_by_key(|found| found.at);
        let due = self.pending.partition_point(|found| found.at < until);
        for found in self.pending.drain(..due) {
            self.translator.hand_over(&found, &mut self.collector);
        }
        self.collector.kept.keeper.write(watch);
    }

    /// Notes how many events each processor's buffer has lost since the beginning.
    pub fn lost(&mut self, losses: Vec<(u32, u64)>) {
        self.losses = losses;
    }

    /// Leaves out writes to these places of a device from now on: those of the recording itself.
    pub fn leave_out(&mut self, device: &str, places: &[Extent]) {
        let device = self.collector.device(device.as_bytes());
        self.collector.kept.keeper.own = places.iter().map(|extent| (device, *extent)).collect();
    }

    /// How far it is.
    pub fn progress(&self) -> RecordingProgress {
        let live = &self.collector.kept.keeper;
        RecordingProgress {
            requests: live.kept,
            lost_events: self.losses.iter().map(|(_, lost)| lost).sum(),
            bytes: live.writer.bytes_in_files(),
            unwritten: live.writer.written.lost,
        }
    }

    /// The names of the devices so far, each under its number.
    pub fn devices(&self) -> Vec<String> {
        self.collector.kept.names.devices.iter().map(|device| device.name.clone()).collect()
    }

    /// Puts what is known until now beside the segments, where something changed that they do not tell.
    ///
    /// # Errors
    /// Where the manifest cannot be written; the old one is still there.
    pub fn note(&mut self) -> Result<(), TraceError> {
        let account = account(&self.collector, &self.losses);
        let kept = &self.collector.kept;
        let first_segment = kept.keeper.writer.written.first_segment;
        let manifest = &mut self.manifest;
        let is_known = |known: &Account| Account { requests: known.requests, ..account.clone() } == *known;
        if manifest.so_far.as_ref().is_some_and(is_known)
            && manifest.first_segment == first_segment
            && (&manifest.devices, &manifest.processes) == (&kept.names.devices, &kept.names.processes)
        {
            return Ok(());
        }
        manifest.devices.clone_from(&kept.names.devices);
        manifest.processes.clone_from(&kept.names.processes);
        manifest.first_segment = first_segment;
        manifest.so_far = Some(account);
        self.folder.save(manifest)
    }

    /// Gives it a name.
    ///
    /// # Errors
    /// Where the manifest cannot be written.
    pub fn call(&mut self, label: &str) -> Result<(), TraceError> {
        self.manifest.label = Some(label.to_owned());
        self.folder.save(&self.manifest)
    }

    /// Ends the trace: every event there was has been handed over. What it still writes is shown to `watch`.
    ///
    /// # Errors
    /// Where the manifest cannot be written.
    pub fn finish(mut self, mut watch: impl FnMut(&[TracedIo])) -> Result<EndedRecording, TraceError> {
        self.advance(u64::MAX, &mut watch);
        let Recording { collector, folder, mut manifest, losses, _lock, .. } = self;
        let mut account = account(&collector, &losses);
        let ImportedTrace { devices, processes, account: whole, keeper: live } = collector.finish()?;
        let written = live.finish(watch);
        (account.rejected, account.unpaired) = (whole.rejected, whole.unpaired);
        account.take_written(&written);
        let progress = RecordingProgress {
            requests: account.requests,
            lost_events: account.lost_events,
            bytes: written.bytes,
            unwritten: written.lost,
        };
        manifest.first_segment = written.first_segment;
        (manifest.devices, manifest.processes) = (devices, processes);
        (manifest.account, manifest.so_far) = (Some(account), None);
        folder.save(&manifest)?;
        Ok(EndedRecording { manifest, progress })
    }
}

/// What came of everything until now.
fn account(collector: &TraceBuilder<Live>, losses: &[(u32, u64)]) -> Account {
    let mut account = collector.kept.account.clone();
    let live = &collector.kept.keeper;
    account.take_written(&live.writer.written);
    // Those in the tail are in the trace, too.
    account.requests = live.kept;
    account.lost_by_processor = losses.iter().copied().collect();
    account.lost_events = losses.iter().map(|(_, lost)| lost).sum();
    if live.left_out > 0 {
        account.left_out.insert("writes of the recording itself".to_owned(), live.left_out);
    }
    account
}
