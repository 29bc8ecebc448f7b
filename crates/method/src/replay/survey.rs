//! What has to be known of a trace before anything is asked of a drive.

use std::collections::BTreeSet;

use drivelab_block::{DeviceId, IoFlags, Nanos, Op, OpSet, Sector, SectorCount, TracedIo};
use drivelab_record::{Digest, TracedReader};
use drivelab_stats::TraceAnalysis;
use drivelab_workload::PlanError;

use super::choice::{Chooser, LeftOutRequests, RequestChoice};
use super::links::Links;
use super::timetable::Timetable;
use super::touched::Touched;

/// The first reading of a trace: everything about the part of it that is to be replayed.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    /// What the trace itself came to.
    pub asked: TraceAnalysis,
    /// The devices that were chosen.
    pub devices: BTreeSet<DeviceId>,
    /// The longest read or write.
    pub longest: SectorCount,
    /// The end of the last extent.
    pub end: Sector,
    /// Requests of which the trace knows when they were complete.
    pub with_durations: u64,
    /// Requests that were to be durable before they completed, or to flush the drive's cache first: replayed without.
    pub durable: u64,
    /// When the last request is due.
    pub lasts: Nanos,
    /// The idle time that is cut, in the trace's own time.
    pub idle_cut: Nanos,
    /// How many idle spans are cut.
    pub cuts: u64,
    /// Requests that are left out.
    pub left_out: LeftOutRequests,
    /// I/Os of other phases of the run that the trace is, which are not replayed, as far as it was read; 0 for a trace.
    pub other_phases: u64,
    /// What of the trace could not be read; each a few words.
    pub faults: Vec<String>,
    /// Whether it was read to its end.
    pub is_whole: bool,
    /// A digest of all I/Os that were read, those included that are left out: 16 hexadecimal digits.
    pub digest: String,
    pub(super) touched: Touched,
    pub(super) slots: u32,
}

/// What a survey is made with.
pub struct Surveyor {
    pub chooser: Chooser,
    pub timetable: Timetable,
    /// Where requests wait for answers.
    pub links: Option<Links>,
    pub touched: Touched,
    /// Whether it has to be known what is touched.
    pub looks_at_places: bool,
}

impl Surveyor {
    /// Reads a trace until its end, or until it is not to go on. What is known of it is checked every few
    /// thousand I/Os.
    pub fn read(
        mut self,
        mut reader: TracedReader,
        check: &mut dyn FnMut(&Survey) -> Result<bool, PlanError>,
    ) -> Result<Survey, PlanError> {
        let mut survey = Survey { is_whole: true, touched: self.touched.clone(), ..Survey::default() };
        let mut digest = Digest::default();
        'reading: while let Some(batch) = reader.next_batch() {
            for io in &batch {
                match self.chooser.judge(io) {
                    RequestChoice::Taken => self.take(io, &mut survey),
                    RequestChoice::LeftOut => {}
                    RequestChoice::Behind => break 'reading,
                }
                digest.add(io);
            }
            if !check(&survey)? {
                survey.is_whole = false;
                break;
            }
            reader.recycle(batch);
        }
        survey.touched.settle();
        survey.other_phases = reader.left_out();
        survey.faults = reader.faults().to_vec();
        (survey.idle_cut, survey.cuts) = (self.timetable.idle_cut(), self.timetable.cuts);
        survey.left_out = self.chooser.left_out;
        survey.slots = self.links.as_ref().map_or(0, |links| links.slots);
        survey.digest = digest.hex();
        Ok(survey)
    }

    fn take(&mut self, io: &TracedIo, survey: &mut Survey) {
        survey.lasts = self.timetable.next(io);
        if let Some(links) = &mut self.links {
            links.next(io, Nanos::ZERO, Nanos::ZERO);
        }
        survey.add(io);
        if self.looks_at_places && io.extent.length.get() > 0 {
            survey.touched.add(io.device.0, io.extent);
        }
    }
}

impl Survey {
    fn add(&mut self, io: &TracedIo) {
        self.asked.add(io);
        self.devices.insert(io.device);
        self.with_durations += u64::from(io.service.is_some());
        let is_durable = io.flags.contains(IoFlags::FUA) || io.flags.contains(IoFlags::PREFLUSH);
        self.durable += u64::from(is_durable && io.op != Op::Flush);
        if io.op != Op::Flush {
            self.end = self.end.max(io.extent.end());
        }
        if matches!(io.op, Op::Read | Op::Write) {
            self.longest = self.longest.max(io.extent.length);
        }
    }

    /// What is asked.
    pub fn ops(&self) -> OpSet {
        let asked = Op::ALL.into_iter().filter(|op| self.asked.op(*op).requests > 0);
        asked.fold(OpSet::EMPTY, OpSet::with)
    }
}
