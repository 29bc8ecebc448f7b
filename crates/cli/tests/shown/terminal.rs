//! What is printed: for people with any locale and width, for programs, and for readers that go away.

use std::io::Read as _;
use std::process::{Command, Stdio};

use crate::common::{Ended, assert_fits, devices, drivelab, folder, program, text, tree};

const COMMANDS: [&str; 8] =
    ["review", "consistency", "load", "drives", "report", "profiles", "completions", "man"];
const SIM: [&str; 6] = ["consistency", "sim:sm2246en?size=1GiB", "--duration", "8s", "--window", "1s"];

/// Runs the program with `set` in its environment.
fn with_environment(arguments: &[&str], set: &[(&str, &str)]) -> Ended {
    let mut command = program();
    command.args(arguments).envs(set.iter().copied());
    Ended::of(&command.output().expect("drivelab starts"))
}

#[track_caller]
fn assert_narrow(text: &str, width: usize) {
    for line in text.lines() {
        assert!(line.chars().count() <= width, "{} columns: {line}", line.chars().count());
    }
}

/// The shipped profiles, in the order of the list.
const PROFILES: [&str; 10] = [
    "sm2246en",
    "consistent",
    "mx200-250",
    "x300s-128",
    "qlc-slc",
    "tlc-nvme",
    "hmb-nvme",
    "qlc-nvme",
    "enterprise-nvme",
    "hdd-7200",
];

#[test]
fn a_summary_fits_eighty_columns_and_any_locale() {
    let folder = folder();
    let runs = folder.path().join("runs");
    let targets = ["sim:consistent?size=1GiB&over_provisioning=30%", "--over-provisioning", "0%,12.5%"];
    let asked = [&SIM[..], &targets, &["-o", text(&runs)]].concat();
    let rich = drivelab(&asked).with_code(0);
    assert_narrow(&rich.stdout, 80);
    assert!(!rich.stdout.contains('\u{1b}'), "no colour where there is no terminal");
    assert!(!rich.stdout.is_ascii(), "a locale of UTF-8 gets the finer picture");
    assert!(!rich.stderr.contains('\u{1b}') && !rich.stderr.contains('\r'), "{:?}", rich.stderr);
    let report = ["report", text(&runs)];
    for plain in [("LC_ALL", "C"), ("LANG", "C"), ("LC_CTYPE", "POSIX")] {
        let ended = with_environment(&report, &[plain]).with_code(0);
        assert!(ended.stdout.is_ascii(), "{plain:?}: {}", ended.stdout);
        assert_narrow(&ended.stdout, 80);
    }
    let page = std::fs::read_to_string(runs.join("report.html")).expect("a page");
    assert!(page.contains("utf-8"), "a page never depends on the locale");
}

/// Runs the program on a terminal of its own and returns what it showed there.
fn on_a_terminal(command_line: &str, set: &[(&str, &str)]) -> Option<String> {
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", command_line, "/dev/null"]);
    let output = command.env("LANG", "C.UTF-8").env_remove("NO_COLOR").envs(set.iter().copied());
    let output = output.stdin(Stdio::null()).stderr(Stdio::null()).output();
    output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn colour_is_for_terminals_that_want_it() {
    let folder = folder();
    let run = folder.path().join("run");
    drivelab(&["load", "sim:consistent?size=1GiB", "--duration", "3s", "--output", text(&run)]).with_code(0);
    let command_line = format!("{} report {}", env!("CARGO_BIN_EXE_drivelab"), text(&run));
    let Some(coloured) = on_a_terminal(&command_line, &[]) else {
        return devices::skipped("a terminal needs the program script");
    };
    assert!(coloured.contains("\u{1b}["), "{coloured:?}");
    let plain = on_a_terminal(&command_line, &[("NO_COLOR", "1")]).expect("script ran before");
    assert!(plain.contains("IOPS") && !plain.contains("\u{1b}["), "{plain:?}");
}

#[test]
fn the_list_of_profiles_fits_a_hundred_columns_and_loses_no_word() {
    let list = drivelab(&["profiles"]).with_code(0).stdout;
    assert_narrow(&list, 100);
    for words in ["over_provisioning", "mechanical disk", "consistent"] {
        assert!(list.split_whitespace().collect::<Vec<_>>().join(" ").contains(words), "{list}");
    }
}

#[test]
fn a_list_of_drives_says_once_what_they_hold() {
    if !devices::loops_can_be_made() {
        return;
    }
    let device = devices::Loop::with_ext4(16);
    let list = drivelab(&["drives"]).with_code(0).stdout;
    let name = device.serial().replace("--serial=", "");
    assert!(list.contains(&format!("    {name} holds an ext4 file system")), "{list}");
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = folder();
    let [first, second, third] = ["first", "second", "third"].map(|name| folder.path().join(name));
    let page = folder.path().join("page.html");
    drivelab(&[&SIM[..], &["-o", text(&first)]].concat()).with_code(0);
    let commands = [
        vec!["profiles"],
        vec!["man"],
        vec!["completions", "bash"],
        vec!["drives", "--json"],
        vec!["--help"],
        vec!["report", text(&first), "--report", text(&page)],
        vec!["report", text(&first), "--json"],
        [&SIM[..], &["--json", "-o", text(&second)]].concat(),
        [&SIM[..], &["-o", text(&third)]].concat(),
    ];
    for arguments in commands {
        let mut command = program();
        let mut child = command
            .args(&arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        // The pipe closes at once, before anything was printed.
        drop(child.stdout.take());
        let mut stderr = String::new();
        child.stderr.take().expect("stderr").read_to_string(&mut stderr).expect("text");
        let status = child.wait().expect("it ends");
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
        assert_eq!(status.code(), Some(0), "{arguments:?}: {stderr}");
    }
    assert!(third.join("report.html").is_file(), "the run is kept although nobody read of it");
}

#[test]
fn a_full_stdout_is_an_error_of_one_line() {
    for arguments in [vec!["profiles"], vec!["drives", "--json"], vec!["man"], vec!["completions", "zsh"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").expect("a full device");
        let output = program().args(&arguments).stdout(full).output().expect("it starts");
        Ended::of(&output).fails_in_one_line(3, &["stdout"]);
    }
}

#[test]
fn every_command_explains_itself() {
    let top = drivelab(&["--help"]).with_code(0).stdout;
    for command in COMMANDS {
        assert!(top.contains(command), "{top}");
        for flag in ["--help", "-h"] {
            let help = drivelab(&[command, flag]).with_code(0).stdout;
            assert!(help.contains("Usage: drivelab"), "{help}");
            assert_narrow(&help, 100);
        }
    }
    assert!(drivelab(&["--version"]).with_code(0).stdout.contains(env!("CARGO_PKG_VERSION")));
    assert!(drivelab(&[]).with_code(0).stdout.contains("drivelab --help"));
}

#[test]
fn manual_pages_and_completions_are_made_for_every_command() {
    let folder = folder();
    let pages = folder.path().join("man");
    drivelab(&["man", "--output", text(&pages)]).with_code(0);
    let made = tree(&pages);
    for command in COMMANDS {
        let name = format!("drivelab-{command}.1");
        let (_, page) = made.iter().find(|(path, _)| *path == *name).unwrap_or_else(|| panic!("{name}"));
        assert!(page.windows(3).any(|word| word == b".SH"), "{name}");
    }
    assert!(drivelab(&["man"]).with_code(0).stdout.contains(".TH drivelab"));
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = drivelab(&["completions", shell]).with_code(0).stdout;
        assert!(script.contains("destroy-data"), "{shell}");
    }
}

#[test]
fn profiles_and_drives_are_listed_as_they_are_named() {
    let profiles = drivelab(&["profiles"]).with_code(0).stdout;
    for name in PROFILES.iter().chain(&["freeze_every"]) {
        assert!(profiles.contains(name), "{profiles}");
    }
    let drives = drivelab(&["drives", "--json"]).with_code(0).json();
    assert_fits(include_str!("../../schemas/drivelab.drives-1.json"), &drives);
    for drive in drives["drives"].as_array().expect("drives") {
        let (testable, why_not) =
            (drive["testable"].as_bool(), drive["why_not"].as_array().expect("reasons"));
        assert_eq!(testable, Some(why_not.is_empty()), "{drive}");
    }
    drivelab(&["drives"]).with_code(0);
}

#[test]
fn a_profile_of_one_s_own_begins_with_a_shipped_one() {
    let folder = folder();
    let own = folder.path().join("mine.toml");
    let shipped = drivelab(&["profiles", "consistent"]).with_code(0).stdout;
    std::fs::write(&own, &shipped).expect("room");
    let load = |target: &str| {
        let asked = ["load", target, "--rw", "randwrite", "--duration", "20ms", "--json"];
        drivelab(&asked).with_code(0).json()["run"]["outcome"]["completions_hash"].clone()
    };
    let own = format!("sim:{}?size=1GiB", text(&own));
    assert_eq!(load(&own), load("sim:consistent?size=1GiB"), "the same drive under another name");
    drivelab(&["profiles", "nothing"]).fails_in_one_line(2, &["nothing", "sm2246en"]);
}

#[test]
fn every_size_that_is_listed_is_taken() {
    let list = drivelab(&["profiles"]).with_code(0).stdout;
    let list = list.split("Keys").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let sizes: Vec<&str> = list.split("sizes from ").skip(1).collect();
    assert_eq!(sizes.len(), PROFILES.len(), "{list}");
    for (name, sizes) in PROFILES.iter().zip(sizes) {
        let words: Vec<&str> = sizes.split(' ').take(5).collect();
        for size in [words[..2].concat(), words[3..].concat()] {
            let target = format!("sim:{name}?size={size}");
            drivelab(&["load", &target, "--dry-run"]).with_code(0);
        }
    }
}
