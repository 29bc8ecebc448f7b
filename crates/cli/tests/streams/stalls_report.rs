//! What is shown of streams: the same on the terminal, on the page and in the document, and as pictures and tables.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{self, drivelab, folder, text};
use serde_json::Value;

const STALLS: &str = include_str!("../../../kinds/schemas/drivelab.stalls-3.json");
const GUIDE: &str = include_str!("../../../../docs/choosing-for-a-recorder.md");

/// A stream with four delays of 300 ms, kept in a folder of this name.
fn stream(folder: &Path, name: &str) -> (PathBuf, Value) {
    let run = folder.join(name);
    let target = "sim:mx200-250?size=2GiB&delay_every=1.3GB&delay=300ms&delay_deviation=40ms&health=none";
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

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("a file of the result")
}

/// Text with every run of white space as one space.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What was read back, and how much was written where writes fail.
#[test]
fn what_was_read_back_is_said_once_and_what_failed_is_not_said_to_be_written() {
    let of = |fault: &str| {
        let target = format!("sim:consistent?size=512MiB&{fault}");
        words(&drivelab(&["stalls", &target, "--bytes", "1GiB"]).with_code(1).stdout)
    };
    let flipped = of("flip_every=30");
    assert_eq!(flipped.matches("were read back and judged").count(), 1, "{flipped}");
    assert!(flipped.contains("Not all of it is given back as it was written."), "{flipped}");
    let failed = of("fail_from=384MiB");
    assert!(failed.contains("other writes of 3 MiB did not succeed."), "{failed}");
    assert!(!failed.contains("of the drive.") && !failed.contains("times the drive."), "{failed}");
    assert!(
        failed.contains(" writes that failed "),
        "of the two counts, this one says what it counts: {failed}"
    );
}

#[test]
fn buffers_are_those_around_the_need_on_every_surface() {
    let folder = folder();
    let (run, document) = stream(folder.path(), "run");
    let shown = drivelab(&["report", text(&run)]).with_code(0).stdout;
    let page = read(&run.join("report.html")).replace('\u{a0}', " ");
    let mut sustained = 0;
    for buffer in document["findings"]["stream"]["buffers"].as_array().expect("buffers") {
        let backlog = buffer["largest_backlog_bytes"].as_u64().expect("bytes");
        let sizes = buffer["overflow"].as_array().expect("sizes");
        if buffer["sustained"] == false {
            assert!(sizes.is_empty(), "no buffer is large enough: {buffer}");
            continue;
        }
        sustained += 1;
        let bytes = |at: usize| sizes[at]["buffer_bytes"].as_u64().expect("bytes");
        let share = |at: usize| sizes[at]["share"].as_f64().expect("a share");
        assert!(bytes(2) >= backlog && (bytes(1) < backlog || bytes(2) == 4 << 20), "{buffer}");
        assert_eq!((bytes(0), share(2).to_bits()), (bytes(1) / 2, 0.0f64.to_bits()), "{buffer}");
        assert!(bytes(1) >= backlog || share(1) > 0.0, "too small for a block: {buffer}");
        let enough = size(bytes(2));
        let row = format!("{} MB/s", buffer["stream_mb_s"].as_f64().expect("a rate"));
        let row = shown.lines().find(|line| line.trim_start().starts_with(&row)).unwrap_or_default();
        assert!(row.contains(&enough), "{enough:?} is not in {row:?} of {shown}");
        assert!(page.contains(&format!(">{enough}<")), "{enough:?} is not on the page");
    }
    assert!(sustained >= 3, "{document}");
}

#[test]
fn a_drive_that_was_not_asked_for_its_health_is_no_healthy_one() {
    let folder = folder();
    let (run, document) = stream(folder.path(), "run");
    assert_eq!(
        document["findings"]["health"]["source"],
        serde_json::json!({"state": "not_asked", "why": "simulated"})
    );
    let sentence = "The drive's health: not asked: this simulated drive keeps none.";
    assert!(read(&run.join("report.html")).contains(sentence));
    let shown = drivelab(&["report", text(&run)]).with_code(0).stdout;
    assert!(words(&shown).contains(sentence), "{shown}");
}

/// The attribute that counts the delays of this drive goes up by one at each of them, and not between them.
#[test]
fn the_attribute_that_moves_with_each_delay_stands_next_to_it() {
    let folder = folder();
    let run = folder.path().join("run");
    let arguments = ["--bytes", "26GB", "--verify", "no", "-o", text(&run), "--json"];
    let target = "sim:mx200-250?size=2GiB&delay_every=8GB";
    let document = drivelab(&[&["stalls", target], &arguments[..]].concat()).with_code(0).json();
    common::assert_fits(STALLS, &document);
    let readings = document["findings"]["health"]["readings"].as_array().expect("readings");
    let moved = readings.iter().map(|reading| &reading["outcome"]["changed"]["183 Runtime_Bad_Block"]);
    let moved: Vec<(u64, u64)> =
        moved.filter_map(|pair| Some((pair[0].as_u64()?, pair[1].as_u64()?))).collect();
    assert_eq!(moved, [(0, 1), (1, 2), (2, 3)], "{document:#}");
    assert_eq!(readings.len(), 4, "one after each delay, and one at the end");
    let shown = words(&drivelab(&["report", text(&run)]).with_code(0).stdout);
    for step in [" 183 Runtime_Bad_Block: 0 to 1;", " 183 Runtime_Bad_Block: 2 to 3;"] {
        assert!(shown.contains(step), "{step}: {shown}");
    }
}

/// Two drives that were asked for the same stream, one of them without delays.
fn two(folder: &Path) -> [PathBuf; 2] {
    ["delay_every=1.3GB&delay=300ms", "delay_every=0"].map(|delays| {
        let run = folder.join(if delays.ends_with("=0") { "even" } else { "delayed" });
        let target = format!("sim:mx200-250?size=2GiB&{delays}");
        let arguments =
            ["--block-size", "1MiB", "--bytes", "6GiB", "--stream-rate", "160MB/s", "-o", text(&run)];
        drivelab(&[&["stalls", target.as_str()], &arguments[..]].concat()).with_code(0);
        run
    })
}

#[test]
fn results_are_opened_again_and_compared() {
    let folder = folder();
    let runs = two(folder.path());
    let page = read(&runs[0].join("report.html"));
    for run in &runs {
        fs::remove_dir_all(run.join("segments")).expect("the records");
    }
    fs::remove_file(runs[0].join("report.html")).expect("the page");
    drivelab(&["report", text(&runs[0])]).with_code(0);
    assert_eq!(page, read(&runs[0].join("report.html")), "the page is made again without the records");
    let both = folder.path().join("both.html");
    let compared =
        drivelab(&["report", text(&runs[0]), text(&runs[1]), "--report", text(&both)]).with_code(0);
    assert!(read(&both).contains("Recording of a stream of two drives"));
    assert!(compared.stdout.contains("Stream of 160 MB/s") && compared.stdout.contains('✓'), "{compared:?}");
    assert_eq!(page, read(&runs[0].join("report.html")), "no page of a result is replaced by a comparison");
    let documents = drivelab(&["report", text(&runs[0]), text(&runs[1]), "--json"]).with_code(0).json();
    let documents = documents.as_array().expect("a document for each result");
    documents.iter().for_each(|document| common::assert_fits(STALLS, document));
}

/// The answer of a stream that was tested so, with the mark before it.
fn answer(target: &str, arguments: &[&str]) -> String {
    let asked = [&["stalls", target, "--block-size", "1MiB", "--verify", "no"], arguments].concat();
    let shown = drivelab(&asked).with_code(0).stdout;
    // What is tested stands above it.
    let below = words(shown.split("\n\n").nth(1).unwrap_or_default());
    below.split(" Blocks of").next().unwrap_or_default().to_owned()
}

#[test]
fn the_first_sentence_answers_whether_the_drive_can_record_the_stream() {
    let target = "sim:mx200-250?size=2GiB&delay_every=1.3GB&delay=300ms&delay_deviation=40ms&health=none";
    let begins = |answer: &str, mark: &str| assert!(answer.starts_with(mark), "{answer}");
    let yes = answer(target, &["--bytes", "6GiB", "--stream-rate", "160MB/s"]);
    begins(&yes, "Yes: 6.44 GB were written in ");
    assert!(
        yes.contains("times what a stream of 160 MB/s brings") && yes.contains("3.00 times the drive"),
        "{yes}"
    );
    begins(&answer(target, &["--bytes", "6GiB", "--stream-rate", "900MB/s"]), "No: 6.44 GB were written in ");
    // A drive that was not filled may slow down where it is.
    let partly = answer(target, &["--bytes", "512MiB", "--stream-rate", "160MB/s"]);
    begins(&partly, "Not shown: 537 MB were written in ");
    assert!(partly.contains("25 % of the drive"), "{partly}");
    let any = answer(target, &["--bytes", "6GiB"]);
    begins(&any, "Measured: 6.44 GB were written in ");
    assert!(any.contains("With a buffer of 256 MiB the drive can record streams of up to"), "{any}");
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
        for name in ["times", "written", "buffer", "backlog-160-mb-s"] {
            assert!(read(&svg.join(format!("{name}.svg"))).contains("<svg"), "{name}");
            let pixels = fs::read(png.join(format!("{name}.png"))).expect("pixels");
            assert!(pixels.starts_with(b"\x89PNG"), "{name}");
        }
        let lines = |name: &str| -> Vec<String> {
            read(&csv.join(format!("{name}.csv"))).lines().map(str::to_owned).collect()
        };
        let delays = lines("delays");
        assert_eq!(delays.len(), 1 + 4 * count, "{delays:?}");
        let took = document["findings"]["stream"]["delays"][0]["duration_ns"].to_string();
        assert!(delays[1].split(',').any(|field| field == took), "{delays:?}");
        let is_bar = |line: &&String| line.starts_with("Writes,");
        let writes = lines("times");
        let counts =
            writes.iter().filter(is_bar).filter_map(|line| line.rsplit(',').next()?.parse::<u64>().ok());
        let all = document["findings"]["stream"]["all_writes_ns"]["count"].as_u64().expect("a count");
        assert_eq!(counts.sum::<u64>(), all * count as u64, "{writes:?}");
        for name in ["figures", "written", "buffer", "backlog-160-mb-s", "buffers"] {
            assert!(lines(name).len() > count, "{name} is empty");
        }
        assert!(!csv.join("faults.csv").exists(), "nothing was read back");
    }
}

#[test]
fn a_delay_is_defined_in_the_same_words_everywhere() {
    let definition = drivelab_kinds::stalls::DELAY_DEFINITION;
    assert!(words(&drivelab(&["stalls", "--help"]).with_code(0).stdout).contains(definition));
    assert!(words(GUIDE).contains(definition));
    let folder = folder();
    let (run, _) = stream(folder.path(), "run");
    assert!(read(&run.join("report.html")).replace('\u{a0}', " ").contains(definition));
}
