//! A run that keeps no records of its I/Os: its folder with `run.json`, the findings as they grow, what is read beside it, and
//! how it ended.

mod watched;

use drivelab_block::{ByteCount, Instant};
use drivelab_documents::{Manifest, Notice, Outcome};
use drivelab_kinds::{ResultKind, StoredResult};
use drivelab_method::Interrupt;
use drivelab_record::RunFolder;
use drivelab_stats::LoopKind;

use crate::live::{LiveRun, LiveState};
use crate::manifest_writer::{ManifestWriter, begun_phase};
use crate::results::{self, Destination, ReadBeside};
use crate::served::Served;
use crate::{Ending, Failure, Metering, ResultName, not_created};

pub use self::watched::HostMonitors;
use self::watched::Watched;

/// The phase of what is measured, between the idle times before it and after it.
const MEASUREMENT: &str = "measurement";

/// A run that is to begin.
pub struct UnrecordedStart<'a, K: ResultKind> {
    /// The manifest as far as it is known.
    pub manifest: Manifest,
    /// What is asked.
    pub settings: K::Settings,
    /// Where the result goes.
    pub destination: Destination<'a>,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
    /// The real machine around it, which is watched; none of a simulated drive.
    pub surroundings: Option<HostMonitors<'a>>,
}

/// A run under way.
pub struct UnrecordedRun<'a, K: ResultKind> {
    writer: ManifestWriter,
    settings: K::Settings,
    /// What was found so far; none before the first finding.
    findings: Option<K::Findings>,
    destination: Destination<'a>,
    pub(crate) interrupt: Interrupt,
    watched: Option<Watched>,
    moved: Option<ByteCount>,
    /// What is written for Prometheus, where that was asked for.
    live: Option<LiveRun>,
    /// What the drive did of what is asked, to which everything that runs a load adds.
    pub(crate) served: Served,
}

impl<'a, K: ResultKind> UnrecordedRun<'a, K> {
    /// Makes the folder of a new run, where one was named, or goes on with an earlier one that was kept. On a real machine all
    /// that is watched is read from now on, and nothing is done for a while.
    pub fn begin(
        start: UnrecordedStart<'a, K>,
        earlier: Option<(RunFolder, Manifest)>,
    ) -> Result<UnrecordedRun<'a, K>, Failure> {
        let UnrecordedStart { mut manifest, settings, destination, interrupt, surroundings } = start;
        // What stands against the meter is known before anything is made.
        let meter = surroundings.as_ref().map_or(Ok(None), |around| Metering::open(around.meter))?;
        let folder = if let Some((kept, first)) = earlier {
            manifest = resumed(manifest, first, &kept, destination.name)?;
            kept.take_room().and_then(|()| kept.save(&manifest)).map_err(not_created)?;
            Some(kept)
        } else {
            let create = |path| RunFolder::create_unrecorded(path, &manifest).map_err(not_created);
            destination.folder.map(create).transpose()?
        };
        let path = folder.as_ref().map(RunFolder::path);
        let begin = |surroundings| Watched::begin(surroundings, meter, path, &interrupt);
        let watched = surroundings.map(begin).transpose()?;
        let live = destination.live.map(|file| LiveRun::begin(file, &manifest)).transpose()?;
        let mut run = UnrecordedRun {
            writer: ManifestWriter::new(manifest, folder, None),
            settings,
            findings: None,
            destination,
            interrupt,
            watched,
            moved: None,
            live,
            served: Served::default(),
        };
        if let Some(watched) = &run.watched {
            run.writer.manifest.phases =
                vec![begun_phase(MEASUREMENT.to_owned(), LoopKind::Closed, watched.began)];
            run.writer.save();
        }
        Ok(run)
    }

    /// Whether the user, or the drive's temperature, wants the run to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.is_raised()
    }

    /// Notes something that the reader of the result has to know; nothing is noted twice.
    pub fn notice(&mut self, notice: Notice) {
        self.writer.notice(notice);
    }

    /// Writes what the run is at for Prometheus, where that was asked for and it is time for it. `done` is the share that is
    /// done, from 0 to 1, where that is known.
    pub fn show_live(&mut self, done: Option<f64>) {
        if self.live.as_mut().is_some_and(LiveRun::is_due) {
            self.write_live(done);
        }
    }

    fn write_live(&mut self, done: Option<f64>) {
        let phase = self.writer.manifest.phases.last().map(|phase| phase.name.as_str());
        let watts = self.watched.as_ref().and_then(|watched| watched.metering.as_ref()?.latest_watts());
        let state = LiveState { phase, done, watts, ..LiveState::default() };
        self.live.iter_mut().for_each(|live| live.write(None, state, true));
    }

    /// Takes what was found so far, and keeps it: a kill costs only what is found after this.
    pub fn found(&mut self, findings: K::Findings) -> Result<(), Failure> {
        self.findings = Some(findings);
        self.write_live(None);
        self.writer.save();
        self.keep_findings()
    }

    /// What is measured ends now, and has moved so many bytes, where that is known; the idle time after it begins with the end of
    /// the run. Without this the measurement ends with the run.
    pub fn measured(&mut self, moved: Option<ByteCount>) {
        self.moved = moved;
        let ended_at = self.watched.as_ref().map(Watched::measured);
        if let Some(phase) = self.writer.manifest.phases.last_mut() {
            phase.ended_at_ns = phase.ended_at_ns.or(ended_at.map(Instant::as_nanos));
        }
    }

    /// Begins another run of what is measured, a phase of its own, where one has ended. Where a meter is read, nothing is done
    /// for a while between the two: that is the idle time after the one and before the other. Returns whether it has begun: not
    /// where the user ended the idle time, or the meter gives nothing any more.
    pub fn begin_another(&mut self) -> bool {
        let Some(watched) = &mut self.watched else { return !self.interrupt.is_raised() };
        let Some(began) = watched.begin_another(&self.interrupt) else { return false };
        let name = format!("{MEASUREMENT} {}", self.writer.manifest.phases.len() + 1);
        self.writer.manifest.phases.push(begun_phase(name, LoopKind::Closed, began));
        self.writer.save();
        true
    }

    /// Ends the run, keeps everything and shows it. `ended` is why it ended early, where it did: what was found until then is
    /// shown first.
    pub fn finish(self, ended: Result<(), Failure>) -> Result<Ending, Failure> {
        let destination = self.destination;
        let (kept, ended) = self.end(ended)?;
        destination.show(std::slice::from_ref(&kept))?;
        ended.map(|()| Ending::from_kept(&kept))
    }

    /// Ends the run and keeps everything, for a command that shows several results together. Gives the result and why the run
    /// ended early, where it did; only the latter where nothing was found.
    pub fn end(
        mut self,
        ended: Result<(), Failure>,
    ) -> Result<(StoredResult<K>, Result<(), Failure>), Failure> {
        if let Err(failure) = &ended {
            self.notice(Notice::failure(format!("The run broke off: {failure}.")));
        }
        let ended = ended.and(self.watched.as_ref().map_or(Ok(()), |watched| watched.target.check()));
        self.measure_no_more(ended.is_err());
        self.live.iter_mut().for_each(|live| live.write(None, LiveState::default(), false));
        let kept = self.keep_findings();
        self.writer.save();
        let kept = kept.and(self.note_energies());
        self.writer.save_the_end();
        let Some(findings) = self.findings else {
            let nothing = || Failure::Environment("the run ended before it measured anything".to_owned());
            return Err(ended.err().unwrap_or_else(nothing));
        };
        let folder = self.writer.folder.as_ref().map(RunFolder::path);
        let gauges = results::gauges_of::<K>(folder, &self.writer.manifest);
        let asked_and_found = (self.settings, findings);
        let read = ReadBeside { gauges, ..ReadBeside::default() };
        let kept_run = results::of_manifest(self.writer.manifest, folder, asked_and_found, read);
        Ok((kept_run, ended.and(kept)))
    }

    /// Ends what is watched, after an idle time where a meter is read, and takes what was drawn into the manifest and the
    /// findings.
    fn note_energies(&mut self) -> Result<(), Failure> {
        let Some(watched) = self.watched.take() else { return Ok(()) };
        let folder = self.writer.folder.as_ref().map(RunFolder::path);
        let findings = self.findings.as_ref();
        let is_counted = |run| findings.is_none_or(|findings| (K::HOOKS.is_counted)(findings, run));
        let energies =
            watched.finish(&mut self.writer.manifest, (folder, self.moved), is_counted, &self.interrupt);
        let Some(mut findings) = findings.cloned() else { return Ok(()) };
        (K::HOOKS.take_energies)(&mut findings, &energies);
        if self.findings.as_ref() == Some(&findings) {
            return Ok(());
        }
        self.findings = Some(findings);
        self.keep_findings()
    }

    /// What is measured has ended; the idle time after it begins.
    fn measure_no_more(&mut self, broke_off: bool) {
        self.measured(self.moved);
        let standstills = self.watched.as_mut().map_or_else(Vec::new, Watched::standstills);
        self.writer.manifest.standstills.extend(standstills);
        if let Some(watched) = &self.watched {
            self.writer.note_watched(&watched.target);
        }
        let interrupted = self.is_interrupted();
        if interrupted {
            self.writer.note_interrupted();
        }
        let heat = self.watched.as_ref().and_then(|watched| watched.target.heat());
        let lapses = self.served.lapses(self.writer.manifest.drive.size_bytes);
        self.writer.manifest.notices.extend(self.served.unread_writes());
        let failed = lapses.iter().flat_map(|lapses| &lapses.failed).map(|kind| kind.failed).sum();
        self.writer.manifest.outcome =
            Some(Outcome { interrupted, broke_off, heat, failed, lapses, ..Outcome::default() });
    }

    fn keep_findings(&self) -> Result<(), Failure> {
        let (Some(folder), Some(findings)) = (&self.writer.folder, &self.findings) else { return Ok(()) };
        results::keep_findings::<K>(folder, &self.writer.manifest, findings)
    }
}

/// The manifest of a run that goes on: it stays the same run, of the same drive, with the seed and the date of its first start,
/// and with its name, where no other one is given. Conditions, notices and what is read meanwhile are those of this start.
fn resumed(
    begun: Manifest,
    first: Manifest,
    kept: &RunFolder,
    name: ResultName<'_>,
) -> Result<Manifest, Failure> {
    if (&first.method, &first.target, &first.settings) != (&begun.method, &begun.target, &begun.settings) {
        return Err(usage!(
            "{}: run.json is of another run: name the folder of the run that is to go on",
            kept.path().display()
        ));
    }
    Ok(Manifest {
        drive: first.drive,
        seed: first.seed,
        started: first.started,
        label: name.label(first.label),
        given_name: name.given().or(first.given_name),
        note: name.note().or(first.note),
        hides_serial: first.hides_serial || name.hides_serial,
        ..begun
    })
}

#[cfg(test)]
mod tests;
