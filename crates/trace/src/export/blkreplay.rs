//! blkreplay's `.load`. Its delay is how late a replay was, not a wait of the trace, and stays 0.

use std::io::{self, Write};

use drivelab_block::{Nanos, Op, TracedIo};

use super::Export;
use super::losses::{Losses, Lost};
use super::survey::TraceSurvey;
use crate::manifest::{Measured, TraceManifest};
use crate::scan::SECOND;

pub struct Blkreplay {
    origin: u64,
}

const HEADER: &str = "start ; sector; length ; op ;  replay_delay=0 ; replay_duration=0";

impl Blkreplay {
    pub fn new(manifest: &TraceManifest, survey: &TraceSurvey, losses: &mut Losses) -> Blkreplay {
        let used = survey.used.iter().filter_map(|id| manifest.devices.get(usize::from(id.0)));
        used.for_each(|device| losses.note(Lost::Issued, device.measured == Measured::IssueToComplete));
        if survey.used.len() > 1 {
            survey.used.iter().for_each(|_| losses.note(Lost::Device, true));
        }
        Blkreplay { origin: survey.first }
    }
}

impl Export for Blkreplay {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{HEADER}")
    }

    fn io(&mut self, io: &TracedIo, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
        let letter = match io.op {
            Op::Read => 'R',
            Op::Write => 'W',
            Op::Discard | Op::Flush => {
                losses.note(Lost::Request, true);
                return Ok(());
            }
        };
        losses.note(Lost::Wait, io.queued_for.is_some());
        losses.note(Lost::ZeroService, io.service == Some(Nanos::ZERO));
        losses.note(Lost::Status, !io.status.is_ok());
        losses.note(Lost::Flags, io.flags.bits() != 0);
        losses.note(Lost::Process, io.process.0 != 0);
        let at = io.issued_at.as_nanos().saturating_sub(self.origin);
        let duration = io.service.map_or(0, Nanos::get);
        let (start, length) = (io.extent.start.get(), io.extent.length.get());
        write!(out, "{}.{:09} ; {start} ; {length} ; {letter} ; ", at / SECOND, at % SECOND)?;
        writeln!(out, "0.000000000 ; {}.{:09}", duration / SECOND, duration % SECOND)
    }
}
