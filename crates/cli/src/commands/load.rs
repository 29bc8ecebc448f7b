//! `drivelab load`.

use std::path::Path;

use drivelab_block::{ByteCount, Engine, Geometry, Nanos, Op};
use drivelab_method::{LoadPlan, Pace, Stage, StopRule};
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, OnFull, Severity};
use drivelab_report::{LoadDocument, LoadReport, Records};
use drivelab_sim::{Profile, SimDrive};
use drivelab_uring::keep_off;
use drivelab_workload::{Arrivals, Compressibility, Incompressible, Mix, Order, Seed};

use super::{output, simulated};
use crate::args::{ArrivalArg, LoadArgs, ReadWrite};
use crate::bench::{
    Finished, Opening, Real, Session, TargetName, Watch, check_cpus, drive_conditions, obtained_conditions,
    simulated_conditions, system_conditions,
};
use crate::exit::{Ending, Failure};
use crate::signals;

/// How long a load lasts where nothing else ends it.
const DEFAULT_DURATION: Nanos = Nanos::from_secs(10);

/// Loads a target and says how it answered.
pub fn main(args: LoadArgs) -> Result<Ending, Failure> {
    if args.read_percent.is_some() && args.rw != ReadWrite::Randrw {
        return Err(Failure::Usage("--read-percent goes with --rw randrw".to_owned()));
    }
    match TargetName::parse(&args.target)? {
        TargetName::Simulated(profile) => Load { args: &args }.simulated(&profile),
        TargetName::Path(path) => Load { args: &args }.real(&path),
    }
}

struct Load<'a> {
    args: &'a LoadArgs,
}

impl Load<'_> {
    fn simulated(&self, profile: &Profile) -> Result<Ending, Failure> {
        let drive = SimDrive::new(profile, Seed::new(self.args.seed).child("drive").get());
        let geometry = drive.geometry();
        let described = Drive { model: profile.model(), serial: None, size_bytes: geometry.capacity.get(), simulated: true };
        let manifest = self.manifest(described, simulated_conditions(profile));
        let stage =
            Stage { engines: vec![drive], queues: self.args.workers, on_full: OnFull::Wait, interrupt: signals::interrupt()? };
        if self.args.safety.dry_run {
            return self.dry_run(&geometry);
        }
        let mut session = self.open(stage, manifest, Watch::new(None, 0))?;
        let before = session.engines()[0].ground_truth().lifetime;
        let started_at = session.engines()[0].now();
        self.run(&mut session, &geometry)?;
        let account = simulated::account(&before, started_at, &session.engines()[0].ground_truth())?;
        self.show(session.finish(Some(account))?)
    }

    fn real(&self, path: &Path) -> Result<Ending, Failure> {
        check_cpus(&self.args.cpus)?;
        let real = if self.writes() {
            Real::open_for_writing(path, &self.args.safety, self.args.records.as_deref())?
        } else {
            Real::open_for_reading(path)?
        };
        let geometry = real.geometry();
        self.plan(&geometry).phase(&geometry, false)?;
        if self.args.safety.dry_run {
            return self.dry_run(&geometry);
        }
        let share = Compressibility::percent(self.args.compressibility).unwrap_or_default();
        let seed = Seed::new(self.args.seed);
        let engines = (0..self.args.workers).map(|worker| {
            let payload = Incompressible::new(seed.numbered(u64::from(worker)), share);
            real.engine(payload, &self.cpus_of(worker))
        });
        let stage =
            Stage { engines: engines.collect(), queues: 1, on_full: OnFull::Lose, interrupt: signals::interrupt()? };
        let mut conditions = drive_conditions(real.identity());
        conditions.extend(system_conditions());
        let manifest = self.manifest(real.drive(), conditions);
        let drive_name = real.drive_identity().map(|drive| drive.kernel_name.clone());
        let watch = Watch::new(drive_name, self.args.safety.temperature_limit);
        keep_off(&self.args.cpus).map_err(|error| Failure::io("the recorder cannot be moved", &error))?;
        let mut session = self.open(stage, manifest, watch)?;
        for note in &real.notes {
            session.notice(Severity::Note, note);
        }
        if self.writes() {
            real.verify_again()?;
        }
        self.run(&mut session, &geometry)?;
        let obtained = obtained_conditions(session.engines()[0].obtained());
        session.manifest_mut().conditions.extend(obtained);
        self.show(session.finish(None)?)
    }

    fn writes(&self) -> bool {
        !matches!(self.args.rw, ReadWrite::Randread | ReadWrite::Read) && self.args.read_percent != Some(100)
    }

    /// Workers take turns on the processors that were named.
    fn cpus_of(&self, worker: u16) -> Vec<usize> {
        let cpus = &self.args.cpus;
        cpus.get(usize::from(worker) % cpus.len().max(1)).copied().into_iter().collect()
    }

    fn plan(&self, geometry: &Geometry) -> LoadPlan {
        let args = self.args;
        let (order, mix) = match args.rw {
            ReadWrite::Randread => (Order::Uniform, Mix::Only(Op::Read)),
            ReadWrite::Randwrite => (Order::Uniform, Mix::Only(Op::Write)),
            ReadWrite::Randrw => (Order::Uniform, Mix::ReadPercent(args.read_percent.unwrap_or(50))),
            ReadWrite::Read => (Order::Sequential, Mix::Only(Op::Read)),
            ReadWrite::Write => (Order::Sequential, Mix::Only(Op::Write)),
            ReadWrite::Discard => (Order::Sequential, Mix::Only(Op::Discard)),
            ReadWrite::Flush => (Order::Sequential, Mix::Only(Op::Flush)),
        };
        let duration = args.duration.or(if args.bytes.is_some() { None } else { Some(DEFAULT_DURATION) });
        LoadPlan {
            name: format!("{:?}", args.rw).to_lowercase(),
            order,
            mix,
            block_size: args.block_size,
            range: args.address_range.on(geometry.capacity, u64::from(geometry.logical_block)),
            queue_depth: args.queue_depth,
            workers: args.workers,
            pace: match args.rate {
                None => Pace::Closed,
                Some(rate) => Pace::Open {
                    rate,
                    arrivals: match args.arrivals {
                        ArrivalArg::Regular => Arrivals::Regular,
                        ArrivalArg::Poisson => Arrivals::Poisson,
                    },
                },
            },
            stop: StopRule { duration, bytes: args.bytes },
            seed: Seed::new(args.seed),
        }
    }

    fn open<E: Engine + Send>(&self, stage: Stage<E>, manifest: Manifest, watch: Watch) -> Result<Session<E>, Failure> {
        Session::open(Opening { stage, manifest, folder: self.args.records.as_deref(), watch })
    }

    fn run<E: Engine + Send>(&self, session: &mut Session<E>, geometry: &Geometry) -> Result<(), Failure> {
        let plan = self.plan(geometry);
        let engines = u16::try_from(session.engines().len()).unwrap_or(u16::MAX);
        let phase = plan.phase(geometry, engines < self.args.workers)?;
        let workloads = plan.workloads(engines).map_err(|error| Failure::Usage(error.to_string()))?;
        let end = session.phase(&phase, workloads, None)?;
        if end.missed_sends > 0 {
            let text = format!("{} requests were due and never sent: the drive did not keep up with --rate.", end.missed_sends);
            session.notice(Severity::Warning, text);
        }
        if end.delayed_sends > 0 {
            let text = format!(
                "{} requests found all {} slots taken and were sent late; their response time counts from when they were due.",
                end.delayed_sends, phase.limits.queue_depth
            );
            session.notice(Severity::Note, text);
        }
        Ok(())
    }

    fn manifest(&self, drive: Drive, conditions: Vec<Condition>) -> Manifest {
        let args = self.args;
        Manifest {
            schema: MANIFEST_SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: "load".to_owned(),
            label: args.target.clone(),
            target: args.target.clone(),
            drive,
            seed: args.seed,
            started_unix_s: None,
            settings: serde_json::json!({
                "rw": format!("{:?}", args.rw).to_lowercase(),
                "block_size_bytes": args.block_size.get(),
                "queue_depth": args.queue_depth,
                "workers": args.workers,
                "rate": args.rate,
                "arrivals": args.rate.map(|_| format!("{:?}", args.arrivals).to_lowercase()),
                "round_s": 1,
            }),
            conditions,
            notices: Vec::new(),
            phases: Vec::new(),
            outcome: None,
        }
    }

    fn show<E>(&self, finished: Finished<E>) -> Result<Ending, Failure> {
        let manifest = &finished.manifest;
        let outcome = manifest.outcome.clone().unwrap_or_default();
        let (Some(phase), Some(measured)) = (manifest.phases.last(), finished.analysis.phases().last()) else {
            return Err(Failure::Environment("the load ended before its first I/O".to_owned()));
        };
        let report = LoadReport {
            target: self.args.target.clone(),
            seed: self.args.seed,
            duration: Nanos::new(phase.ended_at_ns.unwrap_or(phase.started_at_ns) - phase.started_at_ns),
            workers: u32::from(self.args.workers),
            queue_depth: self.args.queue_depth,
            obtained: Vec::new(),
            records: Records {
                completions: outcome.completions,
                failed: outcome.failed,
                lost: outcome.lost_records,
                bytes: outcome.records_bytes,
                completions_hash: outcome.completions_hash.clone(),
            },
            measured,
        };
        let document = LoadDocument::of(&report);
        if self.args.json {
            output::print_json(&document)?;
        } else {
            output::print(&summary(&document))?;
        }
        for notice in &manifest.notices {
            eprintln!("{}", notice.text);
        }
        Ok(match outcome {
            outcome if outcome.interrupted => Ending::Interrupted,
            outcome if outcome.failed > 0 || outcome.lost_records > 0 => Ending::CheckFailed,
            _ => Ending::Passed,
        })
    }

    fn dry_run(&self, geometry: &Geometry) -> Result<Ending, Failure> {
        let plan = self.plan(geometry);
        plan.phase(geometry, false)?;
        let range = ByteCount::new(plan.range.1.get() - plan.range.0.get());
        output::print(&format!("{}: {:?} over {range}, nothing was done (--dry-run)\n", self.args.target, self.args.rw))
    }
}

fn summary(document: &LoadDocument) -> String {
    let mut text = format!(
        "{}: {:.0} IOPS, {:.1} MB/s over {:.1} s ({} loop, {} completions, {} failed, {} not recorded)\n",
        document.target,
        document.iops,
        document.mb_s,
        document.duration_s,
        document.mode,
        document.completions,
        document.failed,
        document.lost_records
    );
    let rows = [("service", &document.service_ns), ("response", &document.response_ns)];
    for (name, latency) in rows.iter().filter_map(|(name, latency)| Some((name, latency.as_ref()?))) {
        let us = |nanos: u64| nanos as f64 / 1e3;
        text += &format!(
            "  {name:<8} mean {:.1} us  p50 {:.1}  p99 {:.1}  p99.9 {:.1}  max {:.1} us\n",
            latency.mean / 1e3,
            us(latency.p50),
            us(latency.p99),
            us(latency.p99_9),
            us(latency.max)
        );
    }
    text
}
