//! Rollups, records and drivelab's own reports have the same counts, bytes and percentiles.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use drivelab_block::Op;
use drivelab_export::rollup::RollupRow;
use drivelab_stats::bucket_of;
use serde_json::Value;

use crate::common::{drivelab, folder, run_folders, text};
use crate::export::parquet_files::{catalogue, column, named, rollup_of};
use crate::export::{export, load, trace};

/// What rows of a rollup come to.
#[derive(Debug, Default, PartialEq)]
struct Sum {
    ios: u64,
    bytes: u64,
    service_ns: u64,
    buckets: BTreeMap<u16, u64>,
}

impl Sum {
    fn of_rollup(destination: &Path, takes: impl Fn(&RollupRow) -> bool) -> Sum {
        let mut sum = Sum::default();
        for row in rollup_of(destination).rows().filter(|row| takes(row)) {
            assert_eq!(row.sums.failed_ios, 0);
            sum.ios += row.sums.ios;
            sum.bytes += row.sums.bytes;
            sum.service_ns += row.sums.service_ns;
            *sum.buckets.entry(row.bucket.expect("a service time")).or_default() += row.sums.ios;
        }
        sum
    }

    /// Of exported records: the columns of the service time and of the operation to be counted.
    fn of_records(files: &[PathBuf], service: &str, op: Option<Op>) -> Sum {
        let mut sum = Sum::default();
        for file in files {
            let (service, sectors) = (column(file, service), column(file, "sectors"));
            let columns = service.iter().zip(&sectors).zip(column(file, "operation"));
            for ((service, sectors), operation) in columns {
                if op.is_some_and(|op| operation != Some(i64::from(op.code()))) {
                    continue;
                }
                let service = service.expect("a service time").unsigned_abs();
                sum.ios += 1;
                sum.bytes += sectors.expect("a length").unsigned_abs() * 512;
                sum.service_ns += service;
                *sum.buckets.entry(bucket_of(service)).or_default() += 1;
            }
        }
        sum
    }

    /// The bucket of the nearest rank.
    fn quantile(&self, q: f64) -> u16 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "up to the count")]
        let rank = (q * self.ios as f64).ceil() as u64;
        let mut seen = 0;
        let found = self.buckets.iter().find(|(_, ios)| {
            seen += **ios;
            seen >= rank
        });
        *found.expect("a rank up to the count").0
    }
}

fn whole(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no whole number"))
}

fn files(destination: &Path, name: &str) -> Vec<PathBuf> {
    named(destination, name).into_iter().map(|path| destination.join(path)).collect()
}

#[test]
fn a_load_over_midnight_has_the_same_sums_in_every_form() {
    let folder = folder();
    let (run, fleet) = (load(&folder.path().join("run"), "60s"), folder.path().join("fleet"));
    // Half a minute before midnight in UTC.
    let options = ["--started", "2026-11-25T00:59:30+01:00", "--host", "rack/7"];
    export(&run, &fleet, &options).with_code(0);
    export(&run, &fleet, &[&options[..], &["--as", "records"]].concat()).with_code(0);
    let records = files(&fleet, "run-records.parquet");
    assert_eq!((records.len(), files(&fleet, "rollup.parquet").len()), (2, 2));
    for date in ["2026-11-24", "2026-11-25"] {
        assert!(fleet.join(format!("date={date}/host=rack%2F7")).is_dir(), "{date}");
    }
    let times: Vec<_> = records.iter().flat_map(|file| column(file, "submit_time_ns")).collect();
    assert!(times.is_sorted() && times.iter().flatten().filter(|at| **at < 30_000_000_000).count() == 90_000);
    let own = drivelab(&["report", text(&run), "--json"]).with_code(0).json()["findings"].clone();
    let rollup = Sum::of_rollup(&fleet, |row| row.is_measured);
    assert_eq!(rollup, Sum::of_records(&records, "latency_ns", None));
    assert_eq!(rollup.ios, whole(&own["ios"]["records"]["completions"]));
    assert_eq!(rollup.bytes, whole(&own["ios"]["phases"][0]["moved_bytes"]));
    let service = &own["ios"]["summary"]["service_ns"];
    for (q, name) in [(0.5, "p50"), (0.99, "p99"), (0.999, "p99_9")] {
        assert_eq!(rollup.quantile(q), bucket_of(whole(&service[name])), "{name}");
    }
    let mean = rollup.service_ns as f64 / rollup.ios as f64;
    assert!((mean / service["mean"].as_f64().expect("a mean") - 1.0).abs() < 1e-9, "{mean} {service}");

    let [row] = &catalogue(&fleet)[..] else { panic!("one run") };
    let is = |name: &str, value: &str| assert_eq!(row[name], value, "{name}");
    is("host", "rack/7");
    is("kind", "load");
    is("start", "2026-11-25T00:59:30+01:00");
    is("start_unix_ns", "1795564770000000000");
    is("start_source", "given");
    is("records", "180000");
    is("capacity_bytes", "268435456");
    is("seconds", "60.0");
    let settings: Value = serde_json::from_str(&row["settings"].replace("\\\"", "\"")).expect("JSON");
    assert!(settings.is_object(), "{settings}");
}

#[test]
fn a_rollup_tells_the_measured_phase_from_the_fill_before_it() {
    let folder = folder();
    let (runs, fleet) = (folder.path().join("runs"), folder.path().join("fleet"));
    let asked = ["consistency", "sim:consistent?size=256MiB", "--duration", "6s", "--window", "1s"];
    drivelab(&[&asked[..], &["-o", text(&runs)]].concat()).with_code(0);
    export(&runs, &fleet, &[]).with_code(0);
    let run = run_folders(&runs).remove(0);
    let own = drivelab(&["report", text(&run), "--json"]).with_code(0).json()["findings"].clone();
    let (all, measured) = (Sum::of_rollup(&fleet, |_| true), Sum::of_rollup(&fleet, |row| row.is_measured));
    assert_eq!(all.ios, whole(&own["records"]["completions"]));
    assert!(measured.ios < all.ios);
    for (q, name) in [(0.99, "p99"), (0.9999, "p99_99")] {
        assert_eq!(measured.quantile(q), bucket_of(whole(&own["summary"]["service_ns"][name])), "{name}");
    }
}

/// All writes that a drive was sent, those that prepare it included, and those that it made of them.
#[test]
fn the_catalogue_has_what_the_drives_own_counters_rose_by_in_all_phases() {
    let folder = folder();
    let (runs, fleet) = (folder.path().join("runs"), folder.path().join("fleet"));
    for (name, target) in [("flash", "sim:consistent?size=256MiB"), ("disk", "sim:hdd-7200?size=256MiB")] {
        let run = runs.join(name);
        let asked = ["consistency", target, "--duration", "6s", "--window", "1s", "-o", text(&run)];
        drivelab(&asked).with_code(0);
    }
    export(&runs, &fleet, &[]).with_code(0);
    let row_of = |kind: &str| {
        let found = catalogue(&fleet).into_iter().find(|row| row["drive_model"].contains(kind));
        found.expect("a row")
    };
    let sent = Sum::of_rollup(&fleet, |row| row.op == Op::Write && row.device.contains("consistent"));
    let number = |name: &str| row_of("consistent")[name].parse::<u64>().expect("a count");
    assert_eq!(number("host_bytes_written"), sent.bytes);
    let phases = run_folders(&runs.join("flash")).into_iter().flat_map(|run| {
        let phases = crate::common::manifest(&run)["phases"].clone();
        phases.as_array().cloned().expect("phases")
    });
    let flash: u64 = phases.filter_map(|phase| phase["written"]["flash"]["amount"].as_u64()).sum();
    assert_eq!(number("flash_bytes_written"), flash);
    assert!(flash > sent.bytes, "random writes of a full drive are copied");
    let disk = row_of("hdd");
    assert_eq!((disk["host_bytes_written"].as_str(), disk["flash_bytes_written"].as_str()), ("null", "null"));
}

#[test]
fn a_trace_of_two_days_has_the_same_sums_in_every_form() {
    let folder = folder();
    let (trace, fleet) = (trace(folder.path()), folder.path().join("fleet"));
    export(&trace, &fleet, &["--host", "hm"]).with_code(0);
    export(&trace, &fleet, &["--host", "hm", "--as", "records"]).with_code(0);
    let records = files(&fleet, "trace-records.parquet");
    assert_eq!(records.len(), 2, "2007-02-22 and 2007-02-23");
    let own = drivelab(&["trace", "show", text(&trace), "--json"]).with_code(0).json()["findings"].clone();
    for (op, name) in [(Op::Read, "read"), (Op::Write, "write")] {
        let rollup = Sum::of_rollup(&fleet, |row| row.op == op);
        assert_eq!(rollup, Sum::of_records(&records, "service_ns", Some(op)));
        assert_eq!(rollup.ios, whole(&own["requests"][name]));
        assert_eq!(rollup.bytes, whole(&own["bytes"][name]));
    }
    let all = Sum::of_rollup(&fleet, |_| true);
    assert_eq!(all.quantile(0.99), bucket_of(whole(&own["service_ns"]["all"]["p99"])));
    let devices: Vec<_> = rollup_of(&fleet).rows().map(|row| row.device.to_string()).collect();
    assert!(
        devices.iter().all(|name| ["device 0", "device 1"].contains(&name.as_str())),
        "no name of the source"
    );
    // The column of every segment, and no other.
    let segment = crate::common::records::segments(&trace).remove(0);
    let names = |path: &Path| {
        let file = crate::common::records::open(path);
        let columns = parquet::file::reader::FileReader::metadata(&file)
            .file_metadata()
            .schema_descr()
            .columns()
            .to_vec();
        columns.iter().map(|column| column.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&records[0]), names(&segment));
}
