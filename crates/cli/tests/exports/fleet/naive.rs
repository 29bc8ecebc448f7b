//! The answers by a computation that keeps every row in memory and sorts whatever it ranks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::Path;

use drivelab_export::rollup::{Rollup, visit_rollup};
use drivelab_stats::bucket_range;
use serde_json::{Value, json};

use crate::common::tables::table;
use crate::common::tree;

const DAY_MS: i64 = 86_400_000;

/// A row of a rollup, and what the table of drives has of its device.
#[derive(Clone, Debug)]
struct Row {
    run: String,
    host: String,
    device: String,
    drive: String,
    model: Option<String>,
    firmware: Option<String>,
    start_ms: i64,
    is_measured: bool,
    op: usize,
    bucket: Option<u16>,
    ios: u64,
    failed_ios: u64,
    bytes: u64,
    service_ns: u64,
}

/// Everything in a destination.
pub struct Destination {
    rows: Vec<Row>,
    catalogue: Vec<BTreeMap<String, String>>,
    drives: Vec<BTreeMap<String, String>>,
}

fn known(text: &str) -> Option<String> {
    (text != "null").then(|| text.to_owned())
}

/// Every bucket as often as it has I/Os, sorted.
fn sorted<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<u16> {
    let each = |row: &Row| {
        row.bucket.map(|bucket| std::iter::repeat_n(bucket, usize::try_from(row.ios).expect("few")))
    };
    let mut buckets: Vec<u16> = rows.filter_map(each).flatten().collect();
    buckets.sort_unstable();
    buckets
}

/// The bucket of rank ceil(p * n).
fn ranked(buckets: &[u16], thousandths: usize) -> Option<u16> {
    let rank = (buckets.len() * thousandths).div_ceil(1000);
    buckets.get(rank.checked_sub(1)?).copied()
}

fn nanos(buckets: &[u16], thousandths: usize) -> Option<u64> {
    ranked(buckets, thousandths).map(|bucket| bucket_range(bucket).0)
}

fn micros(buckets: &[u16], thousandths: usize) -> Option<f64> {
    nanos(buckets, thousandths).map(|nanos| nanos as f64 / 1000.0)
}

fn rounded(value: f64, steps: f64) -> f64 {
    (value * steps + 0.5).floor() / steps
}

fn in_ppm(share: f64) -> f64 {
    (share * 1e9 + 0.5).floor() / 1e3
}

fn operation(op: usize) -> &'static str {
    ["read", "write", "discard", "flush"][op]
}

/// Destination by a key, in the order of the keys.
fn grouped<'a, K: Ord>(
    rows: impl Iterator<Item = &'a Row>,
    key: impl Fn(&Row) -> K,
) -> BTreeMap<K, Vec<&'a Row>> {
    let mut groups: BTreeMap<K, Vec<&Row>> = BTreeMap::new();
    rows.for_each(|row| groups.entry(key(row)).or_default().push(row));
    groups
}

fn sum(rows: &[&Row], of: impl Fn(&Row) -> u64) -> u64 {
    rows.iter().map(|row| of(row)).sum()
}

fn first_host(rows: &[&Row]) -> String {
    rows.iter().map(|row| row.host.clone()).min().expect("a row")
}

impl Row {
    /// The drives that it is compared with.
    fn peers(&self) -> (String, usize) {
        (self.model.clone().unwrap_or_else(|| self.drive.clone()), self.op)
    }
}

impl Destination {
    pub fn of(destination: &Path) -> Destination {
        let drives = table(destination, "drives");
        let mut rows = Vec::new();
        for (path, _) in tree(destination) {
            let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            let [_, host, run, name] = &parts[..] else { continue };
            if name != "rollup.parquet" {
                continue;
            }
            let (host, run) = (host.replacen("host=", "", 1), run.replacen("run=", "", 1));
            let (file, mut rollup) =
                (File::open(destination.join(&path)).expect("a file"), Rollup::default());
            visit_rollup(file, &mut |row| rollup.add(row.clone())).expect("a rollup");
            for row in rollup.rows() {
                let is_own = |drive: &&BTreeMap<String, String>| {
                    (&drive["run"], &drive["host"], drive["device"].as_str()) == (&run, &host, &*row.device)
                };
                let drive = drives.iter().find(is_own).expect("a drive for each device");
                rows.push(Row {
                    run: run.clone(),
                    host: host.clone(),
                    device: row.device.to_string(),
                    drive: drive["drive"].clone(),
                    model: known(&drive["drive_model"]),
                    firmware: known(&drive["firmware"]),
                    start_ms: row.interval.start_unix_millis(),
                    is_measured: row.is_measured,
                    op: usize::from(row.op.code()),
                    bucket: row.bucket,
                    ios: row.sums.ios,
                    failed_ios: row.sums.failed_ios,
                    bytes: row.sums.bytes,
                    service_ns: row.sums.service_ns,
                });
            }
        }
        Destination { rows, catalogue: table(destination, "catalogue"), drives }
    }

    /// Each table by its name. Of the slowest drives the errors are left to [`Destination::check_errors`].
    pub fn answers(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("percentiles_by_model", self.percentiles()),
            ("hours_of_day", self.hours()),
            ("slower_drives", self.slower()),
            ("write_amplification", self.amplification()),
            ("outside_peers", self.outside()),
            ("reviews", self.reviews()),
        ]
    }

    fn measured(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.is_measured)
    }

    fn timed(&self) -> impl Iterator<Item = &Row> {
        self.measured().filter(|row| row.bucket.is_some())
    }

    /// The rows of slow I/Os.
    fn slow(&self) -> Vec<&Row> {
        let limits: BTreeMap<_, _> = grouped(self.timed(), Row::peers)
            .into_iter()
            .map(|(peers, rows)| (peers, ranked(&sorted(rows.into_iter()), 999)))
            .collect();
        self.timed().filter(|row| row.bucket > limits[&row.peers()]).collect()
    }

    fn percentiles(&self) -> Value {
        let groups = grouped(self.measured(), |row| (row.model.clone(), row.firmware.clone(), row.op));
        let row = |((model, firmware, op), rows): (_, Vec<&Row>)| {
            let distinct =
                |of: fn(&Row) -> &String| rows.iter().map(|row| of(row)).collect::<BTreeSet<_>>().len();
            let buckets = sorted(rows.iter().copied());
            json!({
                "drive_model": model, "firmware": firmware, "operation": operation(op),
                "drives": distinct(|row| &row.drive), "hosts": distinct(|row| &row.host),
                "ios": sum(&rows, |row| row.ios), "failed_ios": sum(&rows, |row| row.failed_ios),
                "bytes": sum(&rows, |row| row.bytes), "p50_us": micros(&buckets, 500),
                "p99_us": micros(&buckets, 990), "p999_us": micros(&buckets, 999),
            })
        };
        groups.into_iter().map(row).collect()
    }

    fn hours(&self) -> Value {
        let hour = |row: &Row| (row.op, row.start_ms / 3_600_000 % 24);
        let slow = grouped(self.slow().into_iter(), hour);
        let row = |(key, rows): ((usize, i64), Vec<&Row>)| {
            let ios = sum(&rows, |row| row.ios);
            let slow = slow.get(&key).map_or(0, |rows| sum(rows, |row| row.ios));
            json!({
                "operation": operation(key.0), "hour_utc": key.1, "ios": ios, "slow_ios": slow,
                "slow_ppm": in_ppm(slow as f64 / ios as f64), "p99_us": micros(&sorted(rows.into_iter()), 990),
            })
        };
        grouped(self.timed(), hour).into_iter().map(row).collect()
    }

    fn slower(&self) -> Value {
        let reads = self.timed().filter(|row| row.op == 0);
        let mut found = Vec::new();
        for (drive, rows) in grouped(reads, |row| row.drive.clone()) {
            let last = rows.iter().map(|row| row.start_ms).max().expect("a row");
            let (late, before): (Vec<&Row>, Vec<&Row>) =
                rows.iter().partition(|row| row.start_ms > last - 7 * DAY_MS);
            let (before, late) = (sorted(before.into_iter()), sorted(late.into_iter()));
            if before.len() < 10_000 || late.len() < 10_000 {
                continue;
            }
            let (was, is) = (nanos(&before, 990).expect("reads"), nanos(&late, 990).expect("reads"));
            let ratio = is as f64 / was as f64;
            if is * 10 > was * 11 {
                found.push(json!({
                    "drive": drive, "drive_model": rows[0].model, "host": first_host(&rows),
                    "reads_before": before.len(), "reads_last_7_days": late.len(),
                    "p99_before_us": was as f64 / 1e3, "p99_last_7_days_us": is as f64 / 1e3,
                    "ratio": (ratio * 1e3).floor() / 1e3,
                }));
            }
        }
        found.sort_by(|one, other| {
            other["ratio"].as_f64().partial_cmp(&one["ratio"].as_f64()).expect("ratios")
        });
        found.into()
    }

    fn amplification(&self) -> Value {
        let mut groups: BTreeMap<_, Vec<(u64, u64, &String)>> = BTreeMap::new();
        for run in &self.catalogue {
            let count = |name: &str| run[name].parse::<u64>().ok();
            let (Some(host), Some(flash)) = (count("host_bytes_written"), count("flash_bytes_written"))
            else {
                continue;
            };
            if host > 0 {
                let name = (known(&run["drive_model"]), known(&run["firmware"]));
                groups.entry(name).or_default().push((host, flash, &run["host"]));
            }
        }
        let row = |((model, firmware), runs): (_, Vec<(u64, u64, &String)>)| {
            let ratio = |host: u64, flash: u64| rounded(flash as f64 / host as f64, 1e3);
            let ratios: Vec<f64> = runs.iter().map(|(host, flash, _)| ratio(*host, *flash)).collect();
            let (host, flash) =
                (runs.iter().map(|run| run.0).sum::<u64>(), runs.iter().map(|run| run.1).sum::<u64>());
            json!({
                "drive_model": model, "firmware": firmware, "runs": runs.len(),
                "hosts": runs.iter().map(|run| run.2).collect::<BTreeSet<_>>().len(),
                "host_bytes_written": host, "flash_bytes_written": flash,
                "write_amplification": ratio(host, flash),
                "least": ratios.iter().copied().fold(f64::INFINITY, f64::min),
                "most": ratios.iter().copied().fold(0.0, f64::max),
            })
        };
        groups.into_iter().map(row).collect()
    }

    fn outside(&self) -> Value {
        let mut found: Vec<Value> = Vec::new();
        for ((model, op), rows) in grouped(self.timed(), |row| (row.model.clone(), row.op)) {
            let Some(model) = model else { continue };
            let means: Vec<(i64, String, String, u64)> = grouped(rows.into_iter(), |row| row.drive.clone())
                .into_iter()
                .map(|(drive, rows)| {
                    let ios = sum(&rows, |row| row.ios);
                    let mean = sum(&rows, |row| row.service_ns) / ios;
                    (i64::try_from(mean).expect("a time"), drive, first_host(&rows), ios)
                })
                .filter(|(.., ios)| *ios >= 1_000)
                .collect();
            if means.len() < 5 {
                continue;
            }
            let middle = |mut values: Vec<i64>| {
                values.sort_unstable();
                values[(values.len() - 1) / 2]
            };
            let median = middle(means.iter().map(|mean| mean.0).collect());
            let mad = middle(means.iter().map(|mean| (mean.0 - median).abs()).collect());
            let mut rows: Vec<_> = means
                .iter()
                .filter(|mean| {
                    let distance = (mean.0 - median).abs() as f64;
                    distance > 3.5 * 1.4826 * mad as f64 && distance > 0.1 * median as f64
                })
                .collect();
            rows.sort_by_key(|mean| (-(mean.0 - median).abs(), mean.1.clone()));
            found.extend(rows.into_iter().map(|(mean, drive, host, ios)| {
                let deviations = (mean - median) as f64 / (1.4826 * mad as f64);
                json!({
                    "drive": drive, "drive_model": model, "host": host, "operation": operation(op),
                    "peers": means.len(), "ios": ios, "mean_us": *mean as f64 / 1e3,
                    "median_us": median as f64 / 1e3, "mad_us": mad as f64 / 1e3,
                    "deviations": (mad > 0).then(|| rounded(deviations, 100.0)),
                })
            }));
        }
        found.into()
    }

    fn reviews(&self) -> Value {
        let mut rows = Vec::new();
        for run in &self.catalogue {
            let is_own = |other: &&BTreeMap<String, String>| {
                (&other["run"], &other["host"]) == (&run["run"], &run["host"])
            };
            for drive in self.drives.iter().filter(is_own) {
                let began: u64 = run["start_unix_ns"].parse().expect("a time");
                let order = (began, run["run"].clone(), run["host"].clone(), drive["drive"].clone());
                rows.push((order, self.review(run, drive)));
            }
        }
        rows.sort_by(|one, other| one.0.cmp(&other.0));
        rows.into_iter().map(|(_, row)| row).collect()
    }

    fn review(&self, run: &BTreeMap<String, String>, drive: &BTreeMap<String, String>) -> Value {
        let own: Vec<&Row> = self
            .rows
            .iter()
            .filter(|row| (&row.run, &row.host, &row.device) == (&run["run"], &run["host"], &drive["device"]))
            .filter(|row| row.op < 2)
            .collect();
        let (measured, others): (Vec<&Row>, Vec<&Row>) = own.iter().partition(|row| row.is_measured);
        let starts = |rows: &[&Row]| rows.iter().map(|row| row.start_ms).collect::<BTreeSet<_>>();
        let (used, disturbed) = (starts(&measured), starts(&others));
        // All intervals between the first and the last one with measured I/Os that hold nothing else.
        let inner: BTreeSet<i64> = used
            .iter()
            .skip(1)
            .take(used.len().saturating_sub(2))
            .copied()
            .filter(|at| !disturbed.contains(at))
            .collect();
        let inner_rows: Vec<&Row> =
            measured.iter().filter(|row| inner.contains(&row.start_ms)).copied().collect();
        let (counted, seconds) = if disturbed.is_empty() {
            (&measured, run["seconds"].parse::<f64>().expect("a time"))
        } else {
            (&inner_rows, inner.len() as f64 * 300.0)
        };
        let has = !measured.is_empty();
        let rate = |amount: u64| (has && seconds > 0.0).then(|| amount as f64 / seconds);
        let p99 = |op: usize| micros(&sorted(measured.iter().copied().filter(|row| row.op == op)), 990);
        let count = |name: &str| run[name].parse::<f64>().ok();
        let amplification = count("host_bytes_written").zip(count("flash_bytes_written"));
        json!({
            "run": run["run"], "host": run["host"], "drive": drive["drive"],
            "drive_model": known(&drive["drive_model"]), "firmware": known(&drive["firmware"]),
            "kind": run["kind"], "label": known(&run["label"]), "started": run["start"],
            "ios": has.then(|| sum(&measured, |row| row.ios)), "bytes": has.then(|| sum(&measured, |row| row.bytes)),
            "iops": rate(sum(counted, |row| row.ios)).map(|rate| rounded(rate, 10.0)),
            "mb_s": rate(sum(counted, |row| row.bytes)).map(|rate| rounded(rate / 1e6, 10.0)),
            "read_p99_us": p99(0), "write_p99_us": p99(1),
            "write_amplification": amplification
                .filter(|(host, _)| *host > 0.0)
                .map(|(host, flash)| rounded(flash / host, 1e3)),
        })
    }

    /// The shares of slow I/Os, their order, and the errors by the formula without its rounding.
    pub fn check_errors(&self, own: &[Value]) {
        let slow = grouped(self.slow().into_iter(), |row| (row.drive.clone(), row.start_ms));
        let drives = grouped(self.timed(), |row| row.drive.clone());
        assert_eq!(own.len(), drives.len());
        let bound = |row: &Value| row["lower_bound_ppm"].as_f64().unwrap_or(-1.0);
        assert!(own.is_sorted_by(|one, other| {
            (bound(one), one["slow_ppm"].as_f64()) >= (bound(other), other["slow_ppm"].as_f64())
        }));
        let mut has_errors = false;
        for row in own {
            let drive = row["drive"].as_str().expect("a name");
            let units: Vec<(f64, f64)> = grouped(drives[drive].iter().copied(), |row| row.start_ms)
                .into_iter()
                .map(|(at, rows)| {
                    let slow = slow.get(&(drive.to_owned(), at)).map_or(0, |rows| sum(rows, |row| row.ios));
                    (slow as f64, sum(&rows, |row| row.ios) as f64)
                })
                .collect();
            let (slow, ios) = units.iter().fold((0.0, 0.0), |sums, unit| (sums.0 + unit.0, sums.1 + unit.1));
            let (share, m) = (slow / ios, units.len() as f64);
            let expected = json!({
                "drive": drive, "drive_model": drives[drive][0].model, "host": first_host(&drives[drive]),
                "intervals": units.len(), "ios": sum(&drives[drive], |row| row.ios),
                "slow_ppm": in_ppm(share),
            });
            for (name, value) in expected.as_object().expect("columns") {
                assert_eq!(row[name].to_string(), value.to_string(), "{name}");
            }
            let squares: f64 = units.iter().map(|(s, n)| (s - share * n).powi(2)).sum();
            let error = (m / (m - 1.0) * squares).sqrt() / ios * 1e6;
            if units.len() < 30 {
                assert!(row["standard_error_ppm"].is_null() && row["lower_bound_ppm"].is_null());
                continue;
            }
            has_errors = true;
            let near = |name: &str, value: f64| {
                let own = row[name].as_f64().expect("a number");
                assert!((own - value).abs() < 0.01 + value * 1e-6, "{name}: {own} {value}");
            };
            near("standard_error_ppm", error);
            near("lower_bound_ppm", (share * 1e6 - 1.645 * error).max(0.0));
        }
        assert!(has_errors, "no drive has 30 intervals");
    }
}
