//! Records on disk, read by nothing but a Parquet library.

use std::collections::BTreeSet;
use std::path::Path;

use crate::common::{drivelab, folder, records, text};
use parquet::basic::{ConvertedType, Repetition};
use parquet::file::reader::FileReader as _;
use serde_json::Value;

/// A recorded load on a simulated drive.
fn load(target: &str, arguments: &[&str], run: &Path) -> Value {
    let all = [&["load", target, "--json", "--output", text(run)][..], arguments].concat();
    drivelab(&all).with_code(0).json()
}

/// A column's type in words.
fn described(column: &parquet::schema::types::ColumnDescriptor) -> String {
    let presence = match column.self_type().get_basic_info().repetition() {
        Repetition::OPTIONAL => "OPTIONAL",
        _ => "REQUIRED",
    };
    let integer = match column.converted_type() {
        ConvertedType::UINT_8 => " u8",
        ConvertedType::UINT_16 => " u16",
        ConvertedType::INT_16 => " i16",
        _ => "",
    };
    format!("{presence} {}{integer}", column.physical_type())
}

#[test]
fn a_segment_has_the_columns_that_were_promised() {
    let folder = folder();
    let run = folder.path().join("run");
    let document = load("sim:consistent?size=2GiB", &["--rw", "randwrite", "--duration", "1s"], &run);
    let segments = records::segments(&run);
    assert_eq!(segments.len(), 1);
    let file = records::open(&segments[0]);
    let schema = file.metadata().file_metadata().schema_descr();
    let found: Vec<(String, String)> =
        schema.columns().iter().map(|column| (column.name().to_owned(), described(column))).collect();
    let promised: Vec<(String, String)> =
        records::COLUMNS.iter().map(|(name, kind)| ((*name).to_owned(), (*kind).to_owned())).collect();
    assert_eq!(found, promised);
    let rows = u64::try_from(file.metadata().file_metadata().num_rows()).expect("a count");
    assert_eq!(Some(rows), document["findings"]["ios"]["records"]["completions"].as_u64());
}

/// The bucket of a latency by its definition: itself below 256, then 128 equal steps a power of two.
fn bucket(latency: i64) -> i64 {
    let latency = latency.unsigned_abs();
    let shift = (latency | 128).ilog2() - 7;
    i64::try_from(u64::from(shift) * 128 + (latency >> shift)).expect("a small number")
}

#[test]
fn every_row_says_what_the_load_asked() {
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["--rw", "randrw", "--threads", "4", "--queue-depth", "8", "--block-size", "8KiB"];
    load("sim:consistent?size=2GiB", &[&asked[..], &["--duration", "2s"]].concat(), &run);
    let column = |name: &str| records::column(&run, name);
    let distinct = |name: &str| -> Vec<i64> { BTreeSet::from_iter(column(name)).into_iter().collect() };
    assert_eq!(distinct("queue"), [0, 1, 2, 3]);
    assert_eq!(distinct("operation"), [0, 1]);
    assert_eq!(distinct("sectors"), [16]);
    assert_eq!(distinct("phase"), [0]);
    assert_eq!(distinct("status"), [0]);
    assert_eq!(distinct("intended_delta_ns"), [0], "a closed loop intends what it submits");
    assert_eq!(column("issue_delta_ns"), Vec::<i64>::new(), "nobody watched the block layer");
    let (sectors, end) = (column("sector"), (2_i64 << 30) / 512);
    assert!(sectors.iter().all(|sector| sector % 16 == 0 && (0..end).contains(sector)));
    let (latencies, buckets) = (column("latency_ns"), column("latency_bucket"));
    assert_eq!(latencies.len(), buckets.len());
    for (latency, found) in latencies.iter().zip(&buckets) {
        assert!(*latency > 0);
        assert_eq!(bucket(*latency), *found, "the bucket of {latency} ns");
    }
}

#[test]
fn the_figures_of_a_load_are_those_of_its_rows() {
    let folder = folder();
    let run = folder.path().join("run");
    let arguments = ["--rw", "randwrite", "--rate", "20000/s", "--arrivals", "poisson", "--duration", "3s"];
    let document = load("sim:sm2246en?size=1GiB", &arguments, &run);
    let latencies = records::column(&run, "latency_ns");
    let deltas = records::column(&run, "intended_delta_ns");
    assert_eq!(
        document["findings"]["ios"]["summary"]["service_ns"]["max"].as_i64(),
        latencies.iter().max().copied()
    );
    // The intended time is at or before the submission, so the response is never shorter than the service.
    assert!(deltas.iter().all(|delta| *delta <= 0));
    let response = latencies.iter().zip(&deltas).map(|(latency, delta)| latency - delta).max();
    assert_eq!(document["findings"]["ios"]["summary"]["response_ns"]["max"].as_i64(), response);
    let mean = latencies.iter().map(|latency| *latency as f64).sum::<f64>() / latencies.len() as f64;
    let shown = document["findings"]["ios"]["summary"]["service_ns"]["mean"].as_f64().expect("a mean");
    assert!((shown - mean).abs() < mean * 1e-6, "{shown} is not {mean}");
}

#[test]
fn a_record_takes_at_most_ten_bytes() {
    let folder = folder();
    let run = folder.path().join("run");
    let target = "sim:consistent?size=240GB";
    let document = load(target, &["--rw", "randwrite", "--bytes", "8192MiB"], &run);
    let completions = document["findings"]["ios"]["records"]["completions"].as_u64().expect("a count");
    assert_eq!(completions, 2 << 20);
    let bytes: u64 =
        records::segments(&run).iter().map(|path| path.metadata().expect("a segment").len()).sum();
    assert_eq!(document["findings"]["ios"]["records"]["bytes"].as_u64(), Some(bytes));
    assert!(bytes <= 10 * completions, "{bytes} bytes for {completions} records");
    assert_eq!(records::segments(&run).len(), 2, "a segment has 1,048,576 rows");
}
