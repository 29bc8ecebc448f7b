//! Limits that a shell sets (`ulimit`): on memory, and on the size of files.

use std::process::Command;
use std::time::Duration;

use crate::common::{Ended, folder, program, text};

/// Runs the program to its end in a shell with this limit.
fn limited(limit: &str, arguments: &[&str]) -> Ended {
    let mut shell = Command::new("sh");
    shell.envs(program().get_envs().filter_map(|(name, value)| Some((name, value?))));
    shell.args(["-c", &format!("ulimit {limit}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_drivelab")]);
    let output =
        assert_cmd::Command::from_std(shell).args(arguments).timeout(Duration::from_secs(60)).output();
    Ended::of(&output.expect("a shell"))
}

#[test]
fn too_little_memory_ends_with_a_line_that_says_so() {
    let folder = folder();
    let asked = ["load", "sim:consistent?size=1GiB", "--rw", "randwrite", "--duration", "2s"];
    let ends = |mebibytes: u64| {
        let run = folder.path().join(format!("run-{mebibytes}"));
        limited(&format!("-v {}", mebibytes << 10), &[&asked[..], &["--output", text(&run)]].concat())
    };
    // Below this the dynamic loader of the system cannot map the program, which says nothing about the program.
    let least = (20..160).find(|&mebibytes| !matches!(ends(mebibytes).code, None | Some(127)));
    let least = least.expect("a limit under which the program begins");
    // From too little for the beginning to enough: wherever it runs out, it ends in the same way.
    let mut said = String::new();
    for mebibytes in (least + 1..least + 116).step_by(5) {
        let ended = ends(mebibytes);
        if ended.code == Some(1) {
            // There was memory for all but a segment.
            assert!(ended.stderr.contains("records are being lost"), "{}", ended.stderr);
        } else if ended.code != Some(0) {
            assert!(ended.stderr.lines().count() <= 2, "{}", ended.stderr);
            // Where the memory of a thread's stack is what lacks, the kernel says so by EAGAIN (pthread_create(3)).
            let words = ["ulimit -v unlimited", "a worker could not be started"];
            let ended = ended.with_code(3);
            assert!(words.iter().any(|word| ended.stderr.contains(word)), "{}", ended.stderr);
            said += &ended.stderr;
        }
    }
    assert!(said.contains("there is no memory for"), "{said}");
    ends(least).fails_in_one_line(3, &["ulimit -v unlimited"]);
    ends(4_000).with_code(0);
}

#[test]
fn a_limit_on_the_size_of_files_is_an_error_that_names_it() {
    let folder = folder();
    let run = folder.path().join("run");
    let asked = ["load", "sim:consistent?size=1GiB", "--rw", "randwrite", "--duration", "2s"];
    let ended = limited("-f 10", &[&asked[..], &["--output", text(&run)]].concat());
    ended.fails_in_one_line(3, &["File too large", "ulimit -f unlimited"]);
}
