//! From a stream's manifest and writes to what a report shows: the same for one that has just ended and for one that is
//! read back.

use std::path::Path;

use drivelab_analysis::{DelayFigures, DeviceTimes, RunAnalysis, StreamWrites};
use drivelab_block::{ByteCount, Instant, PhaseId};
use drivelab_method::Beside;
use drivelab_method::stalls::{ReadBack, StallsPlan};
use drivelab_record::{Manifest, RunFolder, RunReader};
use drivelab_report::{FaultDocument, Notice, StallsFindings, StallsReport, VerificationDocument};
use drivelab_runner::{Ending, Failure, Finished, missing};
use drivelab_settings::StallsSettings;
use drivelab_verify::{Fault, FaultReport, Piece, Verification};
use serde::{Deserialize, Serialize};

use crate::{device_times, kept};

/// The method's name in the manifest.
pub const METHOD: &str = "stalls";
/// What was read back after a run had ended, in its folder.
pub const RESUMED: &str = "resumed.json";

/// What was read back after a run had ended: `drivelab.verification/1`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ResumedDocument {
    /// `drivelab.verification/1`.
    pub schema: String,
    /// What was read.
    pub target: String,
    /// Bytes of a logical block, which an LBA counts.
    pub logical_block_bytes: u32,
    /// Whether all records of what was acknowledged were there to judge by.
    pub complete: bool,
    /// What is not complete, a sentence each.
    pub notices: Vec<String>,
    /// What was found.
    #[serde(flatten)]
    pub verification: VerificationDocument,
}

/// What a stream was asked to do.
///
/// # Errors
/// Where the manifest is of another method, or damaged.
pub fn settings(manifest: &Manifest) -> Result<StallsSettings, Failure> {
    if manifest.method != METHOD {
        let text = format!(
            "that is a run of drivelab {}, not of drivelab stalls: name another folder",
            manifest.method
        );
        return Err(Failure::Usage(text));
    }
    kept::asked_of(manifest)?.stalls().cloned().ok_or_else(|| {
        let text = "the run's manifest is damaged (its settings are no stream's): put back a whole copy";
        Failure::Environment(text.to_owned())
    })
}

/// The plan that a stream was written by.
pub fn plan_of(settings: &StallsSettings, read_back: ReadBack) -> StallsPlan {
    let [start, end] = settings.range_bytes.map(ByteCount::new);
    StallsPlan {
        block_size: ByteCount::new(settings.block_bytes),
        range: (start, end),
        bytes: None,
        duration: None,
        rate: settings.rate_bytes_s,
        queue_depth: settings.queue_depth,
        read_back,
    }
}

/// A stream with everything that is known of it.
pub struct KeptStream {
    /// Its manifest.
    pub manifest: Manifest,
    settings: StallsSettings,
    stream: StreamWrites,
    device: Option<(DeviceTimes, String)>,
    /// What was read back after the run had ended.
    resumed: Option<ResumedDocument>,
}

impl KeptStream {
    /// A stream that has just ended; none where its writing never began.
    pub fn ended(finished: Finished) -> Option<KeptStream> {
        let Some(Beside::Stream(stream)) = finished.beside else { return None };
        let settings = settings(&finished.manifest).ok()?;
        let folder = finished.folder.as_ref().map(RunFolder::path);
        let has_begun = !finished.manifest.phases.is_empty();
        has_begun.then(|| KeptStream::of(finished.manifest, settings, stream, folder))
    }

    /// Reads a stream back from its folder.
    ///
    /// # Errors
    /// Where records of it are missing: what lies between two delays would be wrong.
    pub fn read(path: &Path) -> Result<KeptStream, Failure> {
        let (folder, manifest) = RunFolder::open(path)?;
        let settings = settings(&manifest)?;
        let mut stream = StreamWrites::new(PhaseId(0), settings.block_bytes);
        let mut analysis = RunAnalysis::default();
        for (phase, number) in manifest.phases.iter().zip(0..) {
            let started_at = Instant::from_nanos(phase.started_at_ns);
            stream.begin(PhaseId(number), started_at);
            analysis.begin_phase(started_at, kept::loop_kind(phase.loop_label));
        }
        let mut reader = RunReader::open(&folder.segments())?;
        while let Some(completions) = reader.next_batch() {
            stream.accept(completions);
            analysis.accept(completions);
        }
        if let Some(withheld) = missing::withheld(&manifest, &analysis, reader.faults()) {
            return Err(Failure::Environment(format!("{}: {withheld}", path.display())));
        }
        Ok(KeptStream::of(manifest, settings, stream, Some(path)))
    }

    /// The device's times are those of the trace that lies in the run's folder; without it the stream has none.
    fn of(
        manifest: Manifest,
        settings: StallsSettings,
        stream: StreamWrites,
        folder: Option<&Path>,
    ) -> KeptStream {
        let resumed = folder.and_then(|folder| std::fs::read(folder.join(RESUMED)).ok());
        let resumed = resumed.and_then(|text| serde_json::from_slice(&text).ok());
        let mut kept = KeptStream { manifest, settings, stream, device: None, resumed };
        let recording = kept.findings().device_recording;
        let began = kept.manifest.phases.first().map(|phase| Instant::from_nanos(phase.started_at_ns));
        if let (Some(recording), Some(folder), Some(began)) = (recording, folder, began) {
            let times = device_times::read(folder, &recording, &kept.stream, began);
            kept.device = times.ok().map(|times| (times, recording.measured));
        }
        kept
    }

    /// What was found beside the completions.
    fn findings(&self) -> StallsFindings {
        let findings = self.manifest.outcome.as_ref().and_then(|outcome| outcome.findings.clone());
        let findings = findings.and_then(|value| serde_json::from_value(value).ok());
        let mut findings: StallsFindings = findings.unwrap_or_default();
        // What was read back later is the last word.
        if let Some(resumed) = &self.resumed {
            findings.verification = Some(resumed.verification.clone());
        }
        findings
    }

    /// How its command ends, by what is known of it.
    pub fn ending(&self) -> Ending {
        let faulty = self.findings().verification.is_some_and(|found| found.faulty() > 0);
        let is_whole = self.resumed.as_ref().is_none_or(|resumed| resumed.complete);
        match &self.manifest.outcome {
            Some(outcome) if outcome.interrupted && self.resumed.is_none() => Ending::Interrupted,
            Some(outcome) if outcome.failed > 0 || outcome.lost_records > 0 => Ending::CheckFailed,
            _ if faulty || !is_whole => Ending::CheckFailed,
            _ => Ending::Passed,
        }
    }

    /// The stream as the report takes it.
    pub fn report(&self) -> StallsReport<'_> {
        let (manifest, settings) = (&self.manifest, &self.settings);
        StallsReport {
            label: manifest.label.clone(),
            target: manifest.target.clone(),
            drive: kept::shown_drive(manifest),
            logical_block: settings.logical_block_bytes,
            seed: manifest.seed,
            range: (settings.range_bytes[0], settings.range_bytes[1]),
            queue_depth: settings.queue_depth,
            rate_asked: settings.rate_bytes_s,
            stream_rates: settings.stream_rates_bytes_s.clone(),
            compared_by: None,
            stream: &self.stream,
            figures: DelayFigures::of(&self.stream),
            device: self.device.clone(),
            findings: self.findings(),
            conditions: manifest.conditions.iter().map(kept::shown_condition).collect(),
            notices: self.notices(),
            energy: kept::energy_of(manifest),
            records: kept::records_of(manifest, self.stream.writes().len() as u64 + self.stream.failed()),
            ended: kept::ending_of(manifest),
            simulation: kept::stream_simulation(manifest, settings.logical_block_bytes),
        }
    }

    fn notices(&self) -> Vec<Notice> {
        let mut notices: Vec<Notice> = self.manifest.notices.iter().map(kept::shown_notice).collect();
        if self.manifest.outcome.is_none() {
            let mut text = "The run did not end by itself: it was killed, or is still under way.".to_owned();
            if !self.manifest.drive.simulated && self.resumed.is_none() {
                text +=
                    " What it acknowledged can be verified: drivelab stalls TARGET --verify-after-crash DIR.";
            }
            notices.push(Notice { severity: drivelab_report::Severity::Severe, text });
        }
        let read = self.resumed.iter().flat_map(|resumed| &resumed.notices);
        notices.extend(
            read.map(|text| Notice { severity: drivelab_report::Severity::Severe, text: text.clone() }),
        );
        notices
    }
}

/// A verification as the documents have it.
pub fn verified(found: &Verification, logical_block: u32, unreadable: u64) -> VerificationDocument {
    let sectors = u64::from(logical_block / 512).max(1);
    VerificationDocument {
        blocks: found.blocks(),
        flipped: found.count(Fault::Flipped),
        torn: found.count(Fault::Torn),
        misplaced: found.count(Fault::Misplaced),
        stale: found.count(Fault::Stale),
        missing: found.count(Fault::Missing),
        unreadable,
        left: found.ledger().unread().count() as u64,
        not_judged: found.not_judged(),
        faults: found.reports().iter().map(|report| fault(report, sectors)).collect(),
    }
}

fn fault(report: &FaultReport, sectors: u64) -> FaultDocument {
    FaultDocument {
        kind: report.fault.word().to_owned(),
        lba: report.block.get() / sectors,
        wrong_lba: report.sector.get() / sectors,
        expected_write: report.number,
        found: match report.found {
            Piece::Write(number) => format!("write {number}"),
            Piece::OtherRun => "another run's".to_owned(),
            Piece::Elsewhere => "another place's".to_owned(),
            Piece::Flipped => "changed bits".to_owned(),
            Piece::Nothing => "nothing of a stream".to_owned(),
        },
    }
}

/// Whether the kept run in a folder is a stream.
pub fn is_stream(path: &Path) -> bool {
    RunFolder::open(path).is_ok_and(|(_, manifest)| manifest.method == METHOD)
}
