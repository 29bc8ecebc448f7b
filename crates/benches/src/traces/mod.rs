//! How fast traces are imported and analysed, by processor time: on one core that is the rate, whoever else is busy.

mod inputs;
mod timed;

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::ours;
use crate::rounds::{Lane, median, table};
use crate::zram::memory_folder;
use timed::{Taken, run};

const ROUNDS: usize = 5;
const ROWS: u32 = 3_000_000;
const REQUESTS: u32 = 1_000_000;
/// Two weeks of a desktop.
const LARGE: u32 = 39_000_000;
const SMALL: u32 = 4_000_000;

/// Mean and deviation of the response times, as each peer would have them.
const AWK: &str =
    "{ n++; s += $7; q += $7 * $7 } END { m = s / n; print m, sqrt((q - n * m * m) / (n - 1)) }";
const DUCKDB: &str = "import sys, duckdb; duckdb.sql('SET threads = 1'); print(duckdb.sql(\
    f\"SELECT avg(column6), stddev(column6) FROM read_csv('{sys.argv[1]}', header = false)\").fetchall())";
const POLARS: &str = "import sys, polars as p; r = p.col('column_6'); print(p.scan_csv(sys.argv[1], has_header = False)\
    .select(r.mean().alias('mean'), r.std().alias('deviation')).collect())";

/// An import of MSR CSV, of a blktrace, and the analysis of own records, each beside those who do the like.
pub fn bench() -> Result<String> {
    let folder = memory_folder()?;
    let mut text = csv(folder.path())?;
    let _ = write!(text, "\n{}", blktrace(folder.path())?);
    let _ = write!(text, "\n{}", large(folder.path())?);
    Ok(text)
}

/// A program, and its name in the table.
struct Contender {
    name: &'static str,
    command: Command,
    /// How many rows or events it reads.
    rows: u32,
    /// The file or folder that it makes and that must be gone before the next round.
    makes: Option<std::path::PathBuf>,
}

impl Contender {
    fn new(name: &'static str, program: &str, arguments: &[&str], file: &Path, rows: u32) -> Contender {
        let mut command = Command::new(program);
        command.args(arguments).arg(file);
        Contender { name, command, rows, makes: None }
    }

    fn import(name: &'static str, file: &Path, rows: u32) -> Contender {
        let folder = file.with_extension("trace");
        let mut command = ours::program();
        command.args(["trace", "import"]).arg(file).arg("-o").arg(&folder);
        Contender { name, command, rows, makes: Some(folder) }
    }

    fn show(name: &'static str, folder: &Path, rows: u32) -> Contender {
        let mut command = ours::program();
        command.args(["trace", "show"]).arg(folder);
        Contender { name, command, rows, makes: None }
    }

    /// Rows a second of processor time, on one core.
    fn rate(&self) -> Result<f64> {
        if let Some(folder) = self.makes.as_ref().filter(|folder| folder.exists()) {
            std::fs::remove_dir_all(folder)?;
        }
        Ok(f64::from(self.rows) / run(&self.command, "0")?.cpu)
    }
}

/// All of them in turn, the first beside the others. Who is not there is told, and left out.
fn beside(contenders: &[Contender], unit: &str) -> Result<String> {
    let mut lanes: Vec<Lane> = Vec::new();
    let mut present: Vec<&Contender> = Vec::new();
    let mut skipped = String::new();
    for (number, contender) in contenders.iter().enumerate() {
        match contender.rate() {
            Ok(_) => {
                present.push(contender);
                lanes.push(Lane::new(contender.name, None));
            }
            Err(error) if number == 0 => return Err(error),
            Err(error) => drop(writeln!(skipped, "  SKIPPED: {}: {error:#}", contender.name)),
        }
    }
    for _ in 0..ROUNDS {
        for (lane, contender) in lanes.iter_mut().zip(&present) {
            lane.figures.push(contender.rate()?);
        }
    }
    Ok(table(&lanes[0], &lanes[1..], unit) + &skipped)
}

fn csv(folder: &Path) -> Result<String> {
    let file = folder.join("msr.csv");
    inputs::write_csv(&file, ROWS)?;
    let import = Contender::import("drivelab trace import (and show)", &file, ROWS);
    import.rate()?;
    let show = Contender::show("drivelab trace show, own records", &file.with_extension("trace"), ROWS);
    let peers = || {
        [
            Contender::new("awk, mean and deviation", "awk", &["-F", ",", AWK], &file, ROWS),
            Contender::new("DuckDB, mean and deviation", "python3", &["-c", DUCKDB], &file, ROWS),
            Contender::new("Polars, mean and deviation", "python3", &["-c", POLARS], &file, ROWS),
        ]
    };
    let mut text = beside(&[vec![show], peers().into()].into_iter().flatten().collect::<Vec<_>>(), "rows/s")?;
    let imports: Vec<Contender> = [vec![import], peers().into()].into_iter().flatten().collect();
    let _ = write!(text, "\n{}", beside(&imports, "rows/s")?);
    std::fs::remove_file(&file)?;
    Ok(text)
}

fn blktrace(folder: &Path) -> Result<String> {
    let file = folder.join("sda.blktrace.0");
    inputs::write_blktrace(&file, REQUESTS)?;
    let events = 3 * REQUESTS;
    let contenders = [
        Contender::import("drivelab trace import of a blktrace", &file, events),
        Contender::new("blkparse, its text", "blkparse", &["-i"], &file, events),
        Contender::new("btt", "btt", &["-i"], &file, events),
    ];
    beside(&contenders, "events/s")
}

/// Two weeks of a desktop, on two cores by the clock; and whether its memory grows with a trace.
fn large(folder: &Path) -> Result<String> {
    let mut text = String::new();
    for (rows, rounds) in [(SMALL, 3), (LARGE, 3)] {
        let trace = folder.join("large");
        inputs::make_trace(&trace, rows)?;
        let mut show = ours::program();
        show.args(["trace", "show", "--json"]).arg(&trace);
        let taken: Vec<Taken> = (0..rounds).map(|_| run(&show, "0,1")).collect::<Result<_>>()?;
        let of = |figure: fn(&Taken) -> f64| median(&taken.iter().map(figure).collect::<Vec<f64>>());
        let (wall, cpu, memory) = (of(|one| one.wall), of(|one| one.cpu), of(|one| one.memory) / 1e6);
        let _ = writeln!(
            text,
            "  trace show of {} million: {wall:.2} s by the clock, {cpu:.2} s of two cores, {memory:.0} MB",
            rows / 1_000_000
        );
        std::fs::remove_dir_all(&trace)?;
        std::fs::remove_file(trace.with_extension("pipe"))?;
    }
    Ok(text)
}
