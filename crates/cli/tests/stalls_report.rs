//! What is shown of streams: the same on the terminal, on the page and in the document, and as pictures and tables.

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{drivelab, folder, text};
use serde_json::Value;

const STALLS: &str = include_str!("../../report/schemas/drivelab.stalls-1.json");
const GUIDE: &str = include_str!("../../../docs/choosing-for-a-recorder.md");

/// A stream with four delays of 300 ms, kept in a folder of this name.
fn stream(folder: &Path, name: &str) -> (PathBuf, Value) {
    let run = folder.join(name);
    let target = "sim:mx200-250?size=2GiB&delay_every=1.3GB&delay=300ms&delay_deviation=40ms";
    let arguments = ["--block-size", "1MiB", "--bytes", "6GiB", "--verify", "no", "--stream-rate", "160MB/s"];
    let more = ["--stream-rate", "900MB/s", "-o", text(&run), "--json"];
    let document = drivelab(&[&["stalls", target], &arguments[..], &more].concat()).with_code(0).json();
    common::assert_fits(STALLS, &document);
    (run, document)
}

/// A buffer's size as it is shown: all of these are whole powers of two from 1 MiB on.
fn size(bytes: u64) -> String {
    if bytes >= 1 << 30 { format!("{} GiB", bytes >> 30) } else { format!("{} MiB", bytes >> 20) }
}

#[test]
fn buffers_are_those_around_the_need_on_every_surface() {
    let folder = folder();
    let (run, document) = stream(folder.path(), "run");
    let shown = drivelab(&["report", text(&run)]).with_code(0).stdout;
    let page = fs::read_to_string(run.join("report.html")).expect("a page");
    let mut sustained = 0;
    for buffer in document["buffer"].as_array().expect("buffers") {
        let backlog = buffer["largest_backlog_bytes"].as_u64().expect("bytes");
        let sizes = buffer["overflow"].as_array().expect("sizes");
        if buffer["sustained"] == false {
            assert!(sizes.is_empty(), "no buffer is large enough: {buffer}");
            continue;
        }
        sustained += 1;
        let bytes = |at: usize| sizes[at]["buffer_bytes"].as_u64().expect("bytes");
        assert!(bytes(2) >= backlog && (bytes(1) < backlog || bytes(2) == 4 << 20), "{buffer}");
        assert_eq!((bytes(0), sizes[2]["share"].as_f64()), (bytes(1) / 2, Some(0.0)), "{buffer}");
        assert!(
            bytes(1) >= backlog || sizes[1]["share"].as_f64() > Some(0.0),
            "too small for a block: {buffer}"
        );
        for at in 0..3 {
            let words = format!("{}: ", size(bytes(at)));
            assert!(shown.contains(&words), "{words:?} is not in {shown}");
            assert!(page.contains(&format!("<td>{words}")), "{words:?} is not on the page");
        }
    }
    assert!(sustained >= 3, "{document}");
}

#[test]
fn a_drive_that_was_not_asked_for_its_health_is_no_healthy_one() {
    let folder = folder();
    let (run, document) = stream(folder.path(), "run");
    assert_eq!(
        document["delays"][0]["health"],
        serde_json::json!({"state": "not_asked", "why": "simulated"})
    );
    let page = fs::read_to_string(run.join("report.html")).expect("a page");
    assert!(page.contains("<td>not asked: a simulated drive has none</td>"));
    let shown = drivelab(&["report", text(&run)]).with_code(0).stdout;
    assert!(shown.contains("health: not asked: a simulated drive has none"), "{shown}");
}

#[test]
fn pictures_and_tables_of_streams_are_those_of_the_page() {
    let folder = folder();
    let (one, document) = stream(folder.path(), "one");
    let (two, _) = stream(folder.path(), "two");
    for runs in [vec![text(&one)], vec![text(&one), text(&two)]] {
        let count = runs.len();
        let places = ["svg", "png", "csv"].map(|kind| folder.path().join(format!("{kind}-{count}")));
        let [svg, png, csv] = places.each_ref().map(|place| text(place));
        drivelab(&[&["report"], &runs[..], &["--svg", svg, "--png", png, "--csv", csv]].concat())
            .with_code(0);
        let [svg, png, csv] = places;
        for name in ["times", "written", "backlog-160-mb-s"] {
            let picture = fs::read_to_string(svg.join(format!("{name}.svg"))).expect("a picture");
            let circles = picture.matches("<circle").count();
            let wanted = match name {
                "written" => 4 * count..=4 * count,
                "times" => count..=4 * count,
                _ => 0..=0,
            };
            assert!(wanted.contains(&circles), "{name}: {circles} delays are marked, not {wanted:?}");
            let pixels = fs::read(png.join(format!("{name}.png"))).expect("pixels");
            assert!(pixels.starts_with(b"\x89PNG"), "{name}");
        }
        let lines = |name: &str| {
            let table = fs::read_to_string(csv.join(format!("{name}.csv"))).expect("a table");
            table.lines().map(str::to_owned).collect::<Vec<_>>()
        };
        let delays = lines("delays");
        assert_eq!(delays.len(), 1 + 4 * count, "{delays:?}");
        let took: Vec<&str> = delays[1].split(',').collect();
        assert!(took.contains(&document["delays"][0]["duration_ns"].to_string().as_str()), "{delays:?}");
        let writes: u64 = lines("times")[1..]
            .iter()
            .map(|line| {
                line.split(',').rev().nth(1).and_then(|writes| writes.parse::<u64>().ok()).expect("a count")
            })
            .sum();
        assert_eq!(writes, document["all_writes_ns"]["count"].as_u64().expect("a count") * count as u64);
        for name in ["numbers", "written", "backlog", "buffers", "conditions"] {
            assert!(lines(name).len() > count, "{name} is empty");
        }
        assert_eq!(lines("faults").len(), 1, "nothing was read back");
    }
}

#[test]
fn a_delay_is_defined_in_the_same_words_everywhere() {
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let definition = drivelab_report::DELAY_DEFINITION;
    assert!(words(&drivelab(&["stalls", "--help"]).with_code(0).stdout).contains(definition));
    assert!(words(GUIDE).contains(definition));
    let folder = folder();
    let (run, _) = stream(folder.path(), "run");
    assert!(fs::read_to_string(run.join("report.html")).expect("a page").contains(definition));
}
