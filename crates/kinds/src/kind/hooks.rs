//! What few kinds of results have, for those that have none of it; and what becomes of records.

use drivelab_record::Manifest;

use super::{Hooks, IoFindings, MeasuredPhase, RecordsOfRun, ResultKind, StoredResult};
use crate::RecordsAnalysis;

impl<K: ResultKind> Hooks<K> {
    /// Those of a kind that has none of its own.
    pub const NONE: Hooks<K> = Hooks {
        resumed_by: None,
        recovers_killed_runs: false,
        ios: None,
        observer: |_, _| None,
        take_records: |_, _| {},
        slow_ios: None,
        preconditioned: |_| None,
        label: own_label::<K>,
        is_complete: |_| true,
        unlike: |_| None,
        is_counted: |_, _| true,
        take_energies: |_, _| {},
        not_as_written_later: |_| None,
        passes_check: |_| true,
        measured_in_words: |_| K::WORDS.to_owned(),
        curve: |_| None,
        fio_output: |_| None,
    };

    /// Whether figures come from the records of the run's I/Os.
    pub fn reads_records(&self) -> bool {
        self.ios.is_some()
    }
}

fn own_label<'r, K: ResultKind>(_: &'r [StoredResult<K>], kept: &'r StoredResult<K>) -> &'r str {
    &kept.run.label
}

/// Takes into the findings what the records give: when the run has ended, and again whenever it is opened.
pub fn take_records<K: ResultKind>(
    findings: &mut K::Findings,
    run: &Manifest,
    settings: &K::Settings,
    records: &RecordsAnalysis,
) {
    let measured = K::HOOKS.ios.map(|ios| {
        let measured = MeasuredPhase::new(run, records, (ios.judging)(settings));
        let found = (ios.found_mut)(findings);
        *found = IoFindings::from_records(run, records, &measured, std::mem::take(found));
        measured
    });
    (K::HOOKS.take_records)(findings, &RecordsOfRun { run, settings, records, measured: measured.as_ref() });
}
