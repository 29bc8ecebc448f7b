//! A load: one workload in one phase, with everything that it asks for named by the user.

mod figures;
mod findings;
mod fio_output;
mod plan;
mod settings;
mod verified_writes;
mod view;
mod work;

use drivelab_block::{ByteRange, Geometry};
use drivelab_view::{KeyFigure, View};
use drivelab_workload::Seed;

pub use findings::LoadFindings;
pub use plan::{PlannedLoad, VerifiedPlan};
pub use settings::{LoadSettings, LoadVerification, Operation, Spacing};
pub use verified_writes::VerifiedWrites;

use crate::kind::{IoHooks, Judging};
use crate::read_back::{ReadBackPlan, StreamOnDrive, VerificationFindings, VerifiedKind};
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

    fn ranked_by(settings: &LoadSettings) -> LoadSettings {
        settings.ranked_by()
    }

    fn key_figures(kept: &StoredResult<Load>) -> Vec<KeyFigure> {
        figures::key_figures(kept)
    }

    fn view(compared: &Comparison<'_, Load>) -> View {
        view::view(compared)
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
        let (_, reading) = plan.phases(true).map_err(PlanError::new)?;
        let Some(verified) = plan.verified else {
            return Err(PlanError("the load was not verified: it has to be run with --verify".to_owned()));
        };
        Ok(ReadBackPlan { run: verified.run(), ledger: verified.ledger(), reading })
    }
}
