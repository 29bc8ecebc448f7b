//! How well a trace's times are kept: the same trace replayed by drivelab and by fio, judged by the same tracepoint.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

use crate::ours;
use crate::rounds::median;
use crate::tracepoint::Tracepoint;
use crate::zram::{Fill, Zram, memory_folder};

const ROUNDS: usize = 5;
const REQUESTS: usize = 200_000;
/// Mean gap of the Poisson arrivals, in nanoseconds: 20 thousand a second.
const GAP_NS: f64 = 50_000.0;
const DEVICE_BYTES: u64 = 256 << 20;

/// What came of one round.
#[derive(Default)]
struct Lane {
    p50: Vec<f64>,
    p99: Vec<f64>,
    drift_ppm: Vec<f64>,
}

/// 200 thousand reads with Poisson arrivals on zram.
pub fn bench() -> Result<String> {
    let zram = Zram::filled(DEVICE_BYTES, Fill::Words)?;
    let device = zram.path();
    let folder = memory_folder()?;
    let (trace, log) = (folder.path().join("trace"), folder.path().join("log"));
    let due = write_trace(&folder.path().join("rows"), &trace)?;
    export(&trace, &device, &log)?;
    let tracepoint = Tracepoint::on(&device)?;
    let (mut mine, mut theirs, mut own) = (Lane::default(), Lane::default(), Lane::default());
    for _ in 0..ROUNDS {
        tracepoint.clear()?;
        let document = ours::run(&["replay", &trace.display().to_string(), &device.display().to_string()])?;
        mine.judge(&due, &tracepoint.seen()?)?;
        let fidelity = &document["findings"]["replayed"]["fidelity"];
        let late = &fidelity["lateness_ns"];
        own.p50.push(late["p50"].as_f64().context("no lateness")? / 1e3);
        own.p99.push(late["p99"].as_f64().context("no lateness")? / 1e3);
        own.drift_ppm.push(fidelity["drift_ppm"].as_f64().context("no drift")?);
        tracepoint.clear()?;
        fio(&device, &log, folder.path())?;
        theirs.judge(&due, &tracepoint.seen()?)?;
    }
    let mut text =
        format!("  {:<44} {:>12} {:>12} {:>12}\n", "late, in microseconds", "p50", "p99", "drift ppm");
    for (name, lane) in [
        ("drivelab, at the block layer (goal 5, 50, 10)", &mine),
        ("drivelab, by its own account", &own),
        ("fio, read_iolog, at the block layer", &theirs),
    ] {
        let (p50, p99, drift) = (median(&lane.p50), median(&lane.p99), median(&lane.drift_ppm));
        let _ = writeln!(text, "  {name:<46} {p50:>10.1} {p99:>12.1} {drift:>12.2}");
    }
    Ok(text)
}

impl Lane {
    /// Adds a round: when requests were due and when they were seen, in microseconds, and at which sectors.
    fn judge(&mut self, asked: &[(f64, u64)], seen: &[(f64, u64)]) -> Result<()> {
        let mut places: HashMap<u64, VecDeque<f64>> = HashMap::new();
        for (due, sector) in asked {
            places.entry(*sector).or_default().push_back(*due);
        }
        let pairs =
            seen.iter().filter_map(|(seen, sector)| Some((places.get_mut(sector)?.pop_front()?, *seen)));
        let (due, seen): (Vec<f64>, Vec<f64>) = pairs.unzip();
        // The kernel leaves out an event now and then, where an interrupt comes between.
        ensure!(due.len() * 1000 >= asked.len() * 999, "{} of {} requests were seen", due.len(), asked.len());
        // Nobody says when the schedule began: the request that was least late was not late at all.
        let late: Vec<f64> = due.iter().zip(seen).map(|(due, seen)| seen - due).collect();
        let least = late.iter().copied().fold(f64::INFINITY, f64::min);
        let mut late: Vec<f64> = late.iter().map(|late| late - least).collect();
        self.drift_ppm.push(slope(&due, &late) * 1e6);
        late.sort_unstable_by(f64::total_cmp);
        self.p50.push(late[late.len() / 2]);
        self.p99.push(late[late.len() * 99 / 100]);
        Ok(())
    }
}

/// The slope of the line of least squares.
fn slope(x: &[f64], y: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (mean_x, mean_y) = (mean(x), mean(y));
    let products: f64 = x.iter().zip(y).map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    products / x.iter().map(|x| (x - mean_x).powi(2)).sum::<f64>()
}

/// Imports a trace of Poisson arrivals, and gives back when its requests are due, in microseconds, and at which sectors.
fn write_trace(rows: &Path, trace: &Path) -> Result<Vec<(f64, u64)>> {
    let mut state = 7u64;
    let mut draw = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 11
    };
    let (mut at, mut text, mut due) = (0.0, String::new(), Vec::with_capacity(REQUESTS));
    for _ in 0..REQUESTS {
        at -= ((draw() + 1) as f64 / (1u64 << 53) as f64).ln() * GAP_NS;
        let sector = draw() % (DEVICE_BYTES / 4096) * 8;
        // fio keeps whole microseconds, so both get those.
        let micros = (at / 1e3).round();
        let _ = writeln!(text, "{} 0 {sector} 8 1", micros * 1e3);
        due.push((micros, sector));
    }
    fs::write(rows, text)?;
    let (rows, trace) = (rows.display().to_string(), trace.display().to_string());
    ours::run(&["trace", "import", &rows, "--format", "mqsim", "-o", &trace])?;
    Ok(due)
}

fn export(trace: &Path, device: &Path, log: &Path) -> Result<()> {
    let mut export = ours::program();
    export.args(["trace", "export", "--format", "fio3", "--replay-on"]).arg(device).arg(trace).arg(log);
    ensure!(export.status()?.success(), "the trace could not be exported");
    Ok(())
}

fn fio(device: &Path, log: &Path, folder: &Path) -> Result<()> {
    let status = Command::new("fio")
        .args(["--name=replay", "--ioengine=io_uring", "--direct=1", "--iodepth=1024", "--readonly"])
        .arg(format!("--filename={}", device.display()))
        .arg(format!("--read_iolog={}", log.display()))
        .current_dir(folder)
        .stdout(Stdio::null())
        .status()
        .context("fio (package fio)")?;
    ensure!(status.success(), "fio failed");
    Ok(())
}
