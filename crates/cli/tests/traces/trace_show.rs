//! What `trace show` makes of one trace and of several: text, documents, a page.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{assert_fits, drivelab, folder, text};
use serde_json::Value;

const TRACE: &str = include_str!("../../../inspect/schemas/drivelab.trace-3.json");

/// What was found, of a document that fits its schema.
fn findings(arguments: &[&str]) -> Value {
    let document = drivelab(&[arguments, &["--json"]].concat()).with_code(0).json();
    assert_fits(TRACE, &document);
    document["findings"].clone()
}

/// A trace of two disks: reads on one, writes on the other that take 40 ms ten times in a row after every 500.
fn imported(folder: &Path, name: &str, rows: u64) -> PathBuf {
    let row = |number: u64| {
        let at = 128_166_372_003_061_629 + number * 200_000;
        let (disk, kind) = if number.is_multiple_of(2) { (0, "Read") } else { (1, "Write") };
        let response = if number % 1_000 >= 980 && disk == 1 { 400_000 } else { 2_000 };
        format!("{at},host,{disk},{kind},{},4096,{response}\n", number * 4096)
    };
    let (source, trace) = (folder.join(format!("{name}.csv")), folder.join(name));
    fs::write(&source, (0..rows).map(row).collect::<String>()).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}

#[test]
fn several_traces_are_compared_and_each_has_its_document() {
    let folder = folder();
    let (one, two) = (imported(folder.path(), "one", 20_000), imported(folder.path(), "two", 2_000));
    let alone = findings(&["trace", "show", text(&one)]);
    let both = drivelab(&["trace", "show", text(&one), text(&two), "--json"]).with_code(0).json();
    both.as_array().expect("a document each").iter().for_each(|document| assert_fits(TRACE, document));
    for figure in ["trace", "requests", "bytes", "service_ns", "idle_ns", "devices"] {
        assert_eq!(both[0]["findings"][figure], alone[figure], "{figure}");
    }
    let shown = drivelab(&["trace", "show", text(&one), text(&two)]).with_code(0).stdout;
    let (_, table) = shown.split_once("Reads, service time").expect("a table");
    assert_eq!(table.lines().take(5).filter(|line| line.contains("200 us")).count(), 2, "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
    assert!(!shown.contains('✓'), "different loads are not ranked: {shown}");
}

/// The document that a page carries for its program.
fn embedded(page: &Path) -> Value {
    let html = fs::read_to_string(page).expect("a page");
    let (_, document) = html.split_once("id=\"page-document\">").expect("a document");
    serde_json::from_str(document.split_once("</script>").expect("its end").0).expect("the document is JSON")
}

/// The sum of a series of a chart, times what its numbers are multiples of.
fn sum(document: &Value, chart: &str, series: &str, unit: f64) -> f64 {
    let charts = document["views"][0]["charts"].as_array().expect("charts");
    let chart = charts.iter().find(|one| one["id"] == chart).expect("the chart");
    let all = chart["series"].as_array().expect("series");
    let ys = &all.iter().find(|one| one["name"] == series).expect("the series")["ys"];
    let [column, from, until] =
        [0, 1, 2].map(|place| usize::try_from(ys[place].as_u64().expect("a place")).expect("small"));
    let column = document["columns"][column].as_array().expect("a column");
    column[from..until].iter().filter_map(Value::as_f64).sum::<f64>() * unit
}

#[test]
fn a_page_holds_what_the_summary_shows_and_changes_none_of_it() {
    let folder = folder();
    let trace = imported(folder.path(), "trace", 20_000);
    let page = folder.path().join("page.html");
    let plain = drivelab(&["trace", "show", text(&trace), "--json"]).with_code(0).json();
    let shown =
        drivelab(&["trace", "show", text(&trace), "--json", "--report", text(&page)]).with_code(0).json();
    assert_eq!(shown, plain, "the course is followed alongside the figures");
    let plain = &plain["findings"];
    let html = fs::read_to_string(&page).expect("a page");
    let verdict = plain["slow_ios"]["write"]["verdict"].as_str().expect("words").trim_end_matches('.');
    assert!(html.replace('\u{a0}', " ").contains(verdict), "{verdict}");
    let document = embedded(&page);
    // 400 s in columns of 1.024 s.
    let width = 1.024;
    assert!((sum(&document, "course", "Reads", width) - 10_000.0).abs() < 2.0);
    assert!((sum(&document, "course", "Writes", width) - 10_000.0).abs() < 2.0);
    assert!((sum(&document, "slow", "Writes", 1.0) - 200.0).abs() < 0.1, "as the summary has them");
    assert_eq!(plain["slow_ios"]["write"]["slow"], 200);
    let charts = document["views"][0]["charts"].as_array().expect("charts").iter();
    let maps = charts.filter(|chart| chart["id"].as_str().is_some_and(|id| id.starts_with("addresses")));
    assert_eq!(maps.count(), 2, "a map for each disk");
    let charts = document["views"][0]["charts"].as_array().expect("charts");
    let ends = |name: &str| -> Vec<&Value> {
        let axes = charts.iter().flat_map(|chart| chart["across"].as_array().expect("axes"));
        axes.filter(|axis| axis["label"] == name).map(|axis| &axis["span"]).collect()
    };
    for (name, charts) in [("Clock time (UTC)", 3), ("Busy time", 5)] {
        let ends = ends(name);
        assert!(
            ends.len() >= charts && ends.iter().all(|one| *one == ends[0] && one.is_array()),
            "{name}: {ends:?}"
        );
    }
    let nowhere = ["trace", "show", text(&trace), "--report", "/no/such/folder/page.html"];
    drivelab(&nowhere).fails_in_one_line(3, &["/no/such/folder"]);
}

#[test]
fn a_report_of_a_trace_is_the_page_that_trace_show_makes() {
    let folder = folder();
    let trace = imported(folder.path(), "trace", 2_000);
    let page = folder.path().join("page.html");
    drivelab(&["trace", "show", text(&trace), "--report", text(&page)]).with_code(0);
    let tables = folder.path().join("tables");
    drivelab(&["report", text(&trace), "--csv", text(&tables)]).with_code(0);
    let own = fs::read_to_string(trace.join("report.html")).expect("the trace's page");
    assert_eq!(own, fs::read_to_string(&page).expect("a page"));
    let waits = fs::read_to_string(tables.join("waits.csv")).expect("a table");
    assert_eq!(waits.lines().count(), 8, "a head and seven thresholds: {waits}");
}

#[test]
fn the_first_sentence_answers_whether_the_drive_was_slow() {
    let folder = folder();
    let summary = |trace: &Path| {
        let shown = drivelab(&["trace", "show", text(trace)]).with_code(0).stdout;
        shown.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    // Ten slow writes every 20 s are one wait each.
    let slow = summary(&imported(folder.path(), "slow", 20_000));
    let answer = "Clustered: No program waited for 100 ms or longer, but slow I/Os are clustered. Of 20,000 I/Os in 400 s, \
                  also those that no program waits for, 200 took 10.0 ms or longer, in 20 episodes with 6.00 s beyond the first \
                  10.0 ms in all; slow writes are clustered (bursty).";
    assert!(slow.contains(answer), "{slow}");
    assert!(slow.contains("Slow means 10.0 ms or more"), "said once for reads and writes: {slow}");
    let quick = summary(&drive(folder.path(), "quick", (20, 0)));
    assert!(
        quick.contains("Not slow: Nothing unusual: no program waited for 100 ms or longer in 100 s."),
        "{quick}"
    );
}

#[test]
fn each_device_is_told_apart() {
    let folder = folder();
    let trace = imported(folder.path(), "trace", 2_000);
    let shown = findings(&["trace", "show", text(&trace)]);
    let devices = shown["devices"].as_array().expect("devices");
    let of = |device: usize, op: &str, figure: &str| devices[device][op][figure].as_u64();
    assert_eq!((of(0, "read", "requests"), of(0, "write", "requests")), (Some(1_000), Some(0)));
    assert_eq!((of(1, "read", "bytes"), of(1, "write", "bytes")), (Some(0), Some(1_000 * 4096)));
    assert_eq!(devices[1]["write"]["service_ns"]["from_1_to_100ms"], 0.02);
    assert!(devices[1]["read"]["service_ns"].is_null());
    let told = drivelab(&["trace", "show", text(&trace)]).with_code(0).stdout;
    assert!(told.contains("Devices") && told.contains("host:1, writes"), "{told}");
}

#[test]
fn chance_is_asked_in_both_ways() {
    let folder = folder();
    let trace = imported(folder.path(), "trace", 40_000);
    let shown = findings(&["trace", "show", text(&trace)]);
    let writes = &shown["slow_ios"]["write"];
    let crowding = &writes["clustering_by_chance"];
    assert_eq!(
        crowding["p"].as_f64().zip(crowding["shifts"].as_f64()).map(|(p, n)| p * (n + 1.0)),
        Some(1.0)
    );
    assert_eq!(writes["clustering_by_chance"]["finest_window_s"], 0.01);
    assert_eq!(writes["period_by_chance"], 0.001);
    assert!(shown["slow_ios"]["read"]["clustering_by_chance"].is_null(), "none of them is slow");
}

#[test]
fn a_closed_loop_has_no_wait_to_show() {
    let folder = folder();
    let load = ["load", "sim:consistent?size=1GiB", "--rw", "randwrite", "--duration", "1s", "--json"];
    let shown = |more: &[&str], name: &str| {
        let run = folder.path().join(name);
        drivelab(&[&load[..], more, &["--output", text(&run)]].concat()).with_code(0);
        let told = drivelab(&["trace", "show", text(&run)]).with_code(0).stdout;
        (told, findings(&["trace", "show", text(&run)]))
    };
    let (told, document) = shown(&[], "closed");
    assert!(told.contains("service time") && !told.contains("response time"), "{told}");
    assert!(document["response_ns"]["all"].is_null());
    let (told, document) = shown(&["--rate", "1000/s"], "open");
    assert!(told.contains("response time"), "{told}");
    assert_eq!(document["response_ns"]["write"]["count"], document["service_ns"]["write"]["count"]);
}

#[test]
fn segments_that_are_gone_are_missed() {
    let folder = folder();
    let trace = imported(folder.path(), "trace", 2_000);
    for segment in fs::read_dir(trace.join("segments")).expect("its segments").flatten() {
        fs::remove_file(segment.path()).expect("ours");
    }
    let shown = drivelab(&["trace", "show", text(&trace)]).with_code(1);
    assert!(shown.stderr.contains("lack 2000 of the trace's 2000 requests"), "{}", shown.stderr);
}

/// A trace of 5,000 writes 20 ms apart, of which one in `slow.0` takes `slow.1` ms.
fn drive(folder: &Path, name: &str, slow: (u64, u64)) -> PathBuf {
    let row = |number: u64| {
        let at = 128_166_372_003_061_629 + number * 200_000;
        let response = if number.is_multiple_of(slow.0) { slow.1 * 10_000 } else { 2_000 };
        format!("{at},host,0,Write,{},4096,{response}\n", number * 4096)
    };
    let (source, trace) = (folder.join(format!("{name}.csv")), folder.join(name));
    fs::write(&source, (0..5_000).map(row).collect::<String>()).expect("room on disk");
    drivelab(&["trace", "import", text(&source), "-o", text(&trace)]).with_code(0);
    trace
}

fn writes(document: &Value) -> (Value, Value) {
    let found = &document["slow_ios"]["write"];
    (found["threshold_ms"].clone(), found["threshold_chosen"].clone())
}

#[test]
fn one_threshold_holds_for_all_on_a_page() {
    let folder = folder();
    let (one, two) = (drive(folder.path(), "one", (20, 12)), drive(folder.path(), "two", (200, 60)));
    let shown = |more: &[&str]| {
        let both = ["trace", "show", text(&one), text(&two), "--json"];
        let both = drivelab(&[&both[..], more].concat()).with_code(0).json();
        assert_fits(TRACE, &both[0]);
        [0, 1].map(|place| writes(&both[place]["findings"]))
    };
    // Alone, 10 ms sees the slow writes of each: of the one they are more than 1 %, and none is longer.
    let alone = |trace: &Path| writes(&findings(&["trace", "show", text(trace)]));
    assert_eq!((alone(&one), alone(&two)), ((10.0.into(), "own".into()), (10.0.into(), "own".into())));
    assert_eq!(shown(&[]), [(16.7.into(), "common".into()), (16.7.into(), "common".into())]);
    assert_eq!(shown(&["--slow", "25ms"]), [(25.0.into(), "asked".into()), (25.0.into(), "asked".into())]);
    let page = folder.path().join("page.html");
    let both = ["trace", "show", text(&one), text(&two), "--report", text(&page)];
    let said = drivelab(&both).with_code(0).stdout;
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    let sentence = "Slow means 16.7 ms or more, the same for all that are compared";
    assert_eq!(said.matches(sentence).count(), 1, "said once for all: {said}");
    let page = fs::read_to_string(page).expect("a page").replace('\u{a0}', " ");
    assert_eq!(page.matches(sentence).count(), 1);
    drivelab(&["trace", "show", text(&one), "--slow", "0ms"]).fails_in_the_parser(&["--slow", "60s"]);
}

#[test]
fn a_comparison_loses_no_clusters_that_are_more_than_one_per_cent() {
    let folder = folder();
    let traces = ["one", "two"].map(|name| imported(folder.path(), name, 20_000));
    let compared = ["trace", "show", text(&traces[0]), text(&traces[1]), "--json"];
    let compared = drivelab(&compared).with_code(0).json();
    for place in [0, 1] {
        let found = &compared[place]["findings"]["slow_ios"];
        assert_eq!(writes(&compared[place]["findings"]), (10.0.into(), "common".into()));
        assert_eq!((&found["write"]["slow"], &found["write"]["clustering"]), (&200.into(), &"shown".into()));
        assert_eq!(found["read"]["threshold_ms"], 10.0);
    }
}

#[test]
fn what_speaks_for_neither_is_called_neither() {
    let folder = folder();
    let trace = drive(folder.path(), "trace", (200, 60));
    let shown = findings(&["trace", "show", text(&trace)]);
    let found = &shown["slow_ios"]["write"];
    assert_eq!((&found["slow"], &found["clustering"]), (&25.into(), &"not_shown".into()));
    assert_eq!(found["not_shown_because"], "too_few");
    let verdict = found["verdict"].as_str().expect("words");
    assert!(verdict.contains("is not shown: 25 are too few, and 270 are needed"), "{verdict}");
    let asked = ["trace", "show", text(&trace), "--slow", "100us"];
    let found = &findings(&asked)["slow_ios"]["write"];
    assert_eq!((&found["not_shown_because"], &found["slow_share"]), (&"too_many".into(), &1.0.into()));
}

/// The parts of a trace hold each of its I/Os once, whether they are named by the clock or from its beginning on.
#[test]
fn a_part_of_a_trace_is_shown_and_exported_with_the_ios_that_were_issued_in_it() {
    let folder = folder();
    // An I/O every 20 ms for 400 s, from 17:00:00.3061629 on.
    let trace = imported(folder.path(), "trace", 20_000);
    let part = |ends: &[&str]| findings(&[&["trace", "show", text(&trace)], ends].concat());
    let requests =
        |found: &Value| found["requests"]["read"].as_u64().zip(found["requests"]["write"].as_u64());
    let clock = ["--after", "17:01", "--before", "2007-02-22T17:02"];
    for (ends, from_ns, until) in [
        (&["--after", "60s", "--before", "2min"][..], 60_000_000_000, "2007-02-22T17:02:00.3061629+00:00"),
        (&clock, 59_693_837_100, "2007-02-22T17:02:00+00:00"),
    ] {
        let found = part(ends);
        assert_eq!(requests(&found), Some((1_500, 1_500)), "{ends:?}");
        let stretch = ["from_ns", "until_ns"].map(|end| found["stretch"][end].as_u64());
        assert_eq!(stretch, [from_ns, from_ns + 60_000_000_000].map(Some));
        assert_eq!(found["stretch"]["until"], until);
        assert!(found["notices"].as_array().is_some_and(Vec::is_empty), "nothing is missing: {found}");
    }
    assert_eq!(requests(&part(&["--before", "60s"])), Some((1_500, 1_500)));
    assert_eq!(requests(&part(&["--after", "120s"])), Some((7_000, 7_000)));
    let rows = |ends: &[&str]| {
        let arguments = [&["trace", "export", text(&trace), "--format", "csv"], ends].concat();
        drivelab(&arguments).with_code(0).stdout.lines().count() - 1
    };
    assert_eq!([rows(&[]), rows(&["--after", "60s", "--before", "2min"])], [20_000, 3_000]);
    // Between two I/Os, 20 ms apart.
    let between = ["trace", "show", text(&trace), "--after", "60.001s", "--before", "60.002s"];
    let summary = drivelab(&between).with_code(0).stdout;
    assert!(summary.contains("No I/O was issued from 2007-02-22 17:01:00 +00:00"), "{summary}");
    let refused = ["trace", "show", text(&trace), "--after", "2min", "--before", "60s"];
    drivelab(&refused).fails_in_one_line(2, &["--before 60s does not lie after --after 120s"]);
}

/// The traces that come with the program are read and replayed as any other.
#[test]
fn shipped_traces_stand_wherever_the_folder_of_a_trace_does() {
    let known = [("shipped:boot", 1_061), ("shipped:compile", 1_429), ("shipped:upgrade", 15_418)];
    for (name, requests) in known {
        let found = findings(&["trace", "show", name]);
        let all: u64 =
            found["requests"].as_object().expect("operations").values().filter_map(Value::as_u64).sum();
        assert_eq!((&found["trace"], all), (&name.into(), requests));
        assert!(found["waiting"]["processes"].as_array().is_some_and(|all| !all.is_empty()), "{name}");
        let replayed =
            drivelab(&["replay", name, "sim:consistent", "--map", "compact", "--timing", "dependent"]);
        assert!(replayed.with_code(0).stdout.contains("requests were replayed"));
    }
    drivelab(&["trace", "show", "shipped:start"]).fails_in_one_line(2, &["shipped:start", "shipped:upgrade"]);
}

#[test]
fn a_part_behind_the_trace_and_a_trace_named_twice_are_refused() {
    let folder = folder();
    let trace = imported(folder.path(), "trace", 2_000);
    let file = folder.path().join("trace.fio");
    for asked in [
        &["trace", "show", text(&trace), "--after", "2h"][..],
        &["trace", "export", text(&trace), text(&file), "--format", "csv", "--after", "2h"],
    ] {
        // 2,000 rows, 20 ms apart.
        drivelab(asked).fails_in_one_line(
            2,
            &["no I/O was issued", "from 2007-02-22 17:00:00 +00:00 to 2007-02-22 17:00:40"],
        );
    }
    assert!(!file.exists());
    drivelab(&["trace", "show", text(&trace), "--after", "39s"]).with_code(0);
    let again = trace.join(".");
    drivelab(&["trace", "show", text(&trace), text(&again)]).fails_in_one_line(2, &["named twice"]);
}

#[test]
fn a_file_that_is_not_there_or_of_another_format_is_named_in_words() {
    let folder = folder();
    let (trace, missing) = (folder.path().join("trace"), folder.path().join("missing"));
    let import = |file: &Path| ["trace", "import", text(file), "-o", text(&trace)].map(str::to_owned);
    let refused = |asked: &[String], words: &[&str]| {
        let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
        let ended = drivelab(&asked);
        assert!(!ended.stderr.contains("os error"), "{}", ended.stderr);
        ended.fails_in_one_line(2, words);
    };
    refused(&import(&missing), &["is not there"]);
    refused(&import(folder.path()), &["is a folder"]);
    let file = folder.path().join("trace.csv");
    fs::write(&file, "128166372003061629,hm,0,Read,383496192,32768,413\n").expect("a trace");
    let named = [&import(&file)[..], &["--format".to_owned(), "fio".to_owned()]].concat();
    refused(&named, &["no file of the format fio", "write --format msr"]);
    assert!(!trace.exists());
}
