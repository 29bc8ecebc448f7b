//! A load: one workload in one phase, with everything that it asks for named by the user.

mod figures;
mod findings;
mod fio_output;
mod outline;
mod settings;
mod verified_plan;
mod verified_writes;
mod view;
mod work;

use drivelab_block::{ByteRange, Geometry, Nanos};
use drivelab_method::{LoadError, LoadPlan, PhasePlan};
use drivelab_record::{Condition, MeasuredPhases};
use drivelab_view::{KeyFigure, View};
use drivelab_workload::Seed;

pub use findings::LoadFindings;
pub use settings::{LoadSettings, LoadVerification, Operation, Spacing};
pub use verified_plan::VerifiedPlan;
pub use verified_writes::VerifiedWrites;

use crate::kind::{IoHooks, Judging};
use crate::read_back::{ReadBackPlan, StreamOnDrive, VerificationFindings, VerifiedKind};
use crate::{
    Comparison, Hooks, NeededDiscards, Outline, PlanError, RangeEnd, RangeOption, ResultKind, StoredResult,
    Test, TestNeeds, TestRules,
};

/// A load on a drive of a given geometry.
#[derive(Clone, Debug)]
pub struct PlannedLoad {
    load: LoadPlan,
    geometry: Geometry,
    /// How what is written is verified; none where it is not.
    verified: Option<VerifiedPlan>,
}

impl PlannedLoad {
    /// What is asked of the drive.
    pub fn load(&self) -> &LoadPlan {
        &self.load
    }

    /// How what is written is verified; none where it is not.
    pub fn verified(&self) -> Option<&VerifiedPlan> {
        self.verified.as_ref()
    }

    /// The phase of the load, and that of reading back.
    ///
    /// # Errors
    /// Where the load makes no sense on the drive.
    pub fn phases(&self, outstanding_in_one: bool) -> Result<(PhasePlan, PhasePlan), LoadError> {
        let load = self.load.phase(&self.geometry, outstanding_in_one)?;
        let reading = VerifiedPlan::reading(&load);
        let writing = self.verified.as_ref().map_or(load.clone(), |verified| verified.writing(load));
        Ok((writing, reading))
    }
}

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

impl Test for Load {
    type Plan = PlannedLoad;
    type Input = ();

    const RULES: TestRules = TestRules { folder_option: "--output", ..TestRules::USUAL };

    fn needs(settings: &LoadSettings, (): &()) -> TestNeeds {
        let discards = (settings.operation == Operation::Discard).then_some(NeededDiscards {
            asked: "--rw discard asks for discards",
            instead: "ask for another --rw, or name another target",
        });
        let measured = match &settings.verify {
            Some(_) => MeasuredPhases::Phase(settings.operation.word().to_owned()),
            None => MeasuredPhases::Every,
        };
        TestNeeds {
            name_of_reading: Some(settings.operation.to_string()),
            discards,
            compressibility_percent: settings.compressibility_percent,
            cpus: settings.cpus.clone(),
            until_warm: settings.until_warm_ns.map(Nanos::new),
            ..TestNeeds::new(settings.operation.writes(), measured)
        }
    }

    fn comparable(settings: LoadSettings, geometry: Geometry) -> LoadSettings {
        let plan = Load::plan(&settings, &(), geometry, Seed::new(0)).ok();
        let on_drive = plan.and_then(|plan| Some(plan.verified?.on_drive()));
        let verify = settings.verify.map(|verify| LoadVerification { on_drive, ..verify });
        LoadSettings { range: settings.range.on_capacity(geometry.capacity), verify, ..settings }
    }

    fn conditions(settings: &LoadSettings, plan: &PlannedLoad) -> Vec<Condition> {
        outline::conditions(settings, plan)
    }

    fn plan(
        settings: &LoadSettings,
        (): &(),
        geometry: Geometry,
        seed: Seed,
    ) -> Result<PlannedLoad, PlanError> {
        let load = settings.plan(&geometry, seed);
        load.phase(&geometry, false).map_err(PlanError::new)?;
        let verified = settings.verify.as_ref().map(|verify| VerifiedPlan::new(verify, &load, &geometry));
        Ok(PlannedLoad { verified: verified.transpose()?, load, geometry })
    }

    fn outline(plan: &PlannedLoad) -> Outline {
        outline::outline(plan)
    }
}
