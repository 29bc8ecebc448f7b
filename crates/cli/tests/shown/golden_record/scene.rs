//! Commands that run one after the other in a folder of their own, and what they leave, as one text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::common::{self, Ended};
use crate::golden_record::{forms, masks, shapes};
use tempfile::TempDir;

/// A hang ends a test; it is no bound on how fast anything is.
const HANG: Duration = Duration::from_secs(600);

/// How much of what a command leaves is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Every byte: figures are those of a simulated drive, or of files that the scene wrote.
    Exact,
    /// Keys, headings, sentences without their figures, exit codes: figures are those of the machine.
    Shape,
    /// Keys, headings and exit codes: which sentences there are depends on how fast the machine is.
    Headings,
}

/// A folder in which commands run, and the text of what they left so far.
#[derive(Debug)]
pub struct Scene {
    folder: TempDir,
    detail: Detail,
    /// What stands for names that differ from machine to machine, in addition to those of every scene.
    named: Vec<(String, &'static str)>,
    text: String,
}

impl Scene {
    /// An empty one.
    pub fn new(detail: Detail) -> Scene {
        let folder = TempDir::new().expect("a folder");
        std::fs::create_dir(folder.path().join("programs")).expect("room");
        Scene { folder, detail, named: Vec::new(), text: String::new() }
    }

    /// The text of all that was left.
    pub fn into_text(self) -> String {
        self.text
    }

    /// Fails where what was left does not say this: a case whose drive has nothing wrong with it would show nothing.
    pub fn says(&self, words: &str) {
        assert!(self.text.contains(words), "{words} is not in {}", self.text);
    }

    /// A file or folder in the scene.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Has a name of the machine, such as that of a device, replaced by another wherever it stands.
    pub fn mask(&mut self, name: impl Into<String>, shown: &'static str) {
        self.named.push((name.into(), shown));
    }

    /// Writes a file that a command reads.
    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("room");
        std::fs::write(path, contents).expect("room");
    }

    /// Puts a program in front of those of the machine that prints this text.
    pub fn program_that_prints(&self, name: &str, text: &str) {
        use std::os::unix::fs::PermissionsExt as _;
        let path = Path::new("programs").join(name);
        self.write(path.to_str().expect("plain"), format!("#!/bin/sh\n/bin/cat <<'END'\n{text}\nEND\n"));
        let executable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(self.folder.path().join(path), executable).expect("it is ours");
    }

    /// Runs a command without keeping what it prints, for a later one.
    pub fn prepare(&mut self, command: &str) {
        let ended = self.ended(command);
        assert_eq!(ended.code, Some(0), "{command}: {}{}", ended.stdout, ended.stderr);
    }

    /// Runs a command, whose words have no blanks in them, and keeps its exit code, which is given back, and what it prints.
    pub fn run(&mut self, command: &str) -> Option<i32> {
        let ended = self.ended(command);
        self.keep_command(command, &ended);
        if command.split_whitespace().any(|word| word == "--json") && ended.stdout.starts_with(['{', '[']) {
            self.keep_json(&ended.stdout);
        } else {
            self.keep_part("stdout", &ended.stdout);
        }
        ended.code
    }

    /// Runs a test, keeps its result in the folder `r`, and keeps every form of that.
    pub fn run_test(&mut self, command: &str) {
        let command = format!("{command} -o r");
        if self.detail == Detail::Exact {
            self.run(&command);
        } else {
            // What is printed is in the Markdown, too, and there it is not wrapped.
            let ended = self.ended(&command);
            self.keep_command(&command, &ended);
            let first = ended.stdout.lines().next().unwrap_or_default();
            self.keep_part("stdout", &format!("{first}\n"));
        }
        self.keep_forms("r");
    }

    /// Keeps every form of a result: document, Markdown, tables, pictures and the page.
    pub fn keep_forms(&mut self, result: &str) {
        let json = self.ended(&format!("report {result} --json"));
        assert!(!json.stdout.is_empty(), "{}\n{}", self.text, json.stderr);
        let _ = writeln!(self.text, "== document of {result}, exit code {}", json.code.expect("it ended"));
        self.keep_json(&json.stdout);
        let others =
            self.ended(&format!("report {result} --markdown --csv {result}-files --svg {result}-files"));
        let _ = writeln!(self.text, "== Markdown of {result}, exit code {}", others.code.expect("it ended"));
        self.keep_part("stderr", &others.stderr);
        if self.detail == Detail::Shape {
            let text = shapes::markdown(&self.masked(&others.stdout));
            self.text.push_str(&text);
        } else if self.detail == Detail::Headings {
            self.text.push_str(&shapes::headings(&others.stdout));
        } else {
            self.keep_part("stdout", &others.stdout);
            self.keep_files(&format!("{result}-files"));
            self.keep_page(&format!("{result}/report.html"));
        }
    }

    /// Keeps the names of the files in a folder.
    pub fn keep_names(&mut self, folder: &str) {
        let _ = writeln!(self.text, "== files in {folder}");
        for (path, _) in common::tree(&self.path(folder)) {
            let _ = writeln!(self.text, "{}", self.masked(&path.display().to_string()));
        }
    }

    /// Runs a command, and keeps its exit code and the lines that have this word in them.
    pub fn run_for_lines(&mut self, command: &str, word: &str) {
        let mut ended = self.ended(command);
        let text = self.masked(&ended.stdout);
        ended.stderr.clear();
        self.keep_command(command, &ended);
        let lines: String =
            text.lines().filter(|line| line.contains(word)).map(|line| format!("{line}\n")).collect();
        self.keep_part("stdout", &lines);
    }

    /// What a command prints, which is not kept.
    pub fn printed(&mut self, command: &str) -> String {
        self.ended(command).stdout
    }

    /// Keeps the text of a page.
    pub fn keep_page(&mut self, name: &str) {
        let page = std::fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let _ = writeln!(self.text, "== page {name}");
        let text = self.masked(&forms::page(&page));
        let text = if self.detail == Detail::Exact { text } else { shapes::figures(&text) };
        self.text.push_str(&text);
    }

    /// Keeps the tables and pictures in a folder.
    pub fn keep_files(&mut self, folder: &str) {
        for (path, bytes) in common::tree(&self.path(folder)) {
            let text = String::from_utf8_lossy(&bytes);
            let text = match path.extension().and_then(|ending| ending.to_str()) {
                Some("csv") => forms::csv(&text),
                Some("svg") => forms::svg(&text),
                _ => text.into_owned(),
            };
            let _ = writeln!(self.text, "== {folder}/{}", path.display());
            let text = self.masked(&text);
            self.text.push_str(&text);
        }
    }

    fn keep_command(&mut self, command: &str, ended: &Ended) {
        let _ = writeln!(self.text, "$ drivelab {}", self.masked(command));
        let _ = writeln!(self.text, "exit code {}", ended.code.expect("it was not killed"));
        self.keep_part("stderr", &ended.stderr);
    }

    fn keep_json(&mut self, document: &str) {
        let text = match self.detail {
            Detail::Exact => self.masked(&forms::json(document)),
            Detail::Shape | Detail::Headings => shapes::keys(document),
        };
        self.text.push_str(&text);
    }

    /// Keeps what a command printed.
    fn keep_part(&mut self, stream: &str, printed: &str) {
        if printed.is_empty() {
            return;
        }
        let text = self.masked(printed);
        let text = if self.detail == Detail::Exact { text } else { shapes::sentences(&text) };
        let _ = writeln!(self.text, "[{stream}]");
        self.text.push_str(&text);
        if !text.ends_with('\n') {
            self.text.push_str("\n[no line end]\n");
        }
    }

    /// The text without what differs from machine to machine.
    fn masked(&self, text: &str) -> String {
        let text = masks::names(text, &self.masks());
        if self.detail == Detail::Exact { text } else { masks::machine(&text) }
    }

    fn masks(&self) -> Vec<(String, &'static str)> {
        let mut all = vec![(common::text(self.folder.path()).to_owned(), "FOLDER")];
        all.extend(self.named.iter().cloned());
        all
    }

    /// Runs a command in surroundings that are the same on every machine.
    fn ended(&self, command: &str) -> Ended {
        let mut program = Command::new(env!("CARGO_BIN_EXE_drivelab"));
        program.args(command.split_whitespace()).current_dir(self.folder.path()).env_clear();
        let programs = format!("{}:/usr/sbin:/usr/bin:/sbin:/bin", common::text(&self.path("programs")));
        let programs = if self.detail == Detail::Exact {
            self.path("programs").into_os_string()
        } else {
            programs.into()
        };
        program.env("PATH", programs).env("LANG", "C.UTF-8").env("TZ", "UTC");
        program.env("HOME", self.folder.path()).env("XDG_STATE_HOME", self.path("state"));
        program.stdin(Stdio::null());
        let output = assert_cmd::Command::from_std(program).timeout(HANG).output().expect("drivelab starts");
        Ended::of(&output)
    }
}
