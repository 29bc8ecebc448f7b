//! What the tests of the whole command share: running it, devices that are taken away again, records.

#![allow(dead_code, reason = "each test file uses its own part of these")]

pub mod instrument;
pub mod records;
pub mod running;
pub mod streams;
pub mod tables;

pub use drivelab_testbed as devices;

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A hang ends a test; it is no bound on how fast anything is.
const HANG: Duration = Duration::from_secs(60);

/// How often a run is made that could not be judged.
const ATTEMPTS: usize = 5;
/// The kernel gives a device back a moment after the process that had it is gone.
const UNTIL_RELEASED: Duration = Duration::from_millis(300);

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ended {
    /// From what a process left. No test of this program may ever see a panic.
    pub fn of(output: &std::process::Output) -> Ended {
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!stderr.contains("panicked"), "{stderr}");
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr,
        }
    }

    /// Whether it could not judge its run, since the program stood still for most of it.
    fn was_not_let_run(&self) -> bool {
        let why = "run it again on a machine that lets it run";
        let said = format!("{}{}", self.stdout, self.stderr);
        self.code == Some(1) && said.split_whitespace().collect::<Vec<_>>().join(" ").contains(why)
    }

    /// Expects an exit code.
    #[track_caller]
    pub fn with_code(self, code: i32) -> Ended {
        assert_eq!(self.code, Some(code), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    /// Stdout as the one JSON document it has to be.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {:?}", self.stdout))
    }

    /// Expects a failure of one line on stderr, nothing on stdout, that says all of `words`.
    #[track_caller]
    pub fn fails_in_one_line(self, code: i32, words: &[&str]) {
        let ended = self.with_code(code);
        assert_eq!(ended.stderr.lines().count(), 1, "{}", ended.stderr);
        assert!(ended.stderr.starts_with("drivelab: "), "{}", ended.stderr);
        ended.says_only_on_stderr(words);
    }

    /// Expects clap's own message of a wrong argument.
    #[track_caller]
    pub fn fails_in_the_parser(self, words: &[&str]) {
        let ended = self.with_code(2);
        assert!(ended.stderr.starts_with("error: "), "{}", ended.stderr);
        ended.says_only_on_stderr(words);
    }

    #[track_caller]
    fn says_only_on_stderr(&self, words: &[&str]) {
        assert_eq!(self.stdout, "", "a failure prints nothing on stdout");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is not in {:?}", self.stderr);
        }
    }
}

/// The program, in surroundings that do not depend on who runs the tests.
pub fn program() -> std::process::Command {
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_drivelab"));
    command
        .env("XDG_STATE_HOME", concat!(env!("CARGO_TARGET_TMPDIR"), "/state"))
        .env("LANG", "C.UTF-8")
        .env_remove("LC_ALL")
        .env_remove("LC_CTYPE")
        .env_remove("NO_COLOR")
        .stdin(Stdio::null());
    command
}

/// Runs the program to its end; again where it could not judge its run, since the machine gave the processor to others, which
/// a test on a real device has to expect: runs of a tenth of a second are lost to one pause of a virtual machine.
pub fn drivelab(arguments: &[&str]) -> Ended {
    let output = output_of(arguments).filter(|folder| !folder.exists());
    for _ in 1..ATTEMPTS {
        let ended = run_once(arguments);
        if !ended.was_not_let_run() {
            return ended;
        }
        output.iter().for_each(|folder| drop(std::fs::remove_dir_all(folder)));
        running::pause(UNTIL_RELEASED);
    }
    run_once(arguments)
}

fn run_once(arguments: &[&str]) -> Ended {
    let mut command = assert_cmd::Command::from_std(program());
    let output = command.args(arguments).timeout(HANG).output().expect("drivelab starts");
    Ended::of(&output)
}

/// The folder that a result is kept in.
fn output_of(arguments: &[&str]) -> Option<PathBuf> {
    let place = arguments.iter().position(|one| ["-o", "--output"].contains(one))?;
    arguments.get(place + 1).map(PathBuf::from)
}

/// Runs the program to its end on a device or file. What an earlier run claimed is given back by the kernel
/// a moment after that run's process is gone; that moment is waited for.
pub fn drivelab_on(target: &Path, arguments: &[&str]) -> Ended {
    devices::wait_until_free(target);
    drivelab(&[&arguments[..1], &[text(target)], &arguments[1..]].concat())
}

/// A folder that is removed with the test.
pub fn folder() -> TempDir {
    TempDir::new().expect("a folder")
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

/// The folders of runs in the output folder of `consistency`, in order.
pub fn run_folders(output: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(output)
        .expect("the output folder")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("run.json").is_file())
        .collect();
    found.sort();
    found
}

/// The documents that a command printed: those of several results, or the one of a single result.
pub fn results(document: &Value) -> Vec<Value> {
    document.as_array().cloned().unwrap_or_else(|| vec![document.clone()])
}

/// Every file below a folder by its path in there, with its bytes.
pub fn tree(root: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![root.to_owned()];
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(&path).expect("a folder").flatten().map(|entry| entry.path()));
        } else {
            let name = path.strip_prefix(root).expect("below the root").to_owned();
            found.push((name, std::fs::read(&path).expect("a file")));
        }
    }
    found.sort();
    found
}

/// The manifest of a run.
pub fn manifest(run: &Path) -> Value {
    let text = std::fs::read(run.join("run.json")).expect("a manifest");
    serde_json::from_slice(&text).expect("a manifest in JSON")
}

/// The text of all notices of a run.
pub fn notices(run: &Path) -> String {
    let manifest = manifest(run);
    let lines = manifest["notices"].as_array().expect("notices").iter();
    lines.filter_map(|notice| notice["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Expects a document to be what its JSON Schema promises.
#[track_caller]
pub fn assert_fits(schema: &str, document: &Value) {
    let schema: Value = serde_json::from_str(schema).expect("the schema is JSON");
    jsonschema::meta::validate(&schema).expect("the schema is a schema");
    let validator = jsonschema::validator_for(&schema).expect("the schema can be used");
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:#?}");
}
