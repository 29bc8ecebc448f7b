//! Random writes that are verified: what a drive does wrong is named, and what a kill leaves is judged by the records.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::time::Duration;

use crate::common::devices::{self, eventually};
use crate::common::running::{Running, pause};
use crate::common::{assert_fits, drivelab, folder, manifest, text};
use serde_json::{Value, json};

const LOAD: &str = include_str!("../../../kinds/schemas/drivelab.load-3.json");
const BLOCK: u64 = 16 << 10;
const KINDS: [&str; 5] = ["flipped", "torn", "misplaced", "stale", "missing"];

/// Text with every run of white space as one space.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn verification(document: &Value) -> &Value {
    &document["findings"]["verification"]
}

#[test]
fn every_lie_of_a_simulated_drive_is_found_and_an_honest_one_passes() {
    let asked = ["--rw", "randwrite", "--block-size", "16KiB", "--bytes", "512MiB", "--json"];
    let lies = "drop_every=150&revert_every=150&tear_every=150&misdirect_every=150&flip_every=150";
    for verify in ["end", "continuous"] {
        let honest = "sim:consistent?size=256MiB";
        let document =
            drivelab(&[&["load", honest, "--verify", verify], &asked[..]].concat()).with_code(0).json();
        assert_fits(LOAD, &document);
        assert!(KINDS.iter().all(|kind| verification(&document)[kind] == 0), "{document:#}");
        assert_eq!(verification(&document)["left"], 0);
        let lying = format!("{honest}&{lies}");
        let document =
            drivelab(&[&["load", &lying, "--verify", verify], &asked[..]].concat()).with_code(1).json();
        assert_fits(LOAD, &document);
        assert!(KINDS.iter().all(|kind| verification(&document)[kind].as_u64() > Some(0)), "{document:#}");
        // The figures are those of the writing, whatever was read back after it.
        assert_eq!(document["findings"]["ios"]["measured_phase"], "randwrite");
    }
}

/// The time of a flush is none of the writes between which it is made, and a flush is no write a second.
#[test]
fn flushes_are_not_among_the_figures_of_the_writes() {
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["--rw", "randwrite", "--verify", "end", "--flush-every", "10", "--bytes", "4MiB"];
    let load = ["load", "sim:consistent?size=256MiB&flush_time=2ms", "--json", "-o", text(&run)];
    let document = drivelab(&[&load[..], &asked].concat()).with_code(0).json();
    assert_fits(LOAD, &document);
    let found = &document["findings"];
    // What the records hold of each operation.
    let records = drivelab(&["trace", "show", text(&run), "--json"]).with_code(0).json()["findings"].clone();
    let summary = &found["ios"]["summary"];
    assert_eq!(records["requests"]["write"], 1_024);
    assert!(records["requests"]["flush"].as_u64() >= Some(100), "{records}");
    assert_eq!(summary["service_ns"]["mean"], records["service_ns"]["write"]["mean"]);
    assert_eq!(summary["flush_service_ns"]["mean"], records["service_ns"]["flush"]["mean"]);
    let (iops, lasted) = (found["iops"].as_f64(), found["duration_s"].as_f64());
    let (iops, lasted) = iops.zip(lasted).expect("figures");
    assert!((iops * lasted - 1_024.0).abs() < 0.5, "{iops} {lasted}");
    let said = words(&drivelab(&["report", text(&run)]).with_code(0).stdout);
    assert!(said.contains("Flushes are not in these figures"), "{said}");
    assert!(said.contains("Service time of all but flushes, whole run I/Os 1,024"), "{said}");
}

/// The last write that was completed to each block is what a report of the figures says nothing of: it is damaged here.
#[test]
fn what_is_not_as_the_records_say_is_named_with_its_place() {
    let folder = folder();
    let (image, run) = (folder.path().join("image"), folder.path().join("run"));
    let write = |run: &Path, more: &[&str]| {
        let asked = ["load", text(&image), "--rw", "randwrite", "--verify", "end", "--block-size", "16KiB"];
        let amount = ["--queue-depth", "4", "--bytes", "4MiB", "-o", text(run)];
        drivelab(&[&asked[..], &amount, more].concat()).with_code(0);
    };
    write(&folder.path().join("older"), &["--file-size", "512KiB"]);
    let older = std::fs::read(&image).expect("an image");
    write(&run, &["--destroy-data"]);
    drivelab(&["load", text(&image), "--verify-after-crash", text(&run)]).with_code(0);
    lie(&image, &older);
    let after = || drivelab(&["load", text(&image), "--verify-after-crash", text(&run), "--json"]);
    let document = after().with_code(1).json();
    assert_fits(LOAD, &document);
    let found = verification(&document);
    assert!(KINDS.iter().all(|kind| found[kind] == 1), "{found:#}");
    let faults = found["faults"].as_array().expect("faults").iter();
    let of = |kind: &str| faults.clone().find(|fault| fault["kind"] == kind).expect("a fault of each kind");
    // Bytes that are wrong, and whose data lies in the place of others.
    assert_eq!(of("flipped")["wrong_byte"], 3 * BLOCK + 9_000);
    assert_eq!(of("torn")["wrong_byte"], 5 * BLOCK);
    assert_eq!(
        of("misplaced")["found"],
        json!({"is": "other_place", "lba": 8 * BLOCK / 512, "byte": 8 * BLOCK})
    );
    assert_eq!(of("missing")["found"], json!({"is": "no_sector"}));
    let mut places: Vec<(&str, u64)> = faults
        .map(|fault| {
            (fault["kind"].as_str().expect("a kind"), fault["lba"].as_u64().expect("an LBA") * 512 / BLOCK)
        })
        .collect();
    // Reads of several in flight come back in any order.
    places.sort_unstable_by_key(|(_, place)| *place);
    assert_eq!(places, [("flipped", 3), ("torn", 5), ("misplaced", 7), ("stale", 9), ("missing", 11)]);
    let shown = words(&drivelab(&["report", text(&run)]).with_code(1).stdout);
    assert!(shown.contains("5 of them NOT as written") && shown.contains("data of LBA 256"), "{shown}");
    let first = "5 of 32 blocks that were read back are not as written (1 with flipped bits, 1 written in part, 1 with what was \
                 written elsewhere, 1 with older contents, 1 lost), about 1 in 6, the first by address at 49.2 kB (byte 49,152), \
                 9.4 % of the capacity.";
    let read =
        words(&drivelab(&["load", text(&image), "--verify-after-crash", text(&run)]).with_code(1).stdout);
    assert!(
        shown.contains(first) && read.contains(first),
        "it is said as of a run that read back itself: {read}"
    );
}

/// Does to the blocks of an image what a drive may do to them.
fn lie(image: &Path, older: &[u8]) {
    let file = OpenOptions::new().read(true).write(true).open(image).expect("the image");
    let read = |place: u64| {
        let mut bytes = vec![0; 16 << 10];
        file.read_exact_at(&mut bytes, place * BLOCK).expect("a block");
        bytes
    };
    let write = |place: u64, bytes: &[u8]| file.write_all_at(bytes, place * BLOCK).expect("room");
    let old = |place: usize| &older[place * (16 << 10)..(place + 1) * (16 << 10)];
    let mut flipped = read(3);
    flipped[9_000] ^= 1;
    write(3, &flipped);
    write(5, &old(5)[..8 << 10]);
    write(7, &read(8));
    write(9, old(9));
    write(11, &[0; 16 << 10]);
}

/// After a power cut only what was flushed is expected; in the same boot everything is.
#[test]
fn what_no_flush_had_covered_may_be_lost_in_a_power_cut() {
    let folder = folder();
    let (image, run) = (folder.path().join("image"), folder.path().join("run"));
    let asked = ["load", text(&image), "--rw", "randwrite", "--verify", "end", "--file-size", "4MiB"];
    // The flush that is due after the last write is never sent: nothing is known to be on the drive.
    let amount = ["--bytes", "64KiB", "--flush-every", "16", "--queue-depth", "1", "-o", text(&run)];
    drivelab(&[&asked[..], &amount].concat()).with_code(0);
    std::fs::write(&image, vec![0; 4 << 20]).expect("room");
    let after = || drivelab(&["load", text(&image), "--verify-after-crash", text(&run), "--json"]);
    let document = after().with_code(1).json();
    let missing = verification(&document)["missing"].as_u64();
    assert_eq!(verification(&document)["later"]["judged_after"], "kill");
    let mut restarted = manifest(&run);
    restarted["settings"]["verify"]["boot"] = Value::from("another");
    std::fs::write(run.join("run.json"), restarted.to_string()).expect("room");
    // They are those of the run as it was asked for before.
    std::fs::remove_file(run.join("findings.json")).expect("findings");
    let document = after().with_code(0).json();
    assert_fits(LOAD, &document);
    assert_eq!(verification(&document)["later"]["judged_after"], "power_cut");
    assert_eq!(verification(&document)["unflushed"].as_u64(), missing);
    assert_eq!(verification(&document)["missing"], 0);
}

/// Kills are few here; `DRIVELAB_KILLS` asks for more.
#[test]
fn what_a_killed_load_acknowledged_is_there() {
    let kills = std::env::var("DRIVELAB_KILLS").ok().and_then(|count| count.parse().ok()).unwrap_or(4_u64);
    let folder = folder();
    let image = folder.path().join("image");
    File::create(&image).and_then(|file| file.set_len(16 << 20)).expect("room");
    let mut judged = 0;
    for number in 0..kills {
        let run = folder.path().join(number.to_string());
        devices::wait_until_free(&image);
        let verify = if number.is_multiple_of(2) { "end" } else { "continuous" };
        let asked = ["load", text(&image), "--rw", "randwrite", "--verify", verify, "--duration", "30s"];
        let more: &[&str] = match number % 3 {
            0 => &["--queue-depth", "16"],
            1 => &["--queue-depth", "8", "--threads", "2", "--flush-every", "500"],
            _ => &["--queue-depth", "4", "--block-size", "64KiB"],
        };
        let kept = ["--destroy-data", "-o", text(&run)];
        let running = Running::start(&[&asked[..], more, &kept].concat());
        let began =
            || std::fs::read_to_string(run.join("run.json")).is_ok_and(|it| it.contains("started_at_ns"));
        assert!(eventually(began), "the run never began");
        pause(Duration::from_millis(200 + number * 379 % 1_300));
        if number == 0 {
            let early = drivelab(&["load", text(&image), "--verify-after-crash", text(&run)]);
            early.fails_in_one_line(3, &["still under way", "wait for its end"]);
        }
        running.kill();
        devices::wait_until_free(&image);
        let ended = drivelab(&["load", text(&image), "--verify-after-crash", text(&run), "--json"]);
        let document = ended.json();
        if verification(&document)["blocks"] == 0 {
            // Killed before its first write: then nothing is called well.
            assert_eq!(ended.code, Some(1), "{ended:?}");
            continue;
        }
        assert_eq!(ended.code, Some(0), "kill {number}: {ended:?}");
        assert_fits(LOAD, &document);
        judged += 1;
        let report = words(&drivelab(&["report", text(&run)]).with_code(1).stdout);
        assert!(report.contains("did not end by itself") && report.contains("All there"), "{report}");
    }
    assert!(judged * 2 > kills, "{judged} of {kills} kills came after a write");
}

#[test]
fn what_cannot_be_verified_is_refused_in_one_line() {
    let target = "sim:consistent?size=1GiB";
    let refused = |arguments: &[&str], words: &[&str]| {
        drivelab(&[&["load", target], arguments].concat()).fails_in_one_line(2, words);
    };
    let verified = ["--rw", "randwrite", "--verify", "end"];
    refused(&["--verify", "end"], &["--rw randwrite", "randread"]);
    refused(&["--verify", "end", "--rw", "write"], &["--rw randwrite", "drivelab stalls"]);
    refused(&["--verify", "continuous", "--rw", "randrw"], &["--rw randwrite", "--verify continuous"]);
    refused(&["--rw", "randwrite", "--flush-every", "10"], &["--flush-every", "--verify"]);
    refused(
        &[&verified[..], &["--rate", "10/s", "--flush-every", "10"]].concat(),
        &["--rate", "--flush-every"],
    );
    refused(&[&verified[..], &["--compressibility", "50%"]].concat(), &["--compressibility", "--verify"]);
    refused(&[&verified[..], &["--block-size", "1000B"]].concat(), &["--block-size", "512"]);
    refused(&[&verified[..], &["--range", "0B-64KiB"]].concat(), &["--range", "--queue-depth"]);
    refused(&["--verify-after-crash", "nowhere"], &["simulated"]);
    let folder = folder();
    let (image, run) = (folder.path().join("image"), folder.path().join("run"));
    let plain = ["load", text(&image), "--rw", "randwrite", "--bytes", "1MiB", "--file-size", "1MiB"];
    drivelab(&[&plain[..], &["-o", text(&run)]].concat()).with_code(0);
    let after = |command: &str| drivelab(&[command, text(&image), "--verify-after-crash", text(&run)]);
    after("load").fails_in_one_line(2, &["--verify end"]);
    after("stalls").fails_in_one_line(2, &["drivelab load"]);
}

/// A simulated drive knows of whole mapping units which write they hold.
#[test]
fn parts_of_a_mapping_unit_are_not_verified() {
    let load =
        ["load", "sim:consistent?size=1GiB", "--rw", "randwrite", "--verify", "end", "--duration", "1s"];
    for wrong in [["--block-size", "512B"], ["--range", "512B-64MiB"]] {
        drivelab(&[&load[..], &wrong].concat()).fails_in_one_line(2, &["--verify", "multiples of 4KiB"]);
    }
}
