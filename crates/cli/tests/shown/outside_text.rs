//! Names and files from outside: nothing of them steers a terminal, and none of them is waited for.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::common::{drivelab, folder, text, tree};
use rustix::fs::{CWD, Mode, mkfifoat};

/// A name that clears a screen, by both ways to begin a sequence, and turns what follows.
const RUDE: &str = "a\u{1b}[2J\u{9b}1m\u{202e}b";

fn assert_tame(said: &str) {
    let steers =
        |letter: char| (letter.is_control() && letter != '\n' && letter != '\t') || letter == '\u{202e}';
    assert!(!said.contains(steers), "{said:?}");
}

#[test]
fn no_name_from_outside_steers_the_terminal() {
    let folder = folder();
    let rude = folder.path().join(RUDE);
    fs::create_dir(&rude).expect("a folder");
    let profile = folder.path().join(format!("{RUDE}.toml"));
    let shipped = drivelab(&["profiles", "consistent"]).with_code(0).stdout;
    fs::write(&profile, format!("{shipped}\n\"{}\" = 1\n", "key\\u001b[2J")).expect("a profile");
    let target = format!("sim:{}", text(&profile));
    let run = rude.join("run.json");
    fs::write(&run, "{\"schema\": \"drivelab\\u001b[2J\\u009b\"}").expect("a manifest");
    for asked in [
        vec!["report", text(&rude)],
        vec!["quick", &target],
        vec!["trace", "show", text(&rude)],
        vec!["load", text(&run), "--rw", "write"],
        vec!["stream", "info", text(&run)],
        vec!["lifetime", "--since", text(&rude)],
    ] {
        let ended = drivelab(&asked);
        assert_ne!(ended.code, Some(0), "{asked:?}");
        assert_tame(&(ended.stdout + &ended.stderr));
    }
    for asked in [vec![RUDE], vec!["quick", "sim:consistent", RUDE], vec!["load", RUDE, "--rw", RUDE]] {
        let ended = drivelab(&asked).with_code(2);
        assert_tame(&ended.stderr);
        assert!(ended.stderr.contains("\\u{1b}[2J"), "{}", ended.stderr);
    }
    fs::write(&profile, &shipped).expect("a profile");
    let kept = folder.path().join(format!("{RUDE}-kept"));
    let ended = drivelab(&["quick", &target, "-o", text(&kept)]).with_code(0);
    assert_tame(&(ended.stdout + &ended.stderr));
    let ended = drivelab(&["report", text(&kept), "--json"]).with_code(0);
    assert_tame(&ended.stdout);
    assert!(ended.json()["run"]["target"].as_str().expect("a target").contains(RUDE));
    // What this program writes around it goes through, such as a line of the kernel's log that it explains.
    let log = folder.path().join("log");
    fs::write(&log, "ata1: \u{1b}[31mSError: { PHYRdyChg }\r\n").expect("a log");
    assert_tame(&drivelab(&["decode", "kernel-log", text(&log)]).with_code(0).stdout);
}

#[test]
fn a_pipe_in_place_of_a_file_is_not_waited_for_and_a_huge_one_is_not_read() {
    let folder = folder();
    let pipe = |name: &str| {
        let path = folder.path().join(name);
        mkfifoat(CWD, &path, Mode::RUSR | Mode::WUSR).expect("a pipe");
        path
    };
    let asked = format!("sim:{}", text(&pipe("pipe.toml")));
    drivelab(&["quick", &asked]).fails_in_one_line(2, &["no regular file"]);
    let huge = folder.path().join("huge.toml");
    fs::File::create(&huge).and_then(|file| file.set_len(300 << 20)).expect("a file of holes");
    drivelab(&["quick", &format!("sim:{}", text(&huge))]).fails_in_one_line(2, &["holds more than"]);
    for document in ["run.json", "trace.json", "findings.json"] {
        pipe(document);
    }
    for asked in [&["report"][..], &["trace", "show"], &["matrix", "--resume"]] {
        let ended = drivelab(&[asked, &[text(folder.path())]].concat());
        assert!(ended.code != Some(0), "{asked:?}: {}", ended.stdout);
    }
    let ended = drivelab(&["report", text(folder.path())]);
    assert!(ended.stderr.contains("run.json"), "{}", ended.stderr);
}

/// The rights of everything below a folder that its owner does not have alone.
fn open_to_others(folder: &Path) -> Vec<String> {
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    let mut all: Vec<_> = tree(folder).into_iter().map(|(path, _)| folder.join(path)).collect();
    let above: Vec<_> = all.iter().flat_map(|path| path.ancestors().map(Path::to_owned)).collect();
    all.extend(above.into_iter().filter(|path| path.starts_with(folder)));
    let open = all.iter().filter(|path| mode(path) & 0o077 != 0);
    open.map(|path| format!("{} {:o}", path.display(), mode(path))).collect()
}

#[test]
fn what_was_recorded_is_its_owners_alone() {
    let folder = folder();
    let of = |name: &str| folder.path().join(name);
    let (recording, kept) = (of("recording.bin"), of("kept"));
    let target = ["stream", "record", text(&recording), "--file-size", "32MiB"];
    let frames = ["--channel", "a=synthetic,size=100kB", "--bytes", "1MB", "--kept", text(&kept)];
    drivelab(&[&target[..], &frames].concat()).with_code(0);
    let extracted = of("extracted");
    drivelab(&["stream", "extract", text(&recording), "-o", text(&extracted)]).with_code(0);
    fs::write(of("trace.csv"), "128166372003061629,hm,0,Read,383496192,32768,413\n").expect("a trace");
    let trace = of("trace");
    drivelab(&["trace", "import", text(&of("trace.csv")), "--format", "msr", "-o", text(&trace)])
        .with_code(0);
    fs::remove_file(of("trace.csv")).expect("the source");
    assert!(tree(&extracted).len() > 5 && trace.join("trace.json").is_file());
    let found: Vec<String> = ["extracted", "trace"].map(|name| open_to_others(&of(name))).concat();
    assert_eq!(found, Vec::<String>::new());
    for file in [&recording, &kept] {
        let mode = fs::metadata(file).expect("a file").permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", file.display());
    }
}
