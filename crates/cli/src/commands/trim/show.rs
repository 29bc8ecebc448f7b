//! What a TRIM validation prints.

use drivelab_block::{ByteCount, Geometry, Nanos};
use drivelab_method::trim::TrimPlan;
use drivelab_probe::TrimClaims;
use drivelab_record::Outcome;
use drivelab_report::{
    BesideReport, ClaimsDocument, TrimAccountDocument, TrimDocument, TrimReport, TrimmedReadsDocument,
    trim_csv, trim_html, trim_terminal,
};
use drivelab_runner::{Ending, Failure, Finished, energy_of, keep_beside, show_figures};

use super::rounds::Found;
use crate::args::TrimArgs;
use crate::shown::shown_conditions;
use drivelab_runner::output::{self, NOTHING_DONE, long_time};

/// The document and the page beside the run.
const DOCUMENT: &str = "trim.json";
const PAGE: &str = "report.html";
/// What the page's pictures show.
const TABLE: &str = "trim.csv";

/// Prints what was found, keeps it where that was asked for, and says how it ended.
pub fn show(
    args: &TrimArgs,
    geometry: &Geometry,
    finished: &Finished,
    found: Found,
    claims: &TrimClaims,
) -> Result<Ending, Failure> {
    let outcome = finished.manifest.outcome.clone().unwrap_or_default();
    let unsupported = found.unsupported.is_some();
    let (report, ended) = report(args, geometry, (finished, &outcome), found, claims);
    let document = TrimDocument::of(&report);
    if let Some(folder) = &finished.folder {
        let text = output::pretty(&document)?;
        folder.write_file(DOCUMENT, &text)?;
        folder.write_file(TABLE, trim_csv(&document).as_bytes())?;
        folder.write_file(PAGE, trim_html(&document).as_bytes())?;
    }
    if args.json.is_asked() {
        output::print_json(&document)?;
    } else {
        output::print(&trim_terminal(&document, output::style()))?;
    }
    document.notices.iter().for_each(output::say);
    let energy = document.energy.as_ref();
    energy.map_or(Ok(()), |document| show_figures(document, args.json.is_asked()))?;
    if let Some(folder) = &finished.folder {
        output::say(format_args!("report: {}", folder.path().join(PAGE).display()));
        let gauges = drivelab_runner::gauges_of_all_phases(folder.path(), &finished.manifest);
        let target = args.target.as_str();
        keep_beside(folder.path(), &BesideReport { command: "trim", target, gauges, energy })?;
    }
    if let Some(failure) = ended {
        return Err(failure);
    }
    Ok(match outcome {
        outcome if outcome.interrupted => Ending::Interrupted,
        _ if unsupported => Ending::Passed,
        outcome if outcome.failed > 0 || outcome.lost_records > 0 => Ending::CheckFailed,
        _ if document.verdict == "ineffective" => Ending::CheckFailed,
        _ => Ending::Passed,
    })
}

fn report(
    args: &TrimArgs,
    geometry: &Geometry,
    (finished, outcome): (&Finished, &Outcome),
    found: Found,
    claims: &TrimClaims,
) -> (TrimReport, Option<Failure>) {
    let returned = found.returned;
    let accounts = found.accounts.iter().filter(|account| account.random_writes.is_some());
    let report = TrimReport {
        conditions: shown_conditions(&finished.manifest.conditions, finished.manifest.started_unix_s),
        target: args.target.clone(),
        seed: args.seed.number(),
        size_bytes: geometry.capacity.get(),
        logical_block: geometry.logical_block,
        torture_s: args.precondition.random_time().as_secs_f64(),
        rounds_asked: args.runs,
        // A drive that takes no TRIM has refused the first one, and nothing else was asked of it.
        failed: if found.unsupported.is_some() { 0 } else { outcome.failed },
        interrupted: outcome.interrupted,
        unsupported: found.unsupported,
        rounds: found.rounds,
        reads: TrimmedReadsDocument {
            blocks: returned.blocks(),
            zeros: returned.zeros,
            old: returned.old,
            other: returned.other,
            varying: returned.varying,
        },
        claims: ClaimsDocument {
            request_max_bytes: claims.request_max_bytes,
            deterministic: claims.deterministic,
            zeros: claims.zeros,
        },
        accounts: accounts
            .map(|account| TrimAccountDocument {
                random_writes_amplification: account.random_writes,
                used_amplification: account.used,
                trimmed_amplification: account.trimmed,
            })
            .collect(),
        notices: finished.manifest.notices.iter().map(|notice| notice.text.clone()).collect(),
        energy: energy_of(outcome),
    };
    (report, found.ended)
}

/// Curves of a round.
const CURVES: u64 = 3;

/// Says what would be done.
pub fn dry_run(args: &TrimArgs, plan: Option<&TrimPlan>) -> Result<Ending, Failure> {
    let text = plan.map_or_else(
        || format!("{}: would be created, and then written\n", args.target),
        |plan| {
            let spans = plan.spans();
            let rounds = u64::from(args.runs);
            let filled = ByteCount::new(rounds * plan.length().get());
            let curves = ByteCount::new(rounds * CURVES * spans.count * spans.bytes.get());
            let lasts = Nanos::new(args.precondition.random_time().get().saturating_mul(2 * rounds));
            format!(
                "{}: {rounds} rounds of a fill, twice {} of random writes, a TRIM, and three curves of {} spans of {}\n  \
                 {filled} written in sequence and {curves} in curves, as fast as the drive goes\n  \
                 random writes for {}; how much they write depends on the drive\n",
                args.target,
                long_time(args.precondition.random_time()),
                spans.count,
                spans.bytes,
                long_time(lasts)
            )
        },
    );
    output::print(&(text + NOTHING_DONE))
}
