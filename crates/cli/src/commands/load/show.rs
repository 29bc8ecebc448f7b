//! What a load prints.

use std::fmt::Write as _;

use drivelab_block::{ByteCount, Nanos};
use drivelab_method::{LoadPlan, PhaseEnd};
use drivelab_report::{Condition, LatencyDocument, LoadDocument, LoadReport, Records, Sends, energy_summary};
use drivelab_runner::{Ending, Failure, Finished, gauges, is_obtained};

use crate::args::LoadArgs;
use crate::kept::{energy_of, shown_condition};
use drivelab_runner::output::{self, NOTHING_DONE};

/// Prints the figures of a load, and says how it ended.
pub fn show(args: &LoadArgs, finished: &Finished, end: Result<PhaseEnd, Failure>) -> Result<Ending, Failure> {
    let manifest = &finished.manifest;
    let outcome = manifest.outcome.clone().unwrap_or_default();
    let (Some(phase), Some(measured)) = (manifest.phases.last(), finished.analysis.phases().last()) else {
        let failure = Failure::Environment("the load ended before its first I/O".to_owned());
        return Err(end.err().unwrap_or(failure));
    };
    let asked = Nanos::new(phase.ended_at_ns.unwrap_or(0).saturating_sub(phase.started_at_ns));
    let sends = end.as_ref().map_or(Sends::default(), |end| Sends {
        asked: args.ios(),
        delayed: end.delayed_sends,
        missed: end.unsent.count(),
    });
    let document = LoadDocument::of(&LoadReport {
        target: args.target.clone(),
        seed: args.result.seed(),
        // What was in flight at the end is counted, so the time until its completion is too.
        duration: asked.max(measured.span()),
        workers: u32::from(args.threads),
        queue_depth: args.queue_depth.depth(),
        obtained: obtained(&manifest.conditions),
        records: Records {
            completions: outcome.completions,
            failed: outcome.failed,
            lost: outcome.lost_records,
            bytes: outcome.records_bytes,
            completions_hash: outcome.completions_hash.clone(),
        },
        sends,
        gauges: finished.folder.as_ref().map_or_else(Vec::new, |kept| gauges(kept.path(), manifest)),
        energy: energy_of(manifest),
        notices: manifest.notices.iter().map(|notice| notice.text.clone()).collect(),
        measured,
    });
    if args.result.is_json() {
        output::print_json(&document)?;
    } else {
        let energy = document.energy.as_ref().map(|energy| energy_summary(energy, output::style()));
        output::print(&(summary(&document) + &energy.unwrap_or_default()))?;
    }
    for notice in &manifest.notices {
        output::say(&notice.text);
    }
    end?;
    Ok(match outcome {
        outcome if outcome.interrupted => Ending::Interrupted,
        _ if manifest.has_failed() => Ending::CheckFailed,
        _ => Ending::Passed,
    })
}

fn obtained(conditions: &[drivelab_record::Condition]) -> Vec<Condition> {
    conditions.iter().filter(|line| is_obtained(line)).map(shown_condition).collect()
}

/// Whole I/Os a second, of fewer than ten as many digits as tell them.
fn iops(value: f64) -> String {
    if value < 9.95 && value.fract() != 0.0 { format!("{value:.2}") } else { format!("{value:.0}") }
}

fn summary(document: &LoadDocument) -> String {
    let asked = document.iops_asked.map_or_else(String::new, |asked| format!(" of {asked} asked for"));
    let timed =
        if document.mode == "closed" { "closed loop: stalls are under-reported" } else { "open loop" };
    let mut text = format!(
        "{}\n  {} IOPS{asked}, {:.1} MB/s in {:.1} s, {timed}\n  {} completions, {} failed, {} not recorded",
        document.target,
        iops(document.iops),
        document.mb_s,
        document.duration_s,
        document.completions,
        document.failed,
        document.lost_records
    );
    if document.missed_sends > 0 {
        let _ = write!(text, ", {} never sent", document.missed_sends);
    }
    text.push('\n');
    text += &latency("service", "", document.service_ns.as_ref());
    // Each of its figures is at least what is shown.
    let bound = if document.response_at_least { ">=" } else { "" };
    text += &latency("response", bound, document.response_ns.as_ref());
    text
}

fn latency(name: &str, bound: &str, latency: Option<&LatencyDocument>) -> String {
    let Some(latency) = latency else { return String::new() };
    let mut text = format!("  {name:<9}");
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a mean of whole nanoseconds"
    )]
    let mean = latency.mean as u64;
    let figures = [
        ("mean", mean),
        ("p50", latency.p50),
        ("p99", latency.p99),
        ("p99.9", latency.p99_9),
        ("max", latency.max),
    ];
    for (figure, nanos) in figures {
        let _ = write!(text, " {figure} {bound}{}", Nanos::new(nanos));
    }
    text.push('\n');
    text
}

/// Says what would be done.
pub fn dry_run(args: &LoadArgs, plan: &LoadPlan) -> Result<Ending, Failure> {
    dry_run_real(args, Some(plan), Ok(()))
}

/// Says what would be done to a real target, and whether it would be allowed.
pub fn dry_run_real(
    args: &LoadArgs,
    plan: Option<&LoadPlan>,
    allowed: Result<(), Failure>,
) -> Result<Ending, Failure> {
    output::print(&plan.map_or_else(
        || "the file is not there: its size has to be given with --file-size\n".to_owned(),
        |plan| planned(args, plan),
    ))?;
    allowed?;
    output::print(NOTHING_DONE)
}

fn planned(args: &LoadArgs, plan: &LoadPlan) -> String {
    let (start, end) = plan.range;
    let range = ByteCount::new(end.get().saturating_sub(start.get()));
    format!(
        "{}: {} of {} bytes over {range}, {} in flight for each of {} workers\n",
        args.target,
        plan.name,
        plan.block_size.get(),
        plan.queue_depth,
        plan.workers
    )
}
