//! `drivelab` alone: what there is here, and what to type.

mod common;

use common::devices::{self, Loop};
use common::{Ended, drivelab, folder, program, text};

#[test]
fn the_program_alone_shows_the_drives_the_results_and_what_to_type() {
    let folder = folder();
    let run = folder.path().join("my run");
    drivelab(&["quick", "sim:consistent", "-o", text(&run)]).with_code(0);
    let device = devices::loops_can_be_made().then(|| Loop::of_zeros(16));
    let output = program().current_dir(folder.path()).output().expect("drivelab starts");
    let shown = Ended::of(&output).with_code(0).stdout;
    assert!(shown.contains("drivelab report 'my run'"), "{shown}");
    let simulated =
        shown.lines().find(|line| line.contains("drivelab review sim:")).expect("a first command");
    let mut words: Vec<&str> = simulated.split_whitespace().skip(1).collect();
    words.push("--dry-run");
    drivelab(&words).with_code(0);
    if let Some(device) = device {
        let (node, serial) = (text(&device.node), device.serial());
        let destroys = format!("drivelab review {node} {serial} --destroy-data -o review");
        assert!(shown.contains(&destroys), "{destroys} is not in {shown}");
    }
}

/// A loop of short tests of simulated drives has several in one second.
#[test]
fn tests_that_begin_in_the_same_second_have_folders_of_their_own() {
    let folder = folder();
    for _ in 0..3 {
        let test = ["consistency", "sim:consistent?size=1GiB", "--duration", "1s"];
        let ended = program().args(test).current_dir(folder.path()).output().expect("drivelab starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    }
    assert_eq!(folder.path().read_dir().expect("a folder").count(), 3);
}
