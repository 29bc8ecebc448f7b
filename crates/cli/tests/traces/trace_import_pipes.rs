//! Imports of pipes, which may have no writer, or one that is silent.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use crate::common::devices::eventually;
use crate::common::running::{Running, pause};
use crate::common::{folder, text};
use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::Signal;

const ROWS: &str =
    "128166372003061629,hm,0,Read,1024,4096,2833\n128166372003061729,hm,1,Write,8192,512,100\n";

fn import(pipe: &Path, trace: &Path) -> Running {
    let running = Running::start(&["trace", "import", text(pipe), "-o", text(trace)]);
    let process = running.process();
    // The thread that takes signals is there before the file is opened.
    let has_threads = || fs::read_dir(format!("/proc/{process}/task")).is_ok_and(|tasks| tasks.count() > 1);
    assert!(eventually(has_threads), "the import never began");
    running
}

/// One signal is enough, whether nobody has opened the pipe, or whoever did is silent, at first or in the middle.
#[test]
fn one_signal_ends_the_import_of_a_pipe() {
    for signal in [Signal::INT, Signal::TERM] {
        for rows in [None, Some(""), Some(ROWS)] {
            let folder = folder();
            let (pipe, trace) = (folder.path().join("pipe"), folder.path().join("trace"));
            mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a pipe");
            let running = import(&pipe, &trace);
            let writer = rows.map(|rows| {
                let mut writer = File::options().write(true).open(&pipe).expect("it is read");
                writer.write_all(rows.as_bytes()).expect("room in the pipe");
                writer
            });
            pause(Duration::from_millis(300));
            running.signal(signal);
            let ended = running.ends().with_code(130);
            drop(writer);
            if rows == Some(ROWS) {
                assert!(ended.stderr.contains("what was read until now"), "{}", ended.stderr);
                assert!(ended.stdout.contains("2 requests"), "{}", ended.stdout);
            } else {
                assert!(ended.stderr.contains("interrupted before anything was read"), "{}", ended.stderr);
                assert!(!trace.exists(), "nothing is kept");
            }
        }
    }
}

#[test]
fn a_pipe_is_read_to_its_end() {
    let folder = folder();
    let (pipe, trace) = (folder.path().join("pipe"), folder.path().join("trace"));
    mkfifoat(CWD, &pipe, Mode::RUSR | Mode::WUSR).expect("a pipe");
    let running = import(&pipe, &trace);
    fs::write(&pipe, ROWS).expect("it is read");
    let ended = running.ends().with_code(0);
    assert!(ended.stdout.contains("2 requests"), "{}", ended.stdout);
}
