//! Recordings on drives that hang: when they end, what is said meanwhile, and what is there afterwards.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

use crate::support::hanging::Hanging;
use crate::support::{BLOCK, assert_gives_kept, folder, plan, run_through, synthetic};
use drivelab_block::{ByteCount, Nanos, SILENT_FROM, Silence};
use drivelab_stream::layout::StreamMode;
use drivelab_stream::plan::{OnFull, Plan};
use drivelab_stream::reader::Recording;
use drivelab_stream::source::SourceKind;
use drivelab_stream::{End, Observer, RecordingNow, RecordingOutcome};

/// What a drive answers before it hangs: both superblocks, and fewer blocks than there are before the first index, so that blocks
/// are what it has then. The ring has room for many more.
const ANSWERS: usize = 7;

/// Hears what is said, and what is to happen when the drive is silent.
#[derive(Default)]
struct Ears {
    silences: Vec<Silence>,
    kept: Vec<Option<u64>>,
    /// Whether the recording is to end then.
    ends_it: bool,
    /// Has the drive answer then.
    answers_again: Option<Rc<Cell<bool>>>,
}

impl Observer for Ears {
    fn kept(&mut self, channel: usize, sequence: u64) {
        self.kept.resize(self.kept.len().max(channel + 1), None);
        self.kept[channel] = Some(sequence);
    }

    fn silence(&mut self, silence: &Silence) {
        self.silences.push(*silence);
        if let Some(again) = &self.answers_again {
            again.set(true);
        }
    }

    fn is_to_end(&mut self, _: &RecordingNow<'_>) -> bool {
        self.ends_it && !self.silences.is_empty()
    }
}

/// Records on a drive that hangs after so many operations, two of which are superblocks.
fn recorded(path: &Path, plan: &Plan, answers: usize, ears: &mut Ears) -> RecordingOutcome {
    let again = ears.answers_again.clone().unwrap_or_default();
    run_through(Hanging::around(answers, &again), path, 400 * BLOCK, plan, ears)
}

/// Expects that the drive was given up, that this was said in time, and that all that was reported as kept is there.
#[track_caller]
fn assert_given_up(path: &Path, outcome: &RecordingOutcome, ears: &Ears) {
    let unanswered = outcome.unanswered.expect("it was given up");
    assert!(unanswered.count >= 1, "{unanswered:?}");
    let first = ears.silences.first().expect("it was told");
    assert!(first.until.is_none() && first.watched >= SILENT_FROM, "{first:?}");
    assert!(first.outstanding >= 1 && first.since == unanswered.since, "{first:?} {unanswered:?}");
    assert!(outcome.figures.longest_write >= SILENT_FROM, "what was given up is counted with what it waited");
    let image = std::fs::read(path).expect("the target");
    let image = &image[..];
    let recording = Recording::open(&image).expect("a recording");
    assert!(!recording.superblock.is_closed);
    assert_gives_kept(&recording, &ears.kept, &BTreeMap::new(), StreamMode::Linear);
    let channel = &outcome.channels[0];
    assert_eq!(
        channel.at_end.kept.last,
        ears.kept.first().copied().flatten(),
        "what was reported is what is kept"
    );
    assert!(channel.tally.produced > channel.at_end.kept.frames, "what was in flight is not kept");
}

/// Short frames, one after the other, into blocks of their own.
fn endless() -> Plan {
    plan(synthetic(&[(40_000, 60_000)]), StreamMode::Linear, u64::MAX)
}

#[test]
fn a_recording_on_a_drive_that_hangs_ends_when_its_user_wants_it() {
    let folder = folder();
    let path = folder.path().join("target");
    let mut ears = Ears { ends_it: true, ..Ears::default() };
    let outcome = recorded(&path, &endless(), ANSWERS, &mut ears);
    assert!(matches!(outcome.end, End::Told), "{:?}", outcome.end);
    assert_given_up(&path, &outcome, &ears);
}

#[test]
fn it_ends_at_its_time() {
    let folder = folder();
    let path = folder.path().join("target");
    let mut ears = Ears::default();
    let timed = Plan { duration: Some(Nanos::from_millis(6_000)), ..endless() };
    let outcome = recorded(&path, &timed, ANSWERS, &mut ears);
    assert!(matches!(outcome.end, End::Asked), "{:?}", outcome.end);
    assert_given_up(&path, &outcome, &ears);
}

/// The bytes that were asked for are there, and no source delivers more: also where the last of them come when the drive hangs
/// already, with an index in flight and a block behind it that has no room.
#[test]
fn it_ends_after_its_bytes() {
    for rate in [None, Some(100.0)] {
        let folder = folder();
        let path = folder.path().join("target");
        let mut ears = Ears::default();
        let mut asked = Plan { bytes: Some(ByteCount::new(12 * BLOCK)), ..endless() };
        if let SourceKind::Synthetic(made) = &mut asked.channels[0].source {
            made.rate = rate;
        }
        let outcome = recorded(&path, &asked, ANSWERS, &mut ears);
        assert!(matches!(outcome.end, End::Asked), "{rate:?}: {:?}", outcome.end);
        assert_given_up(&path, &outcome, &ears);
    }
}

#[test]
fn it_ends_after_its_sources() {
    let folder = folder();
    let (path, frames) = (folder.path().join("target"), folder.path().join("frames"));
    let frame = |length: u32| [&length.to_le_bytes()[..], &vec![7; length as usize]].concat();
    std::fs::write(&frames, frame(50_000).repeat(15)).expect("room");
    let mut ears = Ears::default();
    let mut from_file = endless();
    from_file.channels[0].source = SourceKind::File(frames);
    from_file.channels[0].on_full = OnFull::Wait;
    let outcome = recorded(&path, &from_file, ANSWERS, &mut ears);
    assert!(matches!(outcome.end, End::Sources), "{:?}", outcome.end);
    let unanswered = outcome.unanswered.expect("it was given up");
    assert!(unanswered.count >= 1 && outcome.channels[0].at_end.kept.frames < 15, "{unanswered:?}");
}

#[test]
fn a_drive_that_hangs_from_the_first_write_on_is_given_up_and_no_source_is_read() {
    let folder = folder();
    let path = folder.path().join("target");
    let mut ears = Ears { ends_it: true, ..Ears::default() };
    let outcome = recorded(&path, &endless(), 0, &mut ears);
    assert!(matches!(outcome.end, End::Told), "{:?}", outcome.end);
    assert_eq!(outcome.unanswered.map(|unanswered| unanswered.count), Some(1));
    assert_eq!((outcome.channels[0].tally.produced, outcome.figures.blocks), (0, 0));
}

#[test]
fn a_drive_that_answers_again_has_all_of_the_recording() {
    let folder = folder();
    let path = folder.path().join("target");
    let mut ears = Ears { answers_again: Some(Rc::default()), ..Ears::default() };
    let asked = Plan { bytes: Some(ByteCount::new(100 * BLOCK)), ..endless() };
    let outcome = recorded(&path, &asked, ANSWERS, &mut ears);
    assert!(matches!(outcome.end, End::Asked) && outcome.unanswered.is_none(), "{:?}", outcome.end);
    let [silent, again] = ears.silences.as_slice() else { panic!("{:?}", ears.silences) };
    assert!(silent.until.is_none() && again.until.is_some() && again.watched >= silent.watched);
    let channel = &outcome.channels[0];
    assert_eq!(channel.tally.produced, channel.at_end.kept.frames);
    let image = std::fs::read(&path).expect("the target");
    assert!(Recording::open(&&image[..]).expect("a recording").superblock.is_closed);
}
