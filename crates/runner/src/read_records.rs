//! The records of a run, read once.

use drivelab_block::{Instant, PhaseId};
use drivelab_documents::Manifest;
use drivelab_kinds::{RecordsAnalysis, ResultKind, too_much_standstill};
use drivelab_method::PhaseObserver;
use drivelab_record::{Digest, RunFolder, RunReader};
use drivelab_stats::RunAnalysis;

use crate::{Failure, add_unsent, missing};

/// Reads the records in a folder, in bounded memory.
pub fn of_folder<K: ResultKind>(
    folder: &RunFolder,
    manifest: &Manifest,
    settings: &K::Settings,
) -> Result<RecordsAnalysis, Failure> {
    let mut run = RunAnalysis::default();
    let standstills = manifest.standstills();
    standstills.all().iter().for_each(|standstill| run.note_standstill(*standstill));
    let mut observer = (K::HOOKS.observer)(manifest, settings);
    for (phase, number) in manifest.phases.iter().zip(0..=u8::MAX) {
        let started_at = Instant::from_nanos(phase.started_at_ns);
        observer.iter_mut().for_each(|observer| observer.begin_phase(PhaseId(number), started_at));
        run.begin_phase(started_at, phase.loop_label);
    }
    let mut reader = RunReader::open(&folder.segments())?;
    // Where the run noted its hash, it is taken again: a segment of another run would fit in everywhere else.
    let has_hash = manifest.outcome.as_ref().is_some_and(|outcome| outcome.completions_hash.is_some());
    let mut digest = has_hash.then(Digest::default);
    while let Some(completions) = reader.next_batch() {
        run.accept(completions);
        observer.iter_mut().for_each(|observer| observer.accept(completions, &standstills));
        digest.iter_mut().for_each(|digest| digest.accept(completions));
    }
    observer.iter_mut().for_each(PhaseObserver::finish);
    add_unsent(&mut run, &manifest.phases);
    let hash = digest.map(|digest| digest.hex());
    let outcome = manifest.outcome.as_ref();
    let foreign = outcome.and_then(|outcome| missing::foreign(outcome, missing::seen(&run), hash.as_deref()));
    let faults: Vec<String> = reader.faults().iter().cloned().chain(foreign).collect();
    let found_bytes = Some(folder.records_bytes());
    Ok(RecordsAnalysis { found_bytes, ..analysis(manifest, (run, observer), &faults) })
}

/// What is wrong with the records in the folder of a run that has ended, in a sentence without its final stop; none where they
/// are all there, or where there is no folder of them.
pub fn damage(folder: &RunFolder, manifest: &Manifest) -> Result<Option<String>, Failure> {
    let Some(outcome) = manifest.outcome.as_ref().filter(|outcome| outcome.completions > 0) else {
        return Ok(None);
    };
    // Whoever removes all records to save their space keeps the figures.
    if !folder.segments().is_dir() {
        return Ok(None);
    }
    let mut reader = RunReader::open(&folder.segments())?;
    let mut digest = outcome.completions_hash.is_some().then(Digest::default);
    let mut found = 0;
    while let Some(completions) = reader.next_batch() {
        found += completions.len() as u64;
        digest.iter_mut().for_each(|digest| digest.accept(completions));
    }
    let hash = digest.map(|digest| digest.hex());
    let foreign = missing::foreign(outcome, found, hash.as_deref());
    let faults: Vec<String> = reader.faults().iter().cloned().chain(foreign).collect();
    Ok(missing::damage(outcome, found, &faults))
}

/// What a run saw of its I/Os, and what is missing of it.
pub fn analysis(
    manifest: &Manifest,
    (run, observer): (RunAnalysis, Option<PhaseObserver>),
    faults: &[String],
) -> RecordsAnalysis {
    let withheld = missing::withheld(manifest, &run, faults).or_else(|| too_much_standstill(manifest));
    let missing = missing::missing(manifest, &run).unwrap_or(0);
    let (run, observer) = if withheld.is_some() { (missing::emptied(&run), None) } else { (run, observer) };
    RecordsAnalysis { run, observer, withheld, missing, gauges: Vec::new(), found_bytes: None }
}
