//! `drivelab stream` as its users run it: recording from every kind of source, and everything back.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::devices::{self, Loop, eventually};
use crate::common::running::Running;
use crate::common::streams::{assert_synthetic, body, extracted, info, last_kept, picture, with_length};
use crate::common::{self, Ended, drivelab, folder, program, text};
use rustix::process::Signal;
use serde_json::Value;

const SCHEMA: &str = include_str!("../../../inspect/schemas/drivelab.stream-2.json");

/// Expects a document to be of the shape that the schema promises; what was found.
#[track_caller]
fn valid(document: &Value) -> Value {
    common::assert_fits(SCHEMA, document);
    document["findings"].clone()
}

/// Records, on a file of `size` that is made.
fn record(target: &Path, size: &str, arguments: &[&str]) -> Ended {
    drivelab(&[&["stream", "record", text(target), "--file-size", size, "--json"], arguments].concat())
}

/// Expects `check` to find nothing wrong; its document.
#[track_caller]
fn checked(target: &Path) -> Value {
    let document = drivelab(&["stream", "check", text(target), "--json"]).with_code(0).json();
    let document = valid(&document);
    assert_eq!(document["problems"], serde_json::json!([]), "{document}");
    document
}

/// Extracts everything into a new folder.
#[track_caller]
fn extract(target: &Path, into: &Path) -> Value {
    let document =
        drivelab(&["stream", "extract", text(target), "-o", text(into), "--json"]).with_code(0).json();
    valid(&document)
}

fn channel<'a>(document: &'a Value, name: &str) -> &'a Value {
    let channels = document["channels"].as_array().expect("channels");
    channels.iter().find(|channel| channel["name"] == name).expect("the channel")
}

/// Lengths that lie on, beside and far from the bounds of blocks of 1 MiB.
const LENGTHS: [usize; 9] = [0, 1, 1_044_479, 1_044_480, 1_044_481, 3_000_000, 47, 4096, 2_088_960];

/// A file of frames with their lengths before them.
fn lengths_file(folder: &Path, rounds: u64) -> PathBuf {
    let path = folder.join("frames");
    let mut file = File::create(&path).expect("a file");
    for (sequence, length) in (0..rounds * LENGTHS.len() as u64).zip(LENGTHS.iter().cycle()) {
        file.write_all(&with_length(sequence, *length)).expect("room");
    }
    path
}

#[test]
fn frames_of_a_file_a_pipe_and_stdin_come_back_as_they_were() {
    let folder = folder();
    let (target, out) = (folder.path().join("rec.bin"), folder.path().join("out"));
    let frames = lengths_file(folder.path(), 3);
    let pipe = folder.path().join("pipe");
    devices::run("mkfifo", &[text(&pipe)]);
    let pictures: Vec<Vec<u8>> =
        (0..40).zip((20_000..).step_by(9_973)).map(|(number, length)| picture(number, length)).collect();
    let feed = {
        let (pipe, stream) = (pipe.clone(), pictures.join(&b"\xff between \xff"[..]));
        std::thread::spawn(move || fs::write(pipe, stream).expect("a reader"))
    };
    let mut command = program();
    command.args(["stream", "record", text(&target), "--file-size", "128MiB", "--json", "--channel"]);
    command.arg(format!("file=file:{},ring=8MiB", text(&frames)));
    command.args(["--channel", "stdin=fd:0", "--channel"]);
    command.arg(format!("camera=pipe:{},framing=mjpeg,ring=3MiB", text(&pipe)));
    command.stdin(File::open(&frames).expect("the frames"));
    let document = Ended::of(&command.output().expect("drivelab starts")).with_code(0).json();
    feed.join().expect("the pipe is fed");
    let document = valid(&document);
    assert_eq!(document["ended"], "sources");
    let payload = document["kept_bytes"].as_u64().expect("bytes");
    assert_eq!(
        document["in_place_bytes"].as_u64(),
        Some(payload),
        "every byte was read into a ring's memory"
    );
    assert_eq!(checked(&target)["recovery"]["closed"], true);
    extract(&target, &out);
    for name in ["file", "stdin"] {
        assert_eq!(channel(&document, name)["kept"], 27);
        let found = extracted(&out, name);
        assert_eq!(found.len(), 27);
        for (sequence, path) in found {
            let expected = body(sequence, LENGTHS[usize::try_from(sequence).expect("few") % LENGTHS.len()]);
            assert!(fs::read(path).expect("a frame") == expected, "frame {sequence} of {name}");
        }
    }
    let found = extracted(&out, "camera");
    assert_eq!(found.len(), pictures.len());
    for ((sequence, path), expected) in found.iter().zip(&pictures) {
        assert!(fs::read(path).expect("a frame") == *expected, "picture {sequence}");
    }
    let mjpeg = folder.path().join("camera.mjpeg");
    let asked = ["stream", "extract", text(&target), "--only", "camera", "--mjpeg", text(&mjpeg)];
    drivelab(&[&asked[..], &["--from", "3", "--to", "5"]].concat()).with_code(0);
    assert!(fs::read(mjpeg).expect("pictures") == pictures[3..=5].concat());
}

#[test]
fn a_source_that_delivers_no_frames_or_broken_ones_is_told() {
    let folder = folder();
    let target = folder.path().join("rec.bin");
    let file = folder.path().join("camera");
    let camera = |framing: &str| format!("camera=file:{},framing={framing},ring=3MiB", text(&file));
    // A picture that ends before its end costs none of its neighbours.
    let pictures: Vec<Vec<u8>> = (0..5).map(|number| picture(number, 30_000)).collect();
    let cut = &pictures[2][..20_000];
    fs::write(&file, [&pictures[0][..], &pictures[1], cut, &pictures[3], b"between", &pictures[4]].concat())
        .expect("a file");
    let document = valid(&record(&target, "64MiB", &["--channel", &camera("mjpeg")]).with_code(1).json());
    let found = channel(&document, "camera");
    assert_eq!(
        (&found["kept"], &found["damaged"], &found["skipped_bytes"]),
        (&5.into(), &1.into(), &7.into())
    );
    let out = folder.path().join("out");
    extract(&target, &out);
    for (sequence, path) in extracted(&out, "camera") {
        let expected = if sequence == 2 { cut } else { &pictures[usize::try_from(sequence).expect("few")] };
        assert!(fs::read(path).expect("a picture") == expected, "picture {sequence}");
    }
    // A recording that is cut is told from one that ended, also where no frame is torn.
    let cut = fs::OpenOptions::new().write(true).open(&target).expect("the target");
    cut.set_len(1 << 20).expect("shorter");
    let ended = drivelab(&["stream", "check", text(&target)]).with_code(1);
    let shown = ended.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("it was cut"), "{shown}");
    // What was extracted before is not written over.
    drivelab(&["stream", "extract", text(&target), "-o", text(&out)])
        .fails_in_one_line(2, &["camera", "not empty"]);
    let again = folder.path().join("again");
    drivelab(&["stream", "extract", text(&target), "-o", text(&again)]).with_code(1);
    // Pictures taken for lengths, and lengths for pictures.
    for framing in ["length", "mjpeg"] {
        let target = folder.path().join(framing);
        let bytes = if framing == "mjpeg" { vec![1; 5_000] } else { pictures[0].clone() };
        fs::write(&file, bytes).expect("a file");
        let ended = record(&target, "64MiB", &["--channel", &camera(framing)]).with_code(1);
        assert!(ended.stderr.contains("nothing of camera was kept"), "{}", ended.stderr);
    }
}

#[test]
fn a_log_of_which_nothing_is_there_is_no_empty_recording() {
    let folder = folder();
    let target = folder.path().join("rec.bin");
    let channel = ["--channel", "a=synthetic,size=50kB,rate=200/s", "--duration", "1s"];
    record(&target, "64MiB", &channel).with_code(0);
    let length = fs::metadata(&target).expect("the target").len();
    let file = fs::OpenOptions::new().write(true).open(&target).expect("the target");
    // Only the superblocks stay, at both ends.
    file.set_len(1 << 20).expect("shorter");
    file.set_len(length).expect("as long as before");
    drop(file);
    drivelab(&["stream", "check", text(&target)]).with_code(1);
    let ended = drivelab(&["stream", "extract", text(&target), "-o", text(&folder.path().join("out"))]);
    let ended = ended.with_code(1);
    assert!(ended.stderr.contains("an index that the superblock names, is not there"), "{ended:?}");
}

/// A schedule of thirty a second holds thirty in its first second, not one less.
#[test]
fn a_schedule_is_recorded_from_its_first_frame_on() {
    let folder = folder();
    let target = folder.path().join("rec.bin");
    let channel = ["--channel", "a=synthetic,size=10kB,rate=30/s", "--duration", "1s"];
    let document = valid(&record(&target, "64MiB", &channel).with_code(0).json());
    assert!(document["channels"][0]["kept"].as_u64() >= Some(30), "{document}");
    let other = folder.path().join("none.bin");
    record(&other, "64MiB", &[&channel[..2], &["--bytes", "0"]].concat()).fails_in_one_line(2, &["--bytes"]);
}

#[test]
fn what_goes_to_stdout_can_be_recorded_again() {
    let folder = folder();
    let target = folder.path().join("rec.bin");
    let frames = lengths_file(folder.path(), 2);
    record(&target, "96MiB", &["--channel", &format!("a=file:{}", text(&frames))]).with_code(0);
    let output =
        program().args(["stream", "extract", text(&target), "--stdout"]).stderr(Stdio::null()).output();
    assert!(output.expect("drivelab starts").stdout == fs::read(&frames).expect("the frames"));
    let list = drivelab(&["stream", "list", text(&target), "--from", "4", "--to", "6", "--json"])
        .with_code(0)
        .json();
    let list = valid(&list);
    let lengths: Vec<_> =
        list["frames"].as_array().expect("frames").iter().map(|frame| frame["bytes"].as_u64()).collect();
    assert_eq!(lengths, [1_044_481, 3_000_000, 47].map(Some));
    let listed = |range: [&str; 4]| drivelab(&[&["stream", "list", text(&target)][..], &range].concat());
    listed(["--from", "6", "--to", "4"]).fails_in_one_line(2, &["--from", "--to"]);
    assert!(listed(["--from", "4000", "--to", "5000"]).with_code(0).stderr.contains("no frame lies between"));
    let shown = drivelab(&["stream", "list", text(&target), "--from", "4", "--to", "4"]).with_code(0).stdout;
    assert!(shown.lines().last().expect("a line").contains(" 1044481 "), "{shown}");
    drivelab(&["stream", "list", text(&target), "--only", "b"]).fails_in_one_line(2, &["--only b", "a"]);
}

#[test]
fn programs_connect_to_a_socket_one_after_the_other_and_a_torn_frame_is_none() {
    let folder = folder();
    let (target, socket) = (folder.path().join("rec.bin"), folder.path().join("socket"));
    let asked = ["stream", "record", text(&target), "--file-size", "64MiB", "--json"];
    let source = format!("radar=unix:{},on-full=wait", text(&socket));
    let kept = folder.path().join("kept");
    let running = Running::start(
        &[&asked[..], &["--channel", &source, "--flush-after", "50ms", "--kept", text(&kept)]].concat(),
    );
    assert!(eventually(|| socket.exists()), "no socket appears");
    for (first, torn) in [(0, 10), (2, 100_000)] {
        let mut connection = UnixStream::connect(&socket).expect("the recorder listens");
        for sequence in first..first + 2 {
            connection.write_all(&with_length(sequence, 300_000)).expect("the recorder reads");
        }
        connection.write_all(&with_length(9, 300_000)[..torn]).expect("the recorder reads");
        drop(connection);
        assert!(eventually(|| last_kept(&kept, "radar") == Some(first + 1)), "never kept");
    }
    running.signal(Signal::INT);
    let document = running.ends().with_code(130).json();
    let document = valid(&document);
    assert_eq!(document["ended"], "interrupted");
    assert!(!socket.exists(), "the socket is taken away");
    assert_eq!(
        (&channel(&document, "radar")["kept"], &channel(&document, "radar")["unfinished"]),
        (&4.into(), &2.into())
    );
    checked(&target);
    extract(&target, &folder.path().join("out"));
    for (sequence, path) in extracted(&folder.path().join("out"), "radar") {
        assert!(fs::read(path).expect("a frame") == body(sequence, 300_000), "frame {sequence}");
    }
}

#[test]
fn a_full_target_ends_a_linear_recording_and_a_cyclic_one_overwrites() {
    let folder = folder();
    for (name, cyclic) in [("linear.bin", &[][..]), ("cyclic.bin", &["--cyclic"])] {
        let target = folder.path().join(name);
        let channels = [
            "--channel",
            "a=synthetic,size=100kB-2MB,seed=3",
            "--channel",
            "b=synthetic,size=500kB,ring=8MiB",
        ];
        let document = record(&target, "100MiB", &[&channels[..], &["--bytes", "300MB"], cyclic].concat());
        let document = document.with_code(0).json();
        let document = valid(&document);
        let expected = if cyclic.is_empty() { "full" } else { "asked" };
        assert_eq!(document["ended"], expected);
        let proved = checked(&target);
        let out = folder.path().join("out").join(name);
        extract(&target, &out);
        for (number, name) in ["a", "b"].into_iter().enumerate() {
            let found = extracted(&out, name);
            let last = channel(&document, name)["last_kept"].as_u64();
            assert_eq!(found.last().map(|(sequence, _)| *sequence), last, "{name} of {proved}");
            let first = found[0].0;
            assert_eq!(first == 0, cyclic.is_empty());
            for ((sequence, path), expected) in found.iter().zip(first..) {
                assert_eq!(*sequence, expected);
                assert_synthetic(&fs::read(path).expect("a frame"), [3, 1][number], number as u64, *sequence);
            }
        }
        valid(&info(&target));
    }
}

#[test]
fn a_full_ring_drops_whole_frames_and_counts_each() {
    let folder = folder();
    let target = folder.path().join("rec.bin");
    // Nothing takes 30 GB a second.
    let source = "a=synthetic,size=1MB-2MB,rate=20000/s,arrivals=poisson,ring=8MiB";
    let ended = record(&target, "64MiB", &["--cyclic", "--channel", source, "--duration", "1s"]).with_code(1);
    let document = ended.json();
    let document = valid(&document);
    let a = channel(&document, "a");
    let count = |name: &str| a[name].as_u64().expect("a count");
    assert!(count("dropped") > 0, "{a}");
    assert_eq!(count("produced"), count("kept") + count("dropped"));
    assert_eq!(count("high_water_bytes"), 8 << 20);
    assert!(count("longest_wait_ns") > 0);
    checked(&target);
    extract(&target, &folder.path().join("out"));
    for (sequence, path) in extracted(&folder.path().join("out"), "a") {
        assert_synthetic(&fs::read(path).expect("a frame"), 1, 0, sequence);
    }
}

#[test]
fn a_recording_is_not_overwritten_unless_it_was_given_up() {
    let folder = folder();
    let target = folder.path().join("rec.bin");
    let channel = ["--channel", "a=synthetic", "--bytes", "10MB"];
    record(&target, "64MiB", &channel).with_code(0);
    let again = [&["stream", "record", text(&target)], &channel[..]].concat();
    let before = devices::checksum(&target);
    let refused = drivelab(&again).with_code(4).stderr;
    assert!(refused.contains("stream recording") && refused.contains("--destroy-data"), "{refused}");
    drivelab(&[&again[..], &["--destroy-data", "--dry-run"]].concat()).with_code(0);
    assert_eq!(devices::checksum(&target), before);
    let first = valid(&info(&target))["recording"]["run"].clone();
    drivelab(&[&again[..], &["--destroy-data"]].concat()).with_code(0);
    let second = valid(&info(&target));
    assert_ne!(second["recording"]["run"], first);
    assert_eq!(second["channels"][0]["frames"], 10);
    checked(&target);
}

#[test]
fn what_cannot_be_recorded_is_told_in_one_line_and_touches_nothing() {
    let folder = folder();
    let target = folder.path().join("rec.bin");
    let told = |arguments: &[&str], code: i32, words: &[&str]| {
        let asked = ["stream", "record", text(&target), "--file-size", "64MiB"];
        drivelab(&[&asked[..], arguments].concat()).fails_in_one_line(code, words);
        if !arguments.contains(&"--json") {
            let rehearsed = drivelab(&[&asked[..], arguments, &["--dry-run"]].concat());
            assert_eq!(rehearsed.code, Some(code), "{arguments:?}: {}", rehearsed.stderr);
        }
        assert!(!target.exists(), "{arguments:?}");
    };
    told(&["--channel", "a=unix:/nowhere/socket"], 3, &["/nowhere/socket"]);
    told(&["--channel", &format!("a=file:{}", text(folder.path()))], 3, &["directory"]);
    told(&["--channel", "a=synthetic", "--channel", "a=synthetic"], 2, &["two channels"]);
    told(&["--channel", "a=pipe:/nowhere/pipe"], 3, &["/nowhere/pipe", "mkfifo"]);
    told(&["--channel", "a=fd:77"], 3, &["descriptor 77"]);
    told(&["--channel", "a=synthetic,size=100MB"], 2, &["ring"]);
    told(&["--channel", "a=synthetic,on-full=drop"], 2, &["rate"]);
    told(&["--channel", "../a=synthetic"], 2, &["letters"]);
    told(&["--channel", "a=synthetic", "--index-interval", "100"], 2, &["--index-interval"]);
    told(&["--channel", "a=synthetic", "--kept", "-", "--json"], 2, &["--kept"]);
    drivelab(&["stream", "record", "sim:consistent", "--channel", "a=synthetic"])
        .fails_in_one_line(2, &["simulated"]);
    fs::write(&target, vec![7; 1 << 20]).expect("room");
    for command in ["list", "info", "check"] {
        drivelab(&["stream", command, text(&target)]).fails_in_one_line(3, &["no stream recording"]);
    }
}

/// A pipe that is opened and closed again breaks the program at its other end, and a server may take one connection.
#[test]
fn a_dry_run_touches_no_source() {
    let folder = folder();
    let (target, pipe, socket) =
        (folder.path().join("rec.bin"), folder.path().join("pipe"), folder.path().join("socket"));
    rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).expect("a pipe");
    let server = UnixListener::bind(&socket).expect("a socket");
    server.set_nonblocking(true).expect("a socket");
    let channels = [format!("a=pipe:{}", text(&pipe)), format!("b=unix:{}", text(&socket))];
    let asked = ["stream", "record", text(&target), "--file-size", "64MiB", "--dry-run"];
    let writer = std::thread::spawn({
        let pipe = pipe.clone();
        move || File::options().write(true).open(pipe).map(drop)
    });
    drivelab(&[&asked[..], &["--channel", &channels[0], "--channel", &channels[1]]].concat()).with_code(0);
    assert!(!writer.is_finished(), "the writer still waits for a reader");
    assert_eq!(server.accept().expect_err("nobody came").kind(), std::io::ErrorKind::WouldBlock);
    drop(File::open(&pipe).expect("a reader"));
    writer.join().expect("it goes on").expect("with its pipe");
}

#[test]
fn four_channels_to_a_loop_device_lose_no_frame() {
    if !devices::loops_can_be_made() {
        return;
    }
    let (device, folder) = (Loop::of_zeros(256), folder());
    let channels = ["a", "b", "c", "d"];
    let asked: Vec<String> = channels
        .iter()
        .zip(["1MB", "2MB", "1MB", "2MB"])
        .flat_map(|(name, size)| ["--channel".to_owned(), format!("{name}=synthetic,size={size},ring=16MiB")])
        .collect();
    let asked: Vec<&str> = asked.iter().map(String::as_str).collect();
    let fixed = ["stream", "record", device.text(), "--json", "--bytes", "220MB", "--durable"];
    let document = drivelab(&[&fixed[..], &[&device.serial()], &asked].concat()).with_code(0).json();
    let document = valid(&document);
    checked(&device.node);
    extract(&device.node, &folder.path().join("out"));
    for (number, name) in channels.into_iter().enumerate() {
        let a = channel(&document, name);
        assert_eq!((&a["dropped"], &a["not_written"], &a["produced"]), (&0.into(), &0.into(), &a["kept"]));
        let found = extracted(&folder.path().join("out"), name);
        assert_eq!(Some(found.len() as u64), a["kept"].as_u64());
        for (sequence, path) in found {
            assert_synthetic(&fs::read(path).expect("a frame"), 1, number as u64, sequence);
        }
    }
    let raw = Command::new("head").args(["-c", "8", device.text()]).output().expect("head");
    assert_eq!(raw.stdout, b"DLSTREAM");
}

#[test]
fn kept_lines_go_to_a_file_of_their_own() {
    let folder = folder();
    let (target, kept) = (folder.path().join("recording"), folder.path().join("kept"));
    let asked = [
        "stream",
        "record",
        text(&target),
        "--file-size",
        "16MiB",
        "--channel",
        "a=synthetic",
        "--duration",
        "1s",
    ];
    drivelab(&[&asked[..], &["--kept", text(&target)]].concat())
        .fails_in_one_line(2, &["--kept", "is the target"]);
    assert!(!target.exists());
    fs::write(&kept, "a 7\n").expect("room");
    drivelab(&[&asked[..], &["--kept", text(&kept)]].concat()).fails_in_one_line(2, &["holds something"]);
    assert_eq!(fs::read_to_string(&kept).expect("the older lines"), "a 7\n");
    let link = folder.path().join("link");
    std::os::unix::fs::symlink("nowhere", &link).expect("a link");
    drivelab(&[&asked[..], &["--kept", text(&link)]].concat())
        .fails_in_one_line(2, &["is a link to nothing"]);
    assert!(!folder.path().join("nowhere").exists() && !target.exists());
}

#[test]
fn frames_go_to_no_folder_that_a_link_leads_to() {
    let folder = folder();
    let (target, out, other) =
        (folder.path().join("recording"), folder.path().join("out"), folder.path().join("other"));
    record(&target, "64MiB", &["--channel", "a=synthetic,size=1kB,rate=50/s", "--duration", "1s"])
        .with_code(0);
    fs::create_dir(&out).and_then(|()| fs::create_dir(&other)).expect("room");
    std::os::unix::fs::symlink(&other, out.join("a")).expect("a link");
    drivelab(&["stream", "extract", text(&target), "-o", text(&out)]).fails_in_one_line(2, &["is a link"]);
    assert_eq!(fs::read_dir(&other).expect("a folder").count(), 0);
}
