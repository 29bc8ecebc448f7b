//! Exports that were killed, and files that were cut.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::common::devices::{self, Mount};
use crate::common::running::{Running, pause};
use crate::common::{folder, text, tree};
use crate::export::parquet_files::{catalogue, named};
use crate::export::{export, load, trace};

/// How many moments of an export it is killed at.
const KILLS: u64 = 20;

/// Numbers without order (xorshift of Marsaglia, 2003), from 0 to below 1.
fn uniform(state: &mut u64) -> f64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    (*state >> 11) as f64 / (1_u64 << 53) as f64
}

#[test]
fn a_killed_export_that_runs_again_leaves_what_one_leaves_that_was_not_killed() {
    let folder = folder();
    let results = folder.path().join("results");
    fs::create_dir(&results).expect("room");
    for (name, duration) in [("first", "40s"), ("second", "60s"), ("third", "80s")] {
        load(&results.join(name), duration);
    }
    trace(&results);
    let all = [
        ["--as", "records", "--host", "lab", "--started", "2026-11-24T23:59:40Z"],
        ["--as", "rollup", "--host", "lab", "--started", "2026-11-24T23:59:40Z"],
    ];
    let undisturbed = folder.path().join("undisturbed");
    #[expect(clippy::disallowed_methods, reason = "to kill exports at moments all over their time")]
    let began = std::time::Instant::now();
    all.iter().for_each(|options| drop(export(&results, &undisturbed, options).with_code(0)));
    let lasted = began.elapsed();
    let expected = tree(&undisturbed);
    assert_eq!(expected.len(), 2 * 4 + 4 * 4, "a row and drives each, and of two days records and a rollup");
    let (mut state, mut were_cut) = (0x9e37_79b9_7f4a_7c15, 0);
    for kill in 0..KILLS {
        let to = folder.path().join(format!("killed-{kill}"));
        let options = &all[usize::from(kill % 4 == 3)];
        let command = [&["export", text(&results), "--destination", text(&to)], &options[..]].concat();
        let running = Running::start(&command);
        pause(lasted.mul_f64(0.6 * (kill as f64 + uniform(&mut state)) / KILLS as f64));
        running.kill();
        were_cut += usize::from(tree(&to).iter().any(|(path, _)| is_partial(path)));
        all.iter().for_each(|options| drop(export(&results, &to, options).with_code(0)));
        assert!(tree(&to) == expected, "killed the {kill}th time");
        fs::remove_dir_all(&to).expect("a folder");
    }
    assert!(were_cut > 0, "no kill met a file that was being written");
}

fn is_partial(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "partial")
}

/// The files of a destination with the number by which a file system knows each.
fn inodes(destination: &Path) -> Vec<(String, u64)> {
    let number = |path: &Path| fs::metadata(destination.join(path)).expect("a file").ino();
    tree(destination).iter().map(|(path, _)| (path.display().to_string(), number(path))).collect()
}

#[test]
fn what_is_there_and_whole_is_left_alone_and_what_is_cut_or_gone_is_written_again() {
    let folder = folder();
    let (trace, fleet) = (trace(folder.path()), folder.path().join("fleet"));
    let run = |code| {
        export(&trace, &fleet, &["--host", "hm", "--json"]).with_code(code).json()["results"][0].clone()
    };
    assert_eq!(run(0)["written_files"], 2);
    let (before, files) = (inodes(&fleet), tree(&fleet));
    assert_eq!((&run(0)["written_files"], &run(0)["is_row_written"]), (&0.into(), &false.into()));
    assert_eq!(inodes(&fleet), before, "the same files");
    let rollups = named(&fleet, "rollup.parquet");
    for damage in 0..5 {
        let path = fleet.join(&rollups[damage % 2]);
        let bytes = fs::read(&path).expect("a rollup");
        match damage {
            0 => fs::remove_file(&path).expect("a rollup"),
            1 => fs::write(&path, &bytes[..bytes.len() / 2]).expect("room"),
            2 => fs::write(&path, "").expect("room"),
            3 => fs::remove_dir_all(fleet.join("drives")).expect("a folder"),
            _ => fs::remove_dir_all(fleet.join("catalogue"))
                .and_then(|()| fs::create_dir(fleet.join("catalogue")))
                .expect("room"),
        }
        let written = run(0)["written_files"].clone();
        assert_eq!(written, u64::from(damage < 3), "the other file was whole");
        assert!(tree(&fleet) == files, "damage {damage}");
    }
}

#[test]
fn another_label_is_another_row_and_no_other_file() {
    let folder = folder();
    let (run, fleet) = (load(&folder.path().join("run"), "2s"), folder.path().join("fleet"));
    export(&run, &fleet, &[]).with_code(0);
    let before = inodes(&fleet);
    crate::export::drivelab(&["label", text(&run), "--label", "After a year"]).with_code(0);
    export(&run, &fleet, &[]).with_code(0);
    assert_eq!(catalogue(&fleet)[0]["label"], "After a year");
    let rollups = |files: &[(String, u64)]| {
        files.iter().filter(|(path, _)| path.ends_with("rollup.parquet")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(rollups(&inodes(&fleet)), rollups(&before));
    assert_eq!(inodes(&fleet).len(), before.len());
}

#[test]
fn a_full_disk_costs_nothing_that_is_there() {
    if !devices::mounts_can_be_made() {
        return;
    }
    let folder = folder();
    let (first, second) = (folder.path().join("first"), folder.path().join("second"));
    load(&first, "10s");
    load(&second, "120s");
    let mount = Mount::tmpfs("1M");
    let fleet = mount.point.join("fleet");
    export(&first, &fleet, &["--as", "records"]).with_code(0);
    let before = tree(&fleet);
    export(&second, &fleet, &["--as", "records"]).fails_in_one_line(3, &["No space left", "make room"]);
    assert!(tree(&fleet) == before, "nothing half is there, and nothing is gone");
    export(&second, &folder.path().join("fleet"), &["--as", "records"]).with_code(0);
}
