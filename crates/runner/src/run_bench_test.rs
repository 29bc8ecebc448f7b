//! A test without records, from its settings to its result: the same way for a real drive and for a simulated one.

use std::path::Path;

use drivelab_block::Geometry;
use drivelab_kinds::BenchTest;
use drivelab_method::Workers;
use drivelab_record::{Condition, Drive, Notice, OnFull, Severity};
use drivelab_safety::{System, Target};
use drivelab_sim::{Profile, SimDrive};
use drivelab_workload::Seed;

use crate::load_bench::{NotedBench, RealBench, SimulatedBench};
use crate::purge::check_purge;
use crate::results::Printed;
use crate::{
    CellLine, Ending, FILE_IS_CACHED, Failure, Heartbeat, HostMonitors, NOT_ENDED_BY_HEAT, PlannedTest, Real,
    Served, TargetName, TestRequest, UnrecordedRun, UnrecordedStart, Watch, check_flags, check_safety,
    check_task_meter, checked, dry_run, folder_complaint, geometry_of, real_conditions,
    refuse_temperature_limit, signals, simulated_conditions, simulated_drive, started_now,
    unwatched_simulated,
};

/// Runs a test without records, keeps what is known of its result after each round where a folder was named, and shows it.
pub fn run_bench_test<T: BenchTest>(request: &TestRequest<'_, T>) -> Result<Ending, Failure> {
    let target = TargetName::parse(request.target)?;
    check_flags(request.safety, std::slice::from_ref(&target), None)?;
    check_task_meter(request.meter, Some(&target))?;
    request.destination.check()?;
    let request = BenchRequest(request);
    match target {
        TargetName::Simulated(profile) => request.on_simulated(&profile),
        TargetName::Path(path) => request.on_real(&path),
    }
}

/// A test that is to be run on a bench.
struct BenchRequest<'a, T: BenchTest>(&'a TestRequest<'a, T>);

impl<'a, T: BenchTest> BenchRequest<'a, T> {
    fn on_simulated(&self, profile: &Profile) -> Result<Ending, Failure> {
        let (request, geometry) = (self.0, profile.geometry());
        check_purge(None, T::purge(&request.settings))?;
        refuse_temperature_limit(request.safety.temperature_limit, NOT_ENDED_BY_HEAT)?;
        let complaint = self.folder_complaint();
        if request.safety.dry_run {
            return self.dry_run(Some(&self.plan(geometry)?), complaint);
        }
        let plan = checked(self.plan(geometry), complaint, || Ok(()))?;
        let interrupt = signals::interrupt()?;
        let drive = SimDrive::new(profile, Seed::new(request.seed).child("drive").get());
        let stage = Workers {
            engines: vec![drive],
            queues: T::THREADS_MAX,
            on_full: OnFull::Wait,
            interrupt: interrupt.clone(),
        };
        let line = CellLine::without_end(request.target, request.destination.parent);
        let notices = unwatched_simulated(request.safety.temperature_limit, profile).into_iter().collect();
        let served = Served::default();
        let bench = SimulatedBench { stage, geometry, line, notices, served: served.clone() };
        let of_drive = (simulated_drive(profile), simulated_conditions(profile));
        let start = UnrecordedStart { interrupt, served, ..self.start(of_drive, geometry) };
        carry_out::<T, _>(&plan, bench, UnrecordedRun::begin(start)?)
    }

    fn on_real(&self, path: &Path) -> Result<Ending, Failure> {
        let request = self.0;
        let (folder, safety) = (request.destination.folder, request.safety);
        let target = Target::resolve(&System::live(), path)?;
        check_purge(Some(&target), T::purge(&request.settings))?;
        let check_target = || check_safety(&target, safety, folder);
        let early = geometry_of(&target, safety.file_size).map(|geometry| self.plan(geometry)).transpose();
        let complaint = self.folder_complaint();
        if safety.dry_run {
            let early = checked(early, None, check_target)?;
            return self.dry_run(early.as_ref(), complaint.into_iter().chain(check_target().err()));
        }
        checked(early, complaint, check_target)?;
        let interrupt = signals::interrupt()?;
        let real = Real::open_for_writing(path, safety, folder)?;
        let (geometry, clock) = (real.geometry(), real.clock());
        let plan = self.plan(geometry)?;
        let watched = Watch::of_own_ios(&real, safety.temperature_limit, &interrupt)?;
        let surroundings =
            HostMonitors { device: Some(real.device()), clock, target: watched, meter: request.meter };
        let served = Served::default();
        let bench = RealBench {
            served: served.clone(),
            real: &real,
            path,
            data: Seed::new(request.seed).child("data"),
            interrupt: interrupt.clone(),
            line: CellLine::without_end(request.target, request.destination.parent),
            notices: notices_of(&real),
            heartbeat: Heartbeat::start(clock).ok(),
        };
        let of_drive = (real.drive(), real_conditions(&real));
        let start = UnrecordedStart {
            started: started_now(),
            interrupt,
            surroundings: Some(surroundings),
            served,
            ..self.start(of_drive, geometry)
        };
        carry_out::<T, _>(&plan, bench, UnrecordedRun::begin(start)?)
    }

    fn plan(&self, geometry: Geometry) -> Result<T::Plan, Failure> {
        Ok(T::plan(&self.0.settings, geometry, Seed::new(self.0.seed))?)
    }

    fn folder_complaint(&self) -> Option<Failure> {
        folder_complaint("-o", self.0.destination.folder?)
    }

    fn dry_run(
        &self,
        plan: Option<&T::Plan>,
        complaints: impl IntoIterator<Item = Failure>,
    ) -> Result<Ending, Failure> {
        let planned = PlannedTest::new(self.0.target, plan.map(T::outline)).with_meter(self.0.meter);
        dry_run(&[planned], self.0.destination.printed == Printed::Document, complaints)
    }

    fn start(
        &self,
        (drive, conditions): (Drive, Vec<Condition>),
        geometry: Geometry,
    ) -> UnrecordedStart<'a, T> {
        let request = self.0;
        UnrecordedStart {
            target: request.target,
            settings: T::comparable(request.settings.clone(), geometry),
            seed: request.seed,
            drive,
            conditions,
            started: None,
            destination: request.destination,
            interrupt: drivelab_method::Interrupt::default(),
            surroundings: None,
            served: Served::default(),
        }
    }
}

fn notices_of(real: &Real) -> Vec<Notice> {
    let note = |text: &String| Notice { severity: Severity::Note, text: text.clone() };
    let cached = Notice { severity: Severity::Warning, text: FILE_IS_CACHED.to_owned() };
    real.notes.iter().map(note).chain(real.file_is_cached().then_some(cached)).collect()
}

/// What a test does on a bench, whichever it is; what is known is kept whenever something new is.
fn carry_out<T: BenchTest, B: NotedBench>(
    plan: &T::Plan,
    mut bench: B,
    mut run: UnrecordedRun<'_, T>,
) -> Result<Ending, Failure> {
    let mut findings = T::Findings::default();
    // Tried before hours are spent.
    if let Err(failure) = run.found(findings.clone()) {
        bench.clear();
        return run.finish(Err(failure));
    }
    let ended = T::run(plan, &mut bench, &mut findings, |bench, findings| {
        // What is not kept now is kept after the next round, and where it is not, the end reports it.
        let _ = keep(bench, findings, &mut run);
    });
    bench.clear();
    let kept = keep(&bench, &findings, &mut run);
    run.finish(ended.and(kept))
}

fn keep<T: BenchTest, B: NotedBench>(
    bench: &B,
    findings: &T::Findings,
    run: &mut UnrecordedRun<'_, T>,
) -> Result<(), Failure> {
    for notice in bench.notices() {
        run.notice(notice.severity, notice.text.as_str());
    }
    run.found(findings.clone())
}
