//! What a run says of itself before its first I/O: manifest, label, conditions, the name of its folder.

use drivelab_block::{ByteCount, Geometry};
use drivelab_method::consistency::ConsistencyPlan;
use drivelab_record::{Condition, Drive, MANIFEST_SCHEMA, Manifest, MeasuredPhases};
use drivelab_runner::{
    Real, condition, real_conditions, simulated_conditions, simulated_drive, unix_seconds,
};
use drivelab_settings::{ConsistencySettings, Settings};
use drivelab_sim::Profile;

use super::bench::Bench;

impl Bench<'_> {
    /// The manifest of a run on a simulated drive. It names no machine and no date: equal runs are equal
    /// byte by byte.
    pub fn simulated_manifest(&self, profile: &Profile, plan: &ConsistencyPlan) -> Manifest {
        let (start, end) = plan.written_range();
        let alpha = profile.alpha(ByteCount::new(end.get() - start.get()));
        let mut conditions = simulated_conditions(profile);
        let alpha = format!("{alpha:.3} ((flash - collection reserve) / written range)");
        conditions.push(condition("Drive", "alpha", alpha));
        let settings = self.settings(plan, &profile.geometry());
        self.manifest(simulated_drive(profile), None, conditions, (plan, settings))
    }

    /// The manifest of a run on a real drive or file.
    pub fn real_manifest(&self, real: &Real, plan: &ConsistencyPlan) -> Manifest {
        let conditions = real_conditions(real.identity());
        let settings = self.settings(plan, &real.geometry());
        self.manifest(real.drive(), Some(unix_seconds()), conditions, (plan, settings))
    }

    fn manifest(
        &self,
        drive: Drive,
        started_unix_s: Option<u64>,
        mut conditions: Vec<Condition>,
        (plan, settings): (&ConsistencyPlan, Settings),
    ) -> Manifest {
        conditions.extend(self.workload_conditions(plan));
        Manifest {
            schema: MANIFEST_SCHEMA.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            method: "consistency".to_owned(),
            label: self.label(),
            target: self.name.to_owned(),
            started_unix_s,
            drive,
            seed: self.args.result.seed(),
            measured: Some(MeasuredPhases::Phase(plan.random_writes().name)),
            settings: settings.to_value(),
            conditions,
            notices: Vec::new(),
            phases: Vec::new(),
            outcome: None,
        }
    }

    /// What the run is called beside others.
    pub fn label(&self) -> String {
        if self.reserve == 0.0 {
            self.name.to_owned()
        } else if self.args.range.is_whole() {
            format!("{}, {} % kept back", self.name, self.reserve)
        } else {
            format!("{}, {} % of the address range kept back", self.name, self.reserve)
        }
    }

    /// The name of the run's folder: its number, its target, its reserve.
    pub fn folder_name(&self) -> String {
        let plain =
            |sign: char| if sign.is_ascii_alphanumeric() || ".-_".contains(sign) { sign } else { '-' };
        let name: String = self.name.trim_start_matches("/dev/").chars().map(plain).collect();
        let name: String = name.trim_matches(['-', '.']).chars().take(60).collect();
        format!("{:02}-{name}-reserve-{}", self.number, self.reserve)
    }

    fn settings(&self, plan: &ConsistencyPlan, geometry: &Geometry) -> Settings {
        Settings::Consistency(ConsistencySettings {
            over_provisioning_percent: self.reserve,
            range: self.args.range.asked(geometry),
            block_size_bytes: plan.block_size.get(),
            queue_depth: plan.queue_depth,
            duration_ns: plan.duration.get(),
            window_s: self.args.window.get().div_ceil(1_000_000_000),
            purge: !self.args.no_purge,
            fill: plan.fill,
            compressibility_percent: self.args.compressibility.percent(),
        })
    }

    /// What the reserve is a share of: next to an address range it is none of the whole drive.
    fn kept_back(&self, plan: &ConsistencyPlan) -> String {
        if self.args.range.is_whole() {
            return format!("{} % of the user capacity", self.reserve);
        }
        let (start, end) = (plan.range.0.get(), plan.range.1.get());
        format!("{} % of the address range, bytes {start} to {end}", self.reserve)
    }

    fn workload_conditions(&self, plan: &ConsistencyPlan) -> Vec<Condition> {
        let (start, end) = plan.written_range();
        let line = |name: &str, value: String| condition("Workload", name, value);
        let (bytes, depth) = (plan.block_size.get(), plan.queue_depth);
        let round = self.args.window.as_secs_f64();
        vec![
            line("Random writes", format!("{bytes} bytes, {depth} in flight, uniform, closed loop")),
            line("Duration", format!("{} s", plan.duration.as_secs_f64())),
            line("Written range", format!("bytes {} to {}", start.get(), end.get())),
            line("Kept back", self.kept_back(plan)),
            line("Data", format!("random, {} % compressible", self.args.compressibility.percent())),
            line(
                "Steady state",
                format!(
                    "five rounds of {round} s, after the cliff if there is one: max - min at most 20 %, slope at \
                     most 10 % of the mean"
                ),
            ),
            line("Seed", self.args.result.seed().to_string()),
        ]
    }
}
