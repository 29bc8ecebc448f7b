//! Which phases of a run its reader takes.

use crate::support;
use drivelab_documents::{Manifest, MeasuredPhases, Phase, PhaseReason, PhaseRequest};
use drivelab_stats::LoopKind;

/// A run that measured these phases, and began those of these names.
fn run(measured: MeasuredPhases, names: &[&str]) -> Manifest {
    let phase = |name: &&str| Phase {
        name: (*name).to_owned(),
        loop_label: LoopKind::Closed,
        started_at_ns: 0,
        ended_at_ns: None,
        unsent: Vec::new(),
        silences: Vec::new(),
        written: None,
        workers: None,
    };
    Manifest { measured, phases: names.iter().map(phase).collect(), ..support::manifest() }
}

const NAMES: [&str; 4] = ["purge", "fill", "write", "fill"];

#[test]
fn what_was_measured_is_taken_unless_other_phases_are_asked_for() {
    let named = |name: &str| PhaseRequest::Named(name.to_owned());
    let one = MeasuredPhases::Phase("write".to_owned());
    let two = MeasuredPhases::Phases(vec!["purge".to_owned(), "write".to_owned()]);
    for (measured, request, reason, taken) in [
        (&one, PhaseRequest::Measured, PhaseReason::Measured, [false, false, true, false]),
        (&two, PhaseRequest::Measured, PhaseReason::Measured, [true, false, true, false]),
        (&MeasuredPhases::Every, PhaseRequest::Measured, PhaseReason::Measured, [true; 4]),
        (&one, named("fill"), PhaseReason::Asked, [false, true, false, true]),
        (&one, PhaseRequest::All, PhaseReason::Asked, [true; 4]),
    ] {
        let chosen = run(measured.clone(), &NAMES).choose_phases(&request).expect("such phases");
        assert_eq!(chosen.reason, reason, "{request:?} of {measured:?}");
        assert_eq!(std::array::from_fn(|number| chosen.takes(number)), taken, "{request:?} of {measured:?}");
        let names: Vec<&str> =
            NAMES.into_iter().zip(taken).filter(|(_, taken)| *taken).map(|(name, _)| name).collect();
        assert_eq!(chosen.taken_names(), names);
        assert_eq!(chosen.names, NAMES);
        // Where records are damaged, an I/O may belong to a phase that never was.
        assert_eq!(chosen.takes(4), taken == [true; 4]);
    }
}

#[test]
fn a_phase_that_a_run_does_not_have_is_refused_with_those_that_it_has() {
    let refused = |measured: MeasuredPhases, request: PhaseRequest| {
        run(measured, &["purge", "fill", "fill"]).choose_phases(&request).expect_err("no such phase")
    };
    assert_eq!(
        refused(MeasuredPhases::Every, PhaseRequest::Named("write".to_owned())),
        r#"--phase "write": the run has no such phase; it has "purge", "fill" (and "all" takes all of them)"#
    );
    let not_measured = |measured: &str| {
        format!(
            "the run ended in its phase \"fill\", before {measured}, which it was to measure: it measured \
             nothing; --phase \"fill\" \
             takes what that phase left, --phase all everything (phases: \"purge\", \"fill\")"
        )
    };
    assert_eq!(
        refused(MeasuredPhases::Phase("write".to_owned()), PhaseRequest::Measured),
        not_measured(r#""write""#)
    );
    let two = MeasuredPhases::Phases(vec!["read".to_owned(), "write".to_owned()]);
    assert_eq!(refused(two, PhaseRequest::Measured), not_measured(r#""read", "write""#));
    let only_fill = "the run ended in its phase \"fill\", before it measured anything; --phase \"fill\" takes \
                     what that phase left";
    let but = ["purge", "fill"].map(|name| MeasuredPhases::EveryBut(name.to_owned()));
    let only = |measured: MeasuredPhases| run(measured, &["fill"]).choose_phases(&PhaseRequest::Measured);
    assert_eq!(but.map(|measured| only(measured).err()), [None, Some(only_fill.to_owned())]);
    let nothing = run(MeasuredPhases::Every, &[]);
    assert_eq!(
        nothing.choose_phases(&PhaseRequest::All),
        Err("the run ended before its first I/O: it has nothing to show".to_owned())
    );
}
