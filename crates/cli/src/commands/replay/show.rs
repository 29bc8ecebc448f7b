//! What a replay prints.

use std::fmt::Write as _;

use drivelab_analysis::{LoopKind, ReplayAnalysis};
use drivelab_block::{ByteCount, Op};
use drivelab_inspect::slow::SlowReport;
use drivelab_method::Beside;
use drivelab_method::replay::{ReadyReplay, Timing};
use drivelab_record::{Notice, Severity};
use drivelab_report::{
    LeftOutDocument, MapDocument, Records, ReplayDocument, ReplayReport, fidelity_line, replay_terminal,
};
use drivelab_runner::{Ending, Failure, Finished, is_obtained};

use super::{Asked, Went, plan};
use crate::kept::{REPLAY_DOCUMENT, energy_of, shown_condition};
use drivelab_runner::output::{self, NOTHING_DONE};

/// Prints the figures of a replay, leaves them in its folder, and says how it ended.
pub fn show(
    asked: &Asked<'_>,
    ready: &ReadyReplay,
    finished: &Finished,
    went: Result<Went, Failure>,
) -> Result<Ending, Failure> {
    let Some(Beside::Replay(replayed)) = &finished.beside else {
        let early = Failure::Environment("the replay ended before its first I/O".to_owned());
        return Err(went.err().unwrap_or(early));
    };
    let report = report(asked, ready, finished, replayed, went.as_ref().ok());
    let document = ReplayDocument::of(&report);
    if asked.args.result.is_json() {
        output::print_json(&document)?;
    } else {
        output::print(&replay_terminal(&report, output::style()))?;
    }
    // The summary has the warning beside the figures that it is about.
    let said =
        if asked.args.result.is_json() { report.notices.len() } else { finished.manifest.notices.len() };
    report.notices.iter().take(said).for_each(output::say);
    let left = leave(finished, &report, &document);
    went?;
    left?;
    Ok(match &finished.manifest.outcome {
        Some(outcome) if outcome.interrupted => Ending::Interrupted,
        Some(outcome) if outcome.failed > 0 || outcome.lost_records > 0 => Ending::CheckFailed,
        _ if !asked.survey.faults.is_empty() => Ending::CheckFailed,
        _ => Ending::Passed,
    })
}

/// Leaves in the folder of the run what its records alone do not say.
fn leave(finished: &Finished, report: &ReplayReport<'_>, document: &ReplayDocument) -> Result<(), Failure> {
    let Some(folder) = &finished.folder else { return Ok(()) };
    let mut manifest = finished.manifest.clone();
    let warning = report.lateness_warning().map(|text| Notice { severity: Severity::Warning, text });
    let sentence = |line: String| format!("The replay's {}.", line.replace("  ", "; "));
    let fidelity =
        fidelity_line(document).map(|line| Notice { severity: Severity::Note, text: sentence(line) });
    manifest.notices.extend(warning.into_iter().chain(fidelity));
    folder.save(&manifest)?;
    let text = serde_json::to_string(document)
        .map_err(|error| Failure::Environment(format!("{REPLAY_DOCUMENT}: {error}")))?;
    Ok(folder.write_file(REPLAY_DOCUMENT, text.as_bytes())?)
}

fn report<'a>(
    asked: &'a Asked<'_>,
    ready: &ReadyReplay,
    finished: &Finished,
    replayed: &'a ReplayAnalysis,
    went: Option<&Went>,
) -> ReplayReport<'a> {
    let (args, survey, manifest) = (asked.args, &asked.survey, &finished.manifest);
    let outcome = manifest.outcome.clone().unwrap_or_default();
    let left_out = went.map_or(survey.left_out, |went| went.placed.left_out);
    let mut report = ReplayReport {
        trace: args.trace.display().to_string(),
        trace_phases: asked.phases(),
        slow: SlowReport::of(replayed.made(), args.slow.threshold(&[replayed.made()])),
        measured: plan::measured(asked.trace.manifest(), survey),
        target: args.target.clone(),
        timing: plan::timing(args),
        speed: asked.plan.speed.factor(),
        map: MapDocument {
            kind: plan::map(args),
            granule_bytes: ready.moved.map(|(granule, _)| granule),
            touched_bytes: ready.moved.map(|(_, touched)| touched),
        },
        seed: args.result.seed(),
        depth_limit: ready.phase.limits.queue_depth,
        has_due_times: asked.plan.timing != Timing::Unpaced,
        lasts: (asked.plan.timing == Timing::Recorded).then_some(survey.lasts),
        idle_cut: args.max_idle.map(|_| (survey.idle_cut, survey.cuts)),
        left_out: LeftOutDocument {
            writes: left_out.writes,
            discards: left_out.discards,
            empty: left_out.empty,
        },
        widened: went.map_or(0, |went| went.placed.widened),
        capped: went.map_or(0, |went| went.end.delayed_sends),
        held_back: went.map_or(0, |went| went.held_back),
        late_steps: went.map_or(0, |went| went.late_steps),
        filled: ready.fill.as_ref().map(|(_, fill)| fill.bytes()),
        interrupted: outcome.interrupted || went.is_none(),
        energy: energy_of(manifest),
        records: Records {
            completions: outcome.completions,
            failed: outcome.failed,
            lost: outcome.lost_records,
            bytes: outcome.records_bytes,
            completions_hash: outcome.completions_hash.clone(),
        },
        obtained: manifest.conditions.iter().filter(|line| is_obtained(line)).map(shown_condition).collect(),
        notices: manifest.notices.iter().map(|notice| notice.text.clone()).collect(),
        asked: &survey.asked,
        replayed,
    };
    report.notices.extend(report.lateness_warning());
    report
}

/// Says what would be done, and whether it would be allowed.
pub fn dry_run(
    asked: &Asked<'_>,
    ready: Option<&ReadyReplay>,
    allowed: Result<(), Failure>,
) -> Result<Ending, Failure> {
    output::print(&ready.map_or_else(
        || "the file is not there: its size has to be given with --file-size\n".to_owned(),
        |ready| planned(asked, ready),
    ))?;
    allowed?;
    output::print(NOTHING_DONE)
}

fn planned(asked: &Asked<'_>, ready: &ReadyReplay) -> String {
    let mut text = format!("{} on {}\n", asked.args.trace.display(), asked.args.target);
    if let Some((_, fill)) = &ready.fill {
        let _ = writeln!(text, "  fill    write {}", fill.bytes());
    }
    for op in Op::ALL {
        let found = asked.survey.asked.op(op);
        if found.requests > 0 {
            let bytes = ByteCount::new(found.bytes);
            let _ = writeln!(text, "  {:<7} {} requests, {bytes}", op.to_string(), found.requests);
        }
    }
    let left_out = asked.survey.left_out;
    for (count, what) in [(left_out.writes, "writes"), (left_out.discards, "discards")] {
        if count > 0 {
            let _ = writeln!(text, "  {what} left out: {count}");
        }
    }
    let depth = ready.phase.limits.queue_depth;
    let lasts = match ready.phase.loop_kind {
        LoopKind::Open => format!("in {}", asked.survey.lasts),
        LoopKind::Closed => format!("{} timing", plan::timing(asked.args)),
    };
    let _ = writeln!(text, "  {lasts}, at most {depth} in flight");
    if asked.survey.cuts > 0 {
        let (cut, cuts) = (asked.survey.idle_cut, asked.survey.cuts);
        let _ = writeln!(text, "  idle time cut: {cut} (spans: {cuts})");
    }
    if let Some((granule, touched)) = ready.moved {
        let touched = ByteCount::new(touched);
        let _ = writeln!(text, "  {touched} touched, moved together in pieces of {granule} bytes");
    }
    text
}
