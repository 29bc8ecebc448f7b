//! What came of a recording, the last frames of which are read back where a write failed.

use std::fmt::Write as _;
use std::path::Path;

use drivelab_block::{ByteCount, Nanos, Unanswered};
use drivelab_documents::{PhaseMoment, StoodStill, UnansweredIosDocument};
use drivelab_inspect::stream::{RecordEnd, RecordFindings, RecordReadBack, RecordedChannel, StreamFindings};
use drivelab_kinds::{standstill_in_words, unanswered_document};
use drivelab_runner::{Ending, Failure, output, say, signals};
use drivelab_stats::Standstill;
use drivelab_stream::layout::StreamMode;
use drivelab_stream::plan::RecordingPlaces;
use drivelab_stream::reader::{Chart, Recording, first_lost};
use drivelab_stream::{ChannelOutcome, End, RecordingOutcome};
use drivelab_uring::own_time;
use drivelab_view::format::{self, things};

use super::super::opened::{self, recording_of};
use super::RecordingJob;
use super::observer::KeptLines;

/// What a recording is called where parts of a run have names.
const PHASE: &str = "recording";

/// What is shown beside the outcome.
pub struct ShownRecording<'a> {
    pub job: &'a RecordingJob<'a>,
    pub places: &'a RecordingPlaces,
    /// What became of the drive, where it is no longer there.
    pub gone: Option<Failure>,
    /// The temperature that ended it, in degrees Celsius.
    pub stopped_at: Option<i32>,
    pub is_loop: bool,
    pub standstills: Vec<Standstill>,
}

pub fn say_begin(job: &RecordingJob<'_>, notes: &[String]) {
    for note in notes {
        say!("drivelab: {note}");
    }
    let names: Vec<&str> = job.plan.channels.iter().map(|channel| channel.name.as_str()).collect();
    let target = job.args.target.display();
    say!("recording {} to {target}; Ctrl-C ends it", names.join(", "));
}

/// Prints what came of it, hands it over, and says how it ended.
pub fn show(
    shown: ShownRecording<'_>,
    outcome: RecordingOutcome,
    read_back: FramesReadBack,
    lines: Option<KeptLines>,
    found: &mut Option<RecordFindings>,
) -> Result<Ending, Failure> {
    let document = document(&shown, &outcome, &read_back);
    *found = Some(document.clone());
    if shown.job.args.json.is_asked {
        opened::print(<StreamFindings>::Record(document.clone()))?;
    } else if shown.job.args.kept.as_deref() == Some(Path::new("-")) {
        output::say(summary(&document, &shown).trim_end());
    } else {
        output::print(&summary(&document, &shown))?;
    }
    if let Some(still) = StoodStill::from_standstills(&shown.standstills, []) {
        let has_dropped = document.channels.iter().any(|channel| channel.dropped > 0);
        let drops =
            if has_dropped { ". Frames that were dropped then are none of the drive's doing" } else { "" };
        say!(
            "drivelab: {}; the longest write and the longest time without room are without that{drops}",
            standstill_in_words(&still)
        );
    }
    if let Some(degrees) = shown.stopped_at {
        say!("drivelab: ended at {degrees} °C (--temperature-limit)");
    }
    let losses = read_back.failures(&document, shown.is_loop);
    let mut failures: Vec<Failure> = lines.and_then(KeptLines::failure).into_iter().collect();
    if let End::Failed(error) = &outcome.end {
        let text = format!("a write failed, and the recording ended with what was kept before it: {error}");
        failures.push(shown.gone.unwrap_or(Failure::DriveFailed(text)));
    }
    failures.extend(losses.into_iter().chain(hung(&outcome)));
    failures.extend(outcome.channels.into_iter().filter_map(|channel| channel.failure).map(Failure::from));
    Failure::all(failures)?;
    Ok(ending(&document, &outcome.end))
}

/// How a recording ends that nothing has failed in.
fn ending(document: &RecordFindings, end: &End) -> Ending {
    // What a source delivered before its end is written, unless something else ended the recording.
    let has_ended = matches!(end, End::Sources);
    let has_all = |channel: &RecordedChannel| channel.not_written == 0 || !has_ended;
    let is_whole = |channel: &RecordedChannel| {
        channel.dropped == 0 && channel.damaged == 0 && !is_garbled(channel) && has_all(channel)
    };
    for channel in document.channels.iter().filter(|channel| is_garbled(channel)) {
        say!(
            "drivelab: nothing of {} was kept: what its source delivered holds no whole frame; is it framed as --channel says?",
            channel.name
        );
    }
    match end {
        End::Told => Ending::Interrupted,
        _ if document.kept_bytes == 0 || !document.channels.iter().all(is_whole) => Ending::CheckFailed,
        _ => Ending::Passed,
    }
}

/// That the drive has not answered, unless the user has ended a recording that goes on without its answer.
fn hung(outcome: &RecordingOutcome) -> Option<Failure> {
    let Unanswered { count, since, .. } = outcome.unanswered?;
    let after = since.since(outcome.started_at);
    let text = format!(
        "the drive has not answered {} since {after} after the recording began: look at the kernel's log (dmesg) for the reason",
        things(count, "I/O")
    );
    (!matches!(outcome.end, End::Told)).then_some(Failure::DriveFailed(text))
}

/// What the drive had not answered, from the start of the recording on.
fn unanswered(outcome: &RecordingOutcome) -> Option<UnansweredIosDocument> {
    let Unanswered { count, since, given_up_at } = outcome.unanswered?;
    let at_s = since.since(outcome.started_at).as_secs_f64();
    let since_moment = PhaseMoment { phase: PHASE.to_owned(), at_s };
    let waited_s = given_up_at.since(since).as_secs_f64();
    Some(UnansweredIosDocument { count, since: since_moment, waited_s, later_ones_were_answered: false })
}

/// Whether a source delivered something, and nothing of it made a frame.
fn is_garbled(channel: &RecordedChannel) -> bool {
    channel.kept == 0 && (channel.unfinished > 0 || channel.unfit > 0 || channel.skipped_bytes > 0)
}

fn document(
    shown: &ShownRecording<'_>,
    outcome: &RecordingOutcome,
    read_back: &FramesReadBack,
) -> RecordFindings {
    let ShownRecording { job: RecordingJob { args, plan }, places, .. } = shown;
    let figures = outcome.figures;
    let kept_bytes: u64 = outcome.channels.iter().map(|channel| channel.at_end.kept.bytes).sum();
    let channels = plan.channels.iter().zip(&outcome.channels).enumerate();
    RecordFindings {
        recording: recording_of(&args.target, &outcome.superblock),
        ended: match outcome.end {
            End::Sources => RecordEnd::Sources,
            End::Asked => RecordEnd::Asked,
            End::Told => RecordEnd::Interrupted,
            End::Full => RecordEnd::Full,
            End::Failed(_) => RecordEnd::Failed,
            End::Hung => RecordEnd::Hung,
        },
        lapses: unanswered(outcome).map(unanswered_document).map(Box::new),
        duration_s: outcome.duration.as_secs_f64(),
        mb_s: rate(kept_bytes, outcome.duration.as_secs_f64()),
        busy_mb_s: rate(kept_bytes, figures.busy.as_secs_f64()),
        kept_bytes,
        written_bytes: figures.written_bytes,
        registered_bytes: figures.fixed_bytes,
        in_place_bytes: outcome.channels.iter().map(|channel| channel.tally.placed_bytes).sum(),
        blocks: figures.blocks,
        passes: outcome.log_length as f64 / places.log_blocks as f64,
        longest_write_ns: figures.longest_write.get(),
        read_back: read_back.found(),
        standstills: shown.standstills.clone(),
        user_cpu_s: Some(own_time().user.as_secs_f64()),
        channels: channels
            .map(|(place, (plan, outcome))| recorded(&plan.name, outcome, read_back.first_lost(place)))
            .collect(),
    }
}

fn recorded(name: &str, outcome: &ChannelOutcome, first_lost: Option<u64>) -> RecordedChannel {
    let ChannelOutcome { tally, at_end, .. } = outcome;
    let kept = at_end.kept;
    RecordedChannel {
        name: name.to_owned(),
        produced: tally.produced,
        kept: kept.frames,
        kept_bytes: kept.bytes,
        last_kept: kept.last,
        dropped: at_end.dropped,
        dropped_bytes: at_end.dropped_bytes,
        unfit: tally.unfit,
        not_written: tally.produced.saturating_sub(at_end.dropped + kept.frames),
        unfinished: tally.unfinished,
        damaged: tally.damaged,
        skipped_bytes: tally.skipped_bytes,
        ring_bytes: at_end.ring_bytes,
        high_water_bytes: at_end.most_used_bytes,
        longest_wait_ns: tally.longest_wait.get(),
        first_lost,
    }
}

fn summary(document: &RecordFindings, shown: &ShownRecording<'_>) -> String {
    let lapses = document.lapses.as_ref();
    let ended = match document.ended {
        RecordEnd::Sources => "all sources have ended",
        RecordEnd::Asked if lapses.is_some() => "its time was over, or its bytes were there,",
        RecordEnd::Asked if document.kept_bytes == 0 => "nothing is recorded, since no frame came,",
        RecordEnd::Asked => "what was asked for is recorded",
        RecordEnd::Interrupted => signals::stopped_in_words(),
        RecordEnd::Full => "the target is full",
        RecordEnd::Failed => "a write failed",
        RecordEnd::Hung => "it was given up",
    };
    // What the drive did not do comes first.
    let first = lapses.map_or_else(String::new, |lapses| format!("{}\n  ", lapses.sentence));
    let at_least = if lapses.is_some() { "at least " } else { "" };
    let mut text = format!(
        "{}: {first}{ended} after {:.1} s\n  {} kept, {} MB/s, {} blocks in {:.2} passes, longest write {at_least}{}\n",
        shown.job.args.target.display(),
        document.duration_s,
        ByteCount::new(document.kept_bytes),
        format::rate(document.mb_s),
        document.blocks,
        document.passes,
        Nanos::new(document.longest_write_ns)
    );
    if shown.job.plan.shape == StreamMode::Cyclic && document.passes > 1.0 {
        text += "  the oldest blocks were overwritten (--cyclic)\n";
    }
    text += &filling(document);
    for channel in &document.channels {
        let _ = write!(
            text,
            "  {:<16} {} frames kept, {}, {} dropped ({})",
            channel.name,
            channel.kept,
            ByteCount::new(channel.kept_bytes),
            channel.dropped,
            ByteCount::new(channel.dropped_bytes)
        );
        for (count, what) in [
            (channel.unfit, "of these longer than the ring"),
            (channel.not_written, "not written"),
            (channel.unfinished, "begun and not ended"),
            (channel.damaged, "kept that are no whole pictures"),
            (channel.skipped_bytes, "bytes between pictures"),
        ] {
            if count > 0 {
                let _ = write!(text, ", {count} {what}");
            }
        }
        let _ = write!(
            text,
            "\n  {:<16} ring {} of {} at most, longest without room {}\n",
            "",
            ByteCount::new(channel.high_water_bytes),
            ByteCount::new(channel.ring_bytes),
            Nanos::new(channel.longest_wait_ns)
        );
    }
    text
}

/// What is said where little of the target went to frames: a block has room for 165 of them, and one that has waited for
/// `--flush-after` is written as full as it is.
fn filling(document: &RecordFindings) -> String {
    const MUCH: f64 = 0.75;
    let taken = document.blocks * u64::from(document.recording.block_bytes);
    let share = document.kept_bytes as f64 / taken as f64;
    if document.kept_bytes == 0 || share >= MUCH {
        return String::new();
    }
    format!(
        "  frames fill {:.0} % of the {} that they take of the target: longer ones fill more\n",
        share * 100.0,
        ByteCount::new(taken)
    )
}

/// Decimal megabytes a second; 0 over no time.
fn rate(bytes: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { bytes as f64 / 1e6 / seconds } else { 0.0 }
}

/// What came of reading the last frames back.
pub enum FramesReadBack {
    Unneeded,
    /// The drive is gone or answers nothing, which is said elsewhere.
    NoDrive,
    Failed(Failure),
    /// The first frame of each channel that is not there.
    Done(Vec<Option<u64>>),
}

impl FramesReadBack {
    /// Reads the last frames back where a write failed and the drive is still there.
    pub fn read(target: &Path, outcome: &RecordingOutcome, is_gone: bool) -> FramesReadBack {
        if !matches!(outcome.end, End::Failed(_)) {
            return FramesReadBack::Unneeded;
        }
        // A read would not come back from a drive that hangs.
        if is_gone || outcome.unanswered.is_some() {
            return FramesReadBack::NoDrive;
        }
        output::say("drivelab: a write failed: reading back the last frames that were reported as kept");
        read(target, &outcome.channels).map_or_else(FramesReadBack::Failed, FramesReadBack::Done)
    }

    pub fn found(&self) -> RecordReadBack {
        match self {
            FramesReadBack::Unneeded => RecordReadBack::Unneeded,
            FramesReadBack::NoDrive | FramesReadBack::Failed(_) => RecordReadBack::Failed,
            FramesReadBack::Done(_) => RecordReadBack::Done,
        }
    }

    /// The first frame of a channel that is not there.
    pub fn first_lost(&self, channel: usize) -> Option<u64> {
        let FramesReadBack::Done(channels) = self else { return None };
        *channels.get(channel)?
    }

    /// What is to be said of it; a loop device has a reason of its own.
    pub fn failures(self, found: &RecordFindings, is_loop: bool) -> Vec<Failure> {
        let hint = if is_loop {
            ". A loop device acknowledges what it has no room for where the file system of its file is full: give the file all \
             its room before (fallocate)"
        } else {
            ""
        };
        let lost = |channel: &RecordedChannel| {
            let (first, last) = channel.first_lost.zip(channel.last_kept)?;
            Some(Failure::DriveFailed(format!(
                "{}: frames from {first} to {last} were reported as kept, since the target had acknowledged their blocks, and \
                 are not all there{hint}",
                channel.name
            )))
        };
        match self {
            FramesReadBack::Unneeded | FramesReadBack::NoDrive => Vec::new(),
            FramesReadBack::Failed(error) => {
                let what = "the last frames that were reported as kept cannot be read back";
                vec![Failure::DriveFailed(format!("{what}: {error}"))]
            }
            FramesReadBack::Done(_) => found.channels.iter().filter_map(lost).collect(),
        }
    }
}

fn read(target: &Path, channels: &[ChannelOutcome]) -> Result<Vec<Option<u64>>, Failure> {
    let image = opened::image(target)?;
    let recording = Recording::open(&image)?;
    let chart = Chart::read(&recording);
    let of_channel = |(number, channel): (u16, &ChannelOutcome)| {
        let last_kept = channel.at_end.kept.last;
        last_kept.map_or(Ok(None), |last| first_lost(&recording, &chart, number, last)).map_err(Failure::from)
    };
    (0..).zip(channels).map(of_channel).collect()
}
