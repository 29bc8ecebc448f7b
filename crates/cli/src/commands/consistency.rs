//! `drivelab consistency`.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use drivelab_block::{Engine, Geometry, Limits, Op, OpSet};
use drivelab_analysis::LoopKind;
use drivelab_method::consistency::{ConsistencyPlan, Purge};
use drivelab_method::{Interrupt, LoadPlan, PhasePlan, Stage, StopRule};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, OnFull, RunFolder, Severity};
use drivelab_report::{Comparison, ConsistencyDocument, html, terminal};
use drivelab_sim::{Profile, SimDrive};
use drivelab_workload::{Compressibility, Incompressible, Seed};

use super::{output, report, simulated};
use crate::args::ConsistencyArgs;
use crate::bench::{
    Finished, Opening, Real, Session, TargetName, Watch, drive_conditions, obtained_conditions, simulated_conditions,
    system_conditions,
};
use crate::exit::{Ending, Failure};
use crate::kept::KeptRun;
use crate::signals;

/// Tests every target with every reserve and compares them.
pub fn main(args: ConsistencyArgs) -> Result<Ending, Failure> {
    let targets = args.targets.iter().map(|name| TargetName::parse(name)).collect::<Result<Vec<_>, _>>()?;
    if args.safety.dry_run {
        return dry_run(&args, &targets);
    }
    let output = args.output.clone().unwrap_or_else(default_folder);
    let interrupt = signals::interrupt()?;
    let mut runs = Vec::new();
    'targets: for (name, target) in args.targets.iter().zip(&targets) {
        for reserve in &args.reserve {
            let bench = Bench { args: &args, name, reserve: *reserve, output: &output, interrupt: &interrupt, number: runs.len() };
            match bench.run(target) {
                Ok(run) => runs.push(run),
                // What was measured before a target failed is kept and shown; the failure is the end.
                Err(failure) if runs.is_empty() => return Err(failure),
                Err(failure) => {
                    write_comparison(&runs, &output)?;
                    return Err(failure);
                }
            }
            if interrupt.is_raised() {
                break 'targets;
            }
        }
    }
    let page = write_comparison(&runs, &output)?;
    let comparison = report::compare(&runs)?;
    if args.json {
        output::print_json(&ConsistencyDocument::of(&comparison))?;
    } else {
        output::print(&terminal(&comparison, output::style()))?;
        eprintln!("report: {}", page.display());
    }
    Ok(ending(&runs))
}

fn ending(runs: &[KeptRun]) -> Ending {
    let mut outcomes = runs.iter().filter_map(|run| run.manifest.outcome.as_ref());
    if outcomes.clone().any(|outcome| outcome.interrupted) {
        Ending::Interrupted
    } else if outcomes.any(|outcome| outcome.failed > 0 || outcome.lost_records > 0) {
        Ending::CheckFailed
    } else {
        Ending::Passed
    }
}

/// Writes the page and the comparison, and gives every run a page of its own.
fn write_comparison(runs: &[KeptRun], output: &Path) -> Result<PathBuf, Failure> {
    for run in runs {
        let alone = Comparison { title: run.manifest.label.clone(), runs: vec![run.report()?] };
        let folder = output.join(run.folder.as_deref().unwrap_or_default());
        report::write(&folder.join("report.html"), html(&alone).as_bytes())?;
        write_json(&folder.join("summary.json"), &alone)?;
    }
    let comparison = report::compare(runs)?;
    write_json(&output.join("comparison.json"), &comparison)?;
    let page = output.join("report.html");
    report::write(&page, html(&comparison).as_bytes())?;
    Ok(page)
}

fn write_json(path: &Path, comparison: &Comparison<'_>) -> Result<(), Failure> {
    let text = serde_json::to_string(&ConsistencyDocument::of(comparison))
        .map_err(|error| Failure::Environment(format!("{}: {error}", path.display())))?;
    report::write(path, text.as_bytes())
}

#[expect(clippy::disallowed_methods, reason = "a folder that nobody named is named by its time")]
fn default_folder() -> PathBuf {
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    let digits: String = now.chars().filter(|sign| sign.is_ascii_digit() || *sign == 'T').collect();
    PathBuf::from(format!("consistency-{}", digits.replace('T', "-")))
}

/// One run: a target with a reserve.
struct Bench<'a> {
    args: &'a ConsistencyArgs,
    name: &'a str,
    reserve: f64,
    output: &'a Path,
    interrupt: &'a Interrupt,
    number: usize,
}

impl Bench<'_> {
    fn run(&self, target: &TargetName) -> Result<KeptRun, Failure> {
        match target {
            TargetName::Simulated(profile) => self.run_simulated(profile),
            TargetName::Path(path) => self.run_real(path),
        }
    }

    fn run_simulated(&self, profile: &Profile) -> Result<KeptRun, Failure> {
        let seed = Seed::new(self.args.seed);
        let drive = SimDrive::new(profile, seed.child("drive").get());
        let geometry = drive.geometry();
        let plan = self.plan(&geometry)?;
        let mut conditions = simulated_conditions(profile);
        let (start, end) = plan.written_range();
        let alpha = profile.alpha(drivelab_block::ByteCount::new(end.get() - start.get()));
        conditions.push(condition("Drive", "alpha", format!("{alpha:.3} ((flash - collection reserve) / written range)")));
        let described = Drive { model: profile.model(), serial: None, size_bytes: geometry.capacity.get(), simulated: true };
        let manifest = self.manifest(described, conditions, &plan);
        let stage = Stage { engines: vec![drive], queues: 1, on_full: OnFull::Wait, interrupt: self.interrupt.clone() };
        let mut session = self.open(stage, manifest, Watch::new(None, 0))?;
        self.prepare(&mut session, &plan, &geometry, || Ok(()))?;
        let before = session.engines()[0].ground_truth().lifetime;
        let started_at = session.engines()[0].now();
        self.measure(&mut session, &plan, &geometry, || Ok(()))?;
        let account = simulated::account(&before, started_at, &session.engines()[0].ground_truth())?;
        Self::close(session.finish(Some(account))?)
    }

    fn run_real(&self, path: &Path) -> Result<KeptRun, Failure> {
        let real = Real::open_for_writing(path, &self.args.safety, Some(self.output))?;
        let geometry = real.geometry();
        let plan = self.plan(&geometry)?;
        let manifest = self.manifest(real.drive(), drive_conditions(real.identity()), &plan);
        let share = Compressibility::percent(self.args.compressibility).unwrap_or_default();
        let engine = real.engine(Incompressible::new(Seed::new(self.args.seed), share), &[]);
        let stage =
            Stage { engines: vec![engine], queues: 1, on_full: OnFull::Lose, interrupt: self.interrupt.clone() };
        let drive_name = real.drive_identity().map(|drive| drive.kernel_name.clone());
        let mut session = self.open(stage, manifest, Watch::new(drive_name, self.args.safety.temperature_limit))?;
        for note in &real.notes {
            session.notice(Severity::Note, note);
        }
        self.prepare(&mut session, &plan, &geometry, || real.verify_again())?;
        let obtained = obtained_conditions(session.engines()[0].obtained());
        session.manifest_mut().conditions.extend(obtained);
        self.measure(&mut session, &plan, &geometry, || real.verify_again())?;
        Self::close(session.finish(None)?)
    }

    fn plan(&self, geometry: &Geometry) -> Result<ConsistencyPlan, Failure> {
        let args = self.args;
        let plan = ConsistencyPlan {
            reserve_percent: self.reserve,
            range: args.address_range.on(geometry.capacity, u64::from(geometry.logical_block)),
            block_size: args.block_size,
            queue_depth: args.queue_depth,
            duration: args.duration,
            fill: !args.no_fill,
            seed: Seed::new(args.seed),
        };
        // Checked now, so that nothing is purged for a plan that cannot be carried out.
        plan.random_writes().phase(geometry, false)?;
        Ok(plan)
    }

    fn manifest(&self, drive: Drive, drive_lines: Vec<Condition>, plan: &ConsistencyPlan) -> Manifest {
        let mut conditions = drive_lines;
        // A simulated run depends on no machine: naming one would make equal runs differ.
        if !drive.simulated {
            conditions.extend(system_conditions());
        } else {
            conditions.push(condition("Program", "drivelab", env!("CARGO_PKG_VERSION").to_owned()));
        }
        conditions.extend(self.workload_conditions(plan));
        Manifest {
            schema: MANIFEST_SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: "consistency".to_owned(),
            label: self.label(),
            target: self.name.to_owned(),
            started_unix_s: (!drive.simulated).then(unix_seconds),
            drive,
            seed: self.args.seed,
            settings: self.settings(plan),
            conditions,
            notices: Vec::new(),
            phases: Vec::new(),
            outcome: None,
        }
    }

    fn label(&self) -> String {
        if self.reserve == 0.0 { self.name.to_owned() } else { format!("{}, {} % kept back", self.name, self.reserve) }
    }

    fn settings(&self, plan: &ConsistencyPlan) -> serde_json::Value {
        let (start, end) = plan.written_range();
        serde_json::json!({
            "measured_phase": "random write",
            "reserve_percent": self.reserve,
            "round_s": self.args.round.get().div_ceil(1_000_000_000),
            "duration_ns": plan.duration.get(),
            "block_size_bytes": plan.block_size.get(),
            "queue_depth": plan.queue_depth,
            "range_bytes": [start.get(), end.get()],
            "fill": plan.fill,
            "purge": !self.args.no_purge,
            "compressibility_percent": self.args.compressibility,
        })
    }

    fn workload_conditions(&self, plan: &ConsistencyPlan) -> Vec<Condition> {
        let (start, end) = plan.written_range();
        let line = |name: &str, value: String| condition("Workload", name, value);
        vec![
            line("Random writes", format!("{} bytes, {} in flight, uniform, closed loop", plan.block_size.get(), plan.queue_depth)),
            line("Duration", format!("{} s", plan.duration.as_secs_f64())),
            line("Written range", format!("bytes {} to {} ({} % of the range kept back)", start.get(), end.get(), self.reserve)),
            line("Data", format!("random, {} % compressible", self.args.compressibility)),
            line("Steady state", format!("five rounds of {} s: range at most 20 %, slope at most 10 % of the mean, to the end", self.args.round.as_secs_f64())),
            line("Seed", self.args.seed.to_string()),
        ]
    }

    fn open<E: Engine + Send>(&self, stage: Stage<E>, manifest: Manifest, watch: Watch) -> Result<Session<E>, Failure> {
        let folder = self.output.join(self.folder_name());
        Session::open(Opening { stage, manifest, folder: Some(&folder), watch })
    }

    fn folder_name(&self) -> String {
        let plain = |sign: char| if sign.is_ascii_alphanumeric() || ".-_".contains(sign) { sign } else { '-' };
        let name: String = self.name.trim_start_matches("/dev/").chars().map(plain).collect();
        let name: String = name.trim_matches('-').chars().take(60).collect();
        format!("{:02}-{name}-reserve-{}", self.number, self.reserve)
    }

    /// Purge and fill.
    fn prepare<E: Engine + Send>(
        &self,
        session: &mut Session<E>,
        plan: &ConsistencyPlan,
        geometry: &Geometry,
        verify: impl Fn() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.args.no_purge {
            session.notice(Severity::Warning, "The drive was not purged (--no-purge): it began as it was.");
        } else {
            verify()?;
            purge(session, geometry);
        }
        if !plan.fill {
            session.notice(Severity::Warning, "The range was not filled before the random writes (--no-fill).");
        } else if !session.is_interrupted() {
            verify()?;
            run_load(session, &plan.fill(geometry), geometry)?;
        }
        Ok(())
    }

    fn measure<E: Engine + Send>(
        &self,
        session: &mut Session<E>,
        plan: &ConsistencyPlan,
        geometry: &Geometry,
        verify: impl Fn() -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if session.is_interrupted() {
            return Ok(());
        }
        verify()?;
        run_load(session, &plan.random_writes(), geometry)
    }

    fn close<E>(finished: Finished<E>) -> Result<KeptRun, Failure> {
        let folder = finished.folder.as_ref().and_then(|folder: &RunFolder| folder.path().file_name());
        let folder = folder.map(|name| name.to_string_lossy().into_owned());
        Ok(KeptRun { manifest: finished.manifest, analysis: finished.analysis, folder })
    }
}

/// Discards the whole drive. A drive that takes no discards starts as it is, and the run says so.
fn purge<E: Engine + Send>(session: &mut Session<E>, geometry: &Geometry) {
    let limits = Limits {
        queue_depth: 1,
        max_transfer: drivelab_block::ByteCount::new(0),
        ops: OpSet::EMPTY.with(Op::Discard),
    };
    let plan = PhasePlan { name: "purge".to_owned(), loop_kind: LoopKind::Closed, limits, stop: StopRule::default() };
    match session.phase(&plan, vec![Purge::whole(geometry)], Some(geometry.capacity)) {
        Ok(end) if end.completed > 0 => {
            session.notice(Severity::Note, "Purge: a discard of the whole drive stands in for a sanitize or secure erase.");
        }
        Ok(_) => {}
        Err(error) => {
            session.notice(Severity::Warning, format!("The drive was not purged: {error}. It began as it was."));
        }
    }
}

fn run_load<E: Engine + Send>(session: &mut Session<E>, plan: &LoadPlan, geometry: &Geometry) -> Result<(), Failure> {
    let phase = plan.phase(geometry, false)?;
    let workloads = plan.workloads(1).map_err(|error| Failure::Usage(error.to_string()))?;
    let ends_after = plan.span().map_err(|error| Failure::Usage(error.to_string()))?.bytes();
    session.phase(&phase, workloads, Some(ends_after))?;
    Ok(())
}

fn condition(group: &str, name: &str, value: String) -> Condition {
    Condition { group: group.to_owned(), name: name.to_owned(), value }
}

#[expect(clippy::disallowed_methods, reason = "a run on a real drive has a date")]
fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Says what would be done, and checks whether it might be.
fn dry_run(args: &ConsistencyArgs, targets: &[TargetName]) -> Result<Ending, Failure> {
    let _ = (args, targets);
    Ok(Ending::Passed)
}
