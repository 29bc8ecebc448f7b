//! Pipes, files, descriptors and sockets that frames are read from: what is opened, and what is refused and left as it is.

use std::fs;
use std::io::Write as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{BLOCK, Silent, folder, plan, run, synthetic};
use drivelab_block::{ByteCount, Nanos};
use drivelab_stream::layout::{StreamFraming, StreamMode};
use drivelab_stream::plan::{ChannelPlan, OnFull, Plan};
use drivelab_stream::reader::{Chart, FrameReader, Recording, Wanted};
use drivelab_stream::source::{Source, SourceKind};
use drivelab_stream::{End, Observer, RecordingNow};
use rustix::fs::{CWD, FileType, Mode, mknodat};

/// Why a source is refused, before it is opened and when it is.
#[track_caller]
fn assert_refused(kind: &SourceKind, words: &str) {
    let looked = kind.look().expect_err("refused").to_string();
    assert!(looked.contains(words), "{looked}");
}

fn pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("a pipe");
}

fn opened(kind: &SourceKind) -> (String, OwnedFd) {
    match kind.open().expect("a source") {
        Source::Descriptor(name, descriptor) => (name, descriptor),
        other => panic!("{other:?}"),
    }
}

/// A pipe whose writer has not come yet does not keep the program waiting, and no program that is started later holds it open.
#[test]
fn a_pipe_that_nobody_writes_to_is_opened_at_once_and_is_not_inherited() {
    let folder = folder();
    let path = folder.path().join("camera");
    pipe(&path);
    let (name, descriptor) = opened(&SourceKind::Pipe(path.clone()));
    assert_eq!(name, path.display().to_string());
    assert!(rustix::io::fcntl_getfd(&descriptor).expect("flags").contains(rustix::io::FdFlags::CLOEXEC));
    let number = descriptor.as_raw_fd();
    let (name, again) = opened(&SourceKind::Descriptor(number));
    assert_eq!(name, format!("descriptor {number}"));
    assert_ne!(again.as_raw_fd(), number, "one of its own");
}

#[test]
fn what_cannot_be_read_is_refused_with_what_to_name() {
    let folder = folder();
    let absent = folder.path().join("absent");
    let file = folder.path().join("file");
    fs::write(&file, "frames").expect("room");
    assert_refused(&SourceKind::Pipe(absent.clone()), "name what is there, such as a pipe made with mkfifo");
    assert_refused(&SourceKind::File(folder.path().to_owned()), "name a file or a pipe in it");
    assert_refused(&SourceKind::Descriptor(i32::MAX), "descriptor 2147483647 cannot be read");
    assert_refused(
        &SourceKind::Unix(file.clone()),
        "something is there already: name another place, or remove it",
    );
    assert_refused(&SourceKind::Unix(absent.join("camera")), "cannot be read");
    for kind in [SourceKind::File(file), SourceKind::Unix(absent)] {
        kind.look().expect("it can be opened");
    }
}

/// Only a socket at which nobody answers is removed for a new one.
#[test]
fn a_socket_that_a_killed_recorder_left_is_replaced_and_nothing_else_is() {
    let folder = folder();
    let place = |name: &str| folder.path().join(name);
    let file = place("file");
    fs::write(&file, "notes").expect("room");
    let refused = SourceKind::Unix(file.clone()).open().expect_err("a file is there").to_string();
    assert!(refused.contains("something is there already"), "{refused}");
    assert_eq!(fs::read_to_string(&file).expect("the file is still there"), "notes");

    let answered = place("answered");
    let _server = UnixListener::bind(&answered).expect("a socket");
    SourceKind::Unix(answered.clone()).look().expect("it is not known yet whether anybody answers");
    SourceKind::Unix(answered.clone()).open().expect_err("another program answers there");
    UnixStream::connect(&answered).expect("the other program still answers");

    let left = place("left");
    drop(UnixListener::bind(&left).expect("a socket"));
    SourceKind::Unix(left.clone()).look().expect("what is left over is no obstacle");
    let source = SourceKind::Unix(left.clone()).open().expect("a socket in its place");
    UnixStream::connect(&left).expect("the new one answers");
    drop(source);
    assert!(!left.exists(), "it is taken away at the end");
}

/// Ends a recording when frames up to this one are kept.
struct Until(u64, Option<u64>);

impl Observer for Until {
    fn kept(&mut self, _: usize, sequence: u64) {
        self.1 = Some(sequence);
    }

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        self.1 >= Some(self.0)
    }
}

fn channel(source: SourceKind) -> ChannelPlan {
    ChannelPlan {
        name: "camera".to_owned(),
        source,
        framing: StreamFraming::Length,
        ring: ByteCount::new(4 * BLOCK),
        on_full: OnFull::Wait,
    }
}

/// A plan that gives up after a minute: what it waits for has to come before.
fn patient(source: SourceKind) -> Plan {
    let plan = plan(vec![channel(source)], StreamMode::Linear, u64::MAX);
    Plan { duration: Some(Nanos::from_millis(60_000)), ..plan }
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("short");
    [&length.to_le_bytes()[..], bytes].concat()
}

/// The frames of a target, with their times.
fn frames(target: &Path) -> Vec<(u64, Vec<u8>)> {
    let image = fs::read(target).expect("the target");
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    let chart = Chart::read(&recording);
    let mut frames = Vec::new();
    let mut found = |frame: drivelab_stream::reader::Frame<'_>| {
        frames.push((frame.spot.entry.time_unix_ns, frame.bytes.to_vec()));
        Ok(())
    };
    let mut reader = FrameReader::new(&recording, &chart, 0);
    reader.frames(Wanted::ALL, &mut found, &mut |broken| panic!("{broken:?}")).expect("an image in memory");
    frames
}

fn connected(path: &Path) -> UnixStream {
    loop {
        match UnixStream::connect(path) {
            Ok(stream) => return stream,
            Err(_) => std::thread::park_timeout(Duration::from_millis(5)),
        }
    }
}

/// What one program leaves unfinished costs its own last frame, and the next program goes on.
#[test]
fn programs_connect_to_a_socket_one_after_the_other() {
    let folder = folder();
    let (socket, target): (PathBuf, PathBuf) = (folder.path().join("socket"), folder.path().join("target"));
    let mut until = Until(2, None);
    let outcome = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut first = connected(&socket);
            first
                .write_all(&[framed(b"one"), framed(b"two"), framed(b"cut off")[..8].to_vec()].concat())
                .expect("read");
            drop(first);
            connected(&socket).write_all(&framed(b"three")).expect("read");
        });
        run(&target, 80 * BLOCK, &patient(SourceKind::Unix(socket.clone())), &mut until)
    });
    assert!(matches!(outcome.end, End::Told), "{:?}", outcome.end);
    let tally = outcome.channels[0].tally;
    assert_eq!((tally.produced, tally.unfinished, tally.placed_bytes), (3, 1, 11), "{tally:?}");
    let frames = frames(&target);
    let bytes: Vec<&[u8]> = frames.iter().map(|frame| &frame.1[..]).collect();
    assert_eq!(bytes, [&b"one"[..], b"two", b"three"]);
    let times: Vec<u64> = frames.iter().map(|frame| frame.0).collect();
    assert!(
        times[0] > 1_000_000_000 && times.is_sorted(),
        "counted from the start of the recording: {times:?}"
    );
    assert!(!socket.exists());
}

/// A slow source does not hold back what it has delivered until a block is full of it.
#[test]
fn a_frame_is_kept_while_its_source_is_silent() {
    let folder = folder();
    let (path, target) = (folder.path().join("pipe"), folder.path().join("target"));
    pipe(&path);
    // Both ends, so that the source does not end.
    let mut end = fs::File::options().read(true).write(true).open(&path).expect("a pipe");
    end.write_all(&framed(b"one")).expect("room");
    let outcome = run(&target, 80 * BLOCK, &patient(SourceKind::Pipe(path)), &mut Until(0, None));
    assert!(matches!(outcome.end, End::Told), "{:?}", outcome.end);
    let tally = outcome.channels[0].tally;
    assert_eq!((tally.produced, tally.unfinished), (1, 0), "{tally:?}");
    assert_eq!(frames(&target).len(), 1);
}

/// A flush rests for a tenth of a second, and comes after every pause.
#[test]
fn a_frame_of_a_durable_recording_is_kept_after_a_pause() {
    let folder = folder();
    let (path, target) = (folder.path().join("pipe"), folder.path().join("target"));
    pipe(&path);
    let mut end = fs::File::options().read(true).write(true).open(&path).expect("a pipe");
    let asked = Plan { durable: true, ..patient(SourceKind::Pipe(path)) };
    let outcome = std::thread::scope(|scope| {
        let mut second = end.try_clone().expect("a descriptor");
        end.write_all(&framed(b"one")).expect("room");
        scope.spawn(move || {
            std::thread::park_timeout(Duration::from_millis(300));
            second.write_all(&framed(b"two")).expect("room");
        });
        run(&target, 80 * BLOCK, &asked, &mut Until(1, None))
    });
    assert!(matches!(outcome.end, End::Told), "{:?}", outcome.end);
}

#[test]
fn a_recording_ends_when_its_time_is_over_and_no_source_has_to_deliver_for_that() {
    let folder = folder();
    let path = folder.path().join("pipe");
    pipe(&path);
    let _end = fs::File::options().read(true).write(true).open(&path).expect("a pipe");
    let asked = Plan { duration: Some(Nanos::from_millis(120)), ..patient(SourceKind::Pipe(path)) };
    let outcome = run(&folder.path().join("target"), 80 * BLOCK, &asked, &mut Silent);
    assert!(matches!(outcome.end, End::Asked), "{:?}", outcome.end);
    assert!(outcome.duration >= Nanos::from_millis(120), "{:?}", outcome.duration);
    assert_eq!(outcome.log_length, 0);
}

#[test]
fn synthetic_channels_of_other_seeds_or_keys_have_other_lengths() {
    let folder = folder();
    let lengths = |(seed, key): (u64, u64)| {
        let target = folder.path().join(format!("{seed}-{key}"));
        let mut channels = synthetic(&[(1_000, 30_000)]);
        if let SourceKind::Synthetic(synthetic) = &mut channels[0].source {
            (synthetic.seed, synthetic.key) = (seed, key);
        }
        run(&target, 80 * BLOCK, &plan(channels, StreamMode::Linear, 200_000), &mut Silent);
        frames(&target).iter().map(|frame| frame.1.len()).take(5).collect::<Vec<usize>>()
    };
    let found = [(3, 1), (3, 2), (3, 8), (3, 16), (4, 1)].map(lengths);
    for (number, one) in found.iter().enumerate() {
        assert!(one.len() == 5 && !found[..number].contains(one), "{number}");
    }
    assert_eq!(lengths((5, 6)), lengths((5, 6)), "and the same of the same ones");
}

/// Where nothing has to be handed on, a block waits for more pictures.
#[test]
fn pictures_that_come_one_by_one_share_a_block() {
    let folder = folder();
    let (path, target) = (folder.path().join("pipe"), folder.path().join("target"));
    pipe(&path);
    let mut asked = patient(SourceKind::Pipe(path.clone()));
    asked.flush_after = Nanos::from_millis(600_000);
    asked.channels[0].framing = StreamFraming::Mjpeg;
    // Both ends, so that the recorder finds a writer.
    let mut end = fs::File::options().read(true).write(true).open(&path).expect("a pipe");
    let outcome = std::thread::scope(|scope| {
        scope.spawn(move || {
            for number in 0..3 {
                end.write_all(&[0xff, 0xd8, 0xff, 0xda, 0, 3, 7, number, 0xff, 0xd9]).expect("room");
                while rustix::io::ioctl_fionread(&end).expect("a pipe") > 0 {
                    std::thread::park_timeout(Duration::from_millis(1));
                }
            }
        });
        run(&target, 80 * BLOCK, &asked, &mut Silent)
    });
    assert!(matches!(outcome.end, End::Sources), "{:?}", outcome.end);
    // One of pictures, and the index that ends the log.
    assert_eq!((outcome.channels[0].at_end.kept.frames, outcome.figures.blocks), (3, 2));
}
