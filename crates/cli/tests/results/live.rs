//! What a run writes for Prometheus while it lasts, and what a real Prometheus makes of it.

use std::fmt::Write as _;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::devices;
use crate::common::drivelab;
use serde_json::Value;

/// Bounds of the histogram are at most this factor apart.
const BUCKET: f64 = 1.26;

/// A program that is ended with the test.
struct Server(Child);

impl Server {
    fn start(program: &str, arguments: &[String]) -> Server {
        let mut command = Command::new(program);
        command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
        Server(command.spawn().unwrap_or_else(|error| panic!("{program}: {error}")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address").port()
}

/// The body of an answer; none where there is none yet.
fn get(port: u16, path: &str) -> Option<String> {
    let mut connection = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(connection, "GET {path} HTTP/1.0\r\n\r\n").ok()?;
    let mut answer = String::new();
    connection.read_to_string(&mut answer).ok()?;
    answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned())
}

/// The values that Prometheus answers a query with, by the label `operation`.
fn query(port: u16, query: &str) -> Vec<(String, f64)> {
    let mut encoded = String::new();
    query.bytes().for_each(|byte| write!(encoded, "%{byte:02X}").expect("text"));
    let Some(body) = get(port, &format!("/api/v1/query?query={encoded}")) else { return Vec::new() };
    let Ok(answer) = serde_json::from_str::<Value>(&body) else { return Vec::new() };
    let result = answer["data"]["result"].as_array().cloned().unwrap_or_default();
    let pair = |one: &Value| {
        let value = one["value"][1].as_str()?.parse().ok()?;
        Some((one["metric"]["operation"].as_str().unwrap_or_default().to_owned(), value))
    };
    result.iter().filter_map(pair).collect()
}

fn is_there(program: &str) -> bool {
    Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
}

/// Prometheus and the node exporter over a folder of files; the port of the former.
fn watch(folder: &Path) -> (u16, [Server; 2]) {
    let (exporter_port, port) = (free_port(), free_port());
    let exporter = [
        "--collector.disable-defaults".to_owned(),
        "--collector.textfile".to_owned(),
        format!("--collector.textfile.directory={}", folder.display()),
        format!("--web.listen-address=127.0.0.1:{exporter_port}"),
    ];
    let configuration = folder.join("prometheus.yml");
    let text = format!(
        "global:\n  scrape_interval: 1s\nscrape_configs:\n  - job_name: node\n    static_configs:\n      - targets: \
         ['127.0.0.1:{exporter_port}']\n"
    );
    fs::write(&configuration, text).expect("a file");
    let prometheus = [
        format!("--config.file={}", configuration.display()),
        format!("--storage.tsdb.path={}", folder.join("tsdb").display()),
        format!("--web.listen-address=127.0.0.1:{port}"),
    ];
    let servers =
        [Server::start("prometheus-node-exporter", &exporter), Server::start("prometheus", &prometheus)];
    (port, servers)
}

#[test]
fn prometheus_has_the_counts_of_the_run_and_its_p99_to_a_bucket() {
    if !["prometheus", "prometheus-node-exporter", "promtool"].iter().all(|program| is_there(program)) {
        return devices::skipped("metrics are read by prometheus and prometheus-node-exporter");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let (port, _servers) = watch(folder.path());
    let file = folder.path().join("load.prom");
    let load = ["load", "sim:tlc-nvme?size=16GiB", "--rw", "randrw", "--duration", "30s", "--json"];
    let live = ["--openmetrics", file.to_str().expect("a name")];
    let run = drivelab(&[&load[..], &live].concat()).with_code(0).json();

    let text = fs::read(&file).expect("the file is left");
    let mut check = Command::new("promtool");
    let mut check = check
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("promtool");
    check.stdin.take().expect("a pipe").write_all(&text).expect("promtool reads");
    assert!(
        check.wait_with_output().expect("promtool ends").status.success(),
        "promtool has nothing against it"
    );

    let has_ended = || query(port, "drivelab_running").first().is_some_and(|(_, value)| *value == 0.0);
    assert!(devices::eventually(has_ended), "Prometheus has not read the file");
    let ios: f64 = query(port, "drivelab_ios_total").iter().map(|(_, count)| count).sum();
    let completions = run["run"]["outcome"]["completions"].as_f64().expect("a count");
    assert!((ios - completions).abs() < 0.5, "{ios} I/Os of {completions}");
    let sums = query(port, "sum by (le) (drivelab_service_time_seconds_bucket)");
    assert!(sums.len() > 100, "{} buckets", sums.len());
    let p99 = query(port, "histogram_quantile(0.99, sum by (le) (drivelab_service_time_seconds_bucket))");
    let [(_, p99)] = p99.as_slice() else { panic!("one p99: {p99:?}") };
    let own = run["findings"]["ios"]["summary"]["service_ns"]["p99"].as_f64().expect("a p99") / 1e9;
    assert!((own / BUCKET..=own * BUCKET).contains(p99), "{p99} s, and {own} s in the result");
}

/// Every query of the dashboard is one that Prometheus takes, of metrics that there are.
#[test]
fn the_queries_of_the_dashboard_are_answered() {
    if !["prometheus", "prometheus-node-exporter"].iter().all(|program| is_there(program)) {
        return devices::skipped("metrics are read by prometheus and prometheus-node-exporter");
    }
    let text = include_str!("../../../../monitoring/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(text).expect("JSON");
    let panels = dashboard["panels"].as_array().expect("panels");
    let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().expect("queries"));
    let queries: Vec<&str> = targets.map(|target| target["expr"].as_str().expect("a query")).collect();
    assert!(queries.len() > 10, "{queries:?}");

    let folder = tempfile::tempdir().expect("a folder");
    let (port, _servers) = watch(folder.path());
    let file = folder.path().join("load.prom");
    // Two runs of one drive, of which the second did more: rates need two counts.
    let mut done = 0.0;
    for duration in ["1s", "5s"] {
        let load = ["load", "sim:tlc-nvme?size=16GiB", "--rw", "randread", "--duration", duration];
        drivelab(&[&load[..], &["--openmetrics", file.to_str().expect("a name")]].concat()).with_code(0);
        let has_more = || query(port, "drivelab_ios_total").first().is_some_and(|(_, ios)| *ios > done);
        assert!(devices::eventually(has_more), "Prometheus has not read the file");
        done = query(port, "drivelab_ios_total")[0].1;
    }
    // What a run that has ended, or a simulated drive, does not show.
    let others = [
        "remaining_seconds",
        "lost_events_total",
        "temperature_celsius",
        "trace_bytes",
        "dropped_frames_total",
        "ring_bytes",
        "ring_used_bytes",
        "ring_most_used_bytes",
    ];
    let others: String =
        others.map(|name| format!("drivelab_{name}{{target=\"a\",channel=\"b\"}} 1\n")).concat();
    fs::write(folder.path().join("others.prom"), others).expect("a file");
    assert!(devices::eventually(|| !query(port, "drivelab_trace_bytes").is_empty()), "the other metrics");
    for expression in queries {
        let expression = expression.replace("$__rate_interval", "1m").replace("$target", ".*");
        let is_answered = || !query(port, &expression).is_empty();
        assert!(devices::eventually(is_answered), "nothing answers {expression}");
    }
}

/// The file of an interrupted or killed run says what it had; a folder that is not there is named before the run begins.
#[test]
fn a_file_that_cannot_be_written_is_refused_before_the_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("missing/run.prom");
    let load = ["load", "sim:consistent?size=1GiB", "--rw", "read", "--duration", "1s"];
    let live = ["--openmetrics", file.to_str().expect("a name")];
    drivelab(&[&load[..], &live].concat()).fails_in_one_line(3, &["run.prom", "make it first"]);
}
