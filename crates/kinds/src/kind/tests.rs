use drivelab_documents::{Drive, KernelLog, Manifest, MeasuredPhases, Outcome, PhaseRequest};
use drivelab_view::Ranking;

use super::{ComparedResult, Comparison, ResultKind, StoredResult};
use crate::quick::{Quick, QuickSettings};
use crate::replay::{AddressMapping, Replay, ReplayPrecondition, ReplaySettings, ReplayTiming};
use crate::{PurgeOption, Test as _};

/// A result that ended by itself.
fn result<K: ResultKind>(label: &str, target: &str, settings: K::Settings) -> StoredResult<K> {
    let run = Manifest {
        schema: String::new(),
        version: String::new(),
        method: K::NAME.to_owned(),
        label: label.to_owned(),
        given_name: None,
        note: None,
        hides_serial: false,
        target: target.to_owned(),
        drive: Drive { serial: Some(target.to_owned()), ..Drive::default() },
        seed: 1,
        started: None,
        measured: MeasuredPhases::Every,
        settings: serde_json::Value::Null,
        conditions: Vec::new(),
        notices: Vec::new(),
        phases: Vec::new(),
        kernel_log: KernelLog::default(),
        standstills: Vec::new(),
        outcome: Some(Outcome::default()),
    };
    StoredResult {
        id: String::new(),
        folder: None,
        run,
        settings,
        findings: K::Findings::default(),
        analysis: None,
        damage: None,
        gauges: Vec::new(),
        energy: None,
    }
}

fn replay(target: &str) -> StoredResult<Replay> {
    let settings = ReplaySettings {
        trace: "trace".to_owned(),
        trace_digest: "00".to_owned(),
        phases: PhaseRequest::Measured,
        timing: ReplayTiming::Recorded,
        speed: 1.0,
        max_idle_ns: None,
        map: AddressMapping::Identity,
        trace_device: None,
        duration_ns: None,
        queue_depth: None,
        writes: true,
        discards: true,
        purge: PurgeOption::None,
        precondition: ReplayPrecondition::None,
        compressibility_percent: 0,
        slow_ns: None,
    };
    result(&Replay::label(target, &settings), target, settings)
}

fn labels<'c, K: ResultKind>(compared: &'c Comparison<'_, K>) -> Vec<&'c str> {
    compared.iter().map(ComparedResult::label).collect()
}

/// A block that says why nothing is ranked names the results as all others do.
#[test]
fn replays_of_one_trace_are_called_by_their_drives_wherever_they_are_named() {
    let both = [replay("/dev/sda"), replay("/dev/sdb")];
    let compared = Comparison::new(&both);
    assert_eq!(labels(&compared), ["/dev/sda", "/dev/sdb"]);
    let Ranking::NotRanked(why) = &compared.ranking else { panic!("neither made its requests") };
    assert!(why.contains("(/dev/sda; /dev/sdb)"), "{why}");
    let alone = [replay("/dev/sda")];
    assert_eq!(labels(&Comparison::new(&alone)), ["trace on /dev/sda"]);
}

#[test]
fn no_two_results_have_one_label() {
    let quick = |folder: Option<&str>| StoredResult {
        folder: folder.map(str::to_owned),
        ..result::<Quick>("/dev/sda", "/dev/sda", QuickSettings { write: false })
    };
    let apart = [quick(Some("monday")), quick(Some("friday"))];
    assert_eq!(labels(&Comparison::new(&apart)), ["/dev/sda (monday)", "/dev/sda (friday)"]);
    let alike = [quick(Some("run")), quick(Some("run"))];
    assert_eq!(labels(&Comparison::new(&alike)), ["/dev/sda (run, 1)", "/dev/sda (run, 2)"]);
    let not_kept = [quick(None), quick(None)];
    assert_eq!(labels(&Comparison::new(&not_kept)), ["/dev/sda (1)", "/dev/sda (2)"]);
}
