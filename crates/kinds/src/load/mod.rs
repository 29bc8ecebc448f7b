//! A load: one workload in one phase, with everything that it asks for named by the user.

mod findings;
mod fio_output;
mod plan;
mod settings;
mod verified_writes;
mod view;
mod work;

use drivelab_block::{ByteRange, Geometry, Op};
use drivelab_view::format::{block_size, capitalised, rate};
use drivelab_view::{Better, Bound, KeyFigure, Quantity, View};
use drivelab_workload::{Mix, Seed};

pub use findings::LoadFindings;
pub use plan::{PlannedLoad, VerifiedPlan};
pub use settings::{LoadSettings, LoadVerification, Operation, Spacing};

use crate::kind::{IoHooks, Judging};
use crate::read_back::{ReadBackPlan, StreamNumber, StreamOnDrive, VerificationFindings, VerifiedKind};
use crate::{Comparison, Hooks, PlanError, RangeEnd, RangeOption, ResultKind, StoredResult, Test};

/// The windows by which steady state is looked for, in seconds.
const WINDOW_S: u64 = 60;

/// The kind of result.
#[derive(Clone, Copy, Debug)]
pub struct Load;

impl ResultKind for Load {
    const NAME: &'static str = "load";
    const WORDS: &'static str = "load";
    const VERSION: u32 = 3;
    const HOOKS: Hooks<Load> = Hooks {
        ios: Some(IoHooks {
            found: |findings| &findings.ios,
            found_mut: |findings| &mut findings.ios,
            judging: |settings| Judging { asked: settings.asked_rate(), ..Judging::closed(WINDOW_S) },
        }),
        take_records: LoadFindings::take_records,
        is_complete: view::is_complete,
        not_as_written_later: |findings| findings.verification.as_ref()?.not_as_written_later(),
        passes_check: |findings| findings.verification.as_ref().is_none_or(VerificationFindings::is_well),
        fio_output: fio_output::fio_output,
        ..Hooks::NONE
    };
    type Settings = LoadSettings;
    type Findings = LoadFindings;
    const VIEW: fn(&Comparison<'_, Load>) -> View = view::view;

    fn ranked_by(settings: &LoadSettings) -> LoadSettings {
        let verify = settings.verify.clone();
        let blocks = StreamNumber::default();
        let verify = verify.map(|verify| LoadVerification { blocks, boot: None, on_drive: None, ..verify });
        LoadSettings { verify, ..settings.clone() }
    }

    /// The rate and the 99.99th percentile of the latency, under names that say what was asked for.
    fn key_figures(kept: &StoredResult<Load>) -> Vec<KeyFigure> {
        let asked = name(&kept.settings);
        let summary = &kept.findings.ios.summary;
        // A rate that was asked for is no merit of the drive. Where records were not read, as for an index, it counts as one.
        let is_asked = kept.analysis.is_some() && summary.steady_state.as_asked;
        let better = if is_asked { Better::Neither } else { Better::High };
        let latency = summary.response_ns.as_ref().or(summary.service_ns.as_ref());
        let latency_name = if summary.response_ns.is_some() { "response time p99.99" } else { "p99.99" };
        let latency = latency.map(|times| times.percentile_value(times.p99_99));
        // A percentile that is a lower bound is none that another could be better than.
        let is_known = latency.as_ref().is_some_and(|latency| latency.bound == Bound::Exact);
        let if_known = if is_known { Better::Low } else { Better::Neither };
        let figures = [
            KeyFigure::new(asked.clone(), Quantity::Iops, better, kept.findings.iops),
            latency.map(|latency| KeyFigure::of_value(format!("{asked}: {latency_name}"), latency, if_known)),
        ];
        figures.into_iter().flatten().collect()
    }
}

impl VerifiedKind for Load {
    const COUNTED: &'static str = "Writes to each block are numbered from 1.";

    fn verification(findings: &LoadFindings) -> Option<&VerificationFindings> {
        findings.verification.as_ref()
    }

    fn keep_verification(findings: &mut LoadFindings, found: VerificationFindings) {
        findings.verification = Some(found);
    }

    fn on_drive(settings: &LoadSettings) -> Option<StreamOnDrive> {
        settings.verify.as_ref()?.on_drive
    }

    fn flush_every(settings: &LoadSettings) -> Option<u32> {
        settings.verify.as_ref()?.flush_every
    }

    fn boot(settings: &LoadSettings) -> Option<&str> {
        settings.verify.as_ref()?.boot.as_deref()
    }

    fn read_back(
        settings: &LoadSettings,
        range: ByteRange,
        geometry: Geometry,
    ) -> Result<ReadBackPlan, PlanError> {
        let range =
            RangeOption { start: RangeEnd::Bytes(range.start.get()), end: RangeEnd::Bytes(range.end.get()) };
        // No address is drawn: the records say which were written.
        let plan = Load::plan(&LoadSettings { range, ..settings.clone() }, &(), geometry, Seed::new(0))?;
        let (_, reading) = plan.phases(true)?;
        let Some(verified) = plan.verified else {
            return Err(PlanError("the load was not verified: it has to be run with --verify".to_owned()));
        };
        Ok(ReadBackPlan { run: verified.run(), ledger: verified.ledger(), reading })
    }
}

/// What is asked, such as "Random reads of 4 KiB, 32 in flight": loads that are asked differently have different names.
fn name(asked: &LoadSettings) -> String {
    let what = capitalised(&asked.in_words());
    let (_, mix) = asked.operation.order_and_mix();
    let of_blocks = match mix {
        Mix::Only(Op::Flush) => String::new(),
        _ => format!(" of {}", block_size(asked.block_size_bytes as f64)),
    };
    let in_flight = u64::from(asked.queue_depth) * u64::from(asked.threads);
    let pace =
        asked.rate.map_or(format!("{in_flight} in flight"), |asked| format!("{} a second", rate(asked)));
    format!("{what}{of_blocks}, {pace}")
}
