//! A recording, from its rings to its last superblock.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};

use drivelab_block::{EngineError, Instant, Nanos, SilenceLog, Unanswered};
use drivelab_uring::{Access, BlockWriter, Buffer, FeatureReport};

use crate::StreamError;
use crate::layout::{HEADER_BYTES, Superblock};
use crate::now::{ChannelNow, Drops};
use crate::plan::{ChannelPlan, INDEX_BUFFERS, Plan, RecordingPlaces, RecordingStart};
use crate::program_watch::LongestTimes;
use crate::ring::{Filler, Pool, RingBlock};
use crate::source::{self, Budget, ChannelWriter, Source, SourceKind, SourceTally, Stop};
use crate::watched::{End, Observer, WatchedRecording};
use crate::writer::{BESIDE_BLOCKS, Figures, TargetDisk, Writer};

/// What came of a channel.
#[derive(Debug)]
pub struct ChannelOutcome {
    /// What its source saw.
    pub tally: SourceTally,
    /// The channel as it was at the end, when all of its ring was free.
    pub at_end: ChannelNow,
    /// Why its source ended before the recording did.
    pub failure: Option<StreamError>,
}

/// What came of a recording.
#[derive(Debug)]
pub struct RecordingOutcome {
    /// Why it ended.
    pub end: End,
    /// Its channels, in the order of the plan.
    pub channels: Vec<ChannelOutcome>,
    /// What the writer did.
    pub figures: Figures,
    /// How many blocks the log has had.
    pub log_length: u64,
    /// When it began, on its clock.
    pub started_at: Instant,
    /// How long it went on.
    pub duration: Nanos,
    /// What the drive had not answered when it was given up, whatever has ended the recording.
    pub unanswered: Option<Unanswered>,
    /// The recording, as it was told to its first superblock.
    pub superblock: Superblock,
    /// What the kernel gave and what it refused.
    pub obtained: FeatureReport,
}

/// Records from `sources`, one for each channel of the plan, until they end or the recording does, through a disk that is made
/// around the drive's ring.
///
/// # Errors
/// Where nothing can be recorded at all. What ends a recording that has begun is in its [`RecordingOutcome`].
pub fn record<D: TargetDisk>(
    around: impl FnOnce(BlockWriter) -> D,
    access: &Access,
    plan: &Plan,
    places: &RecordingPlaces,
    begin: RecordingStart<'_>,
    sources: Vec<Source>,
    observer: &mut dyn Observer,
) -> Result<RecordingOutcome, StreamError> {
    let (rings, buffers) = map_buffers(plan, places)?;
    let all: Vec<&Buffer> = rings.iter().flatten().chain(&buffers).collect();
    let disk = around(BlockWriter::new(access.clone(), plan.in_flight + BESIDE_BLOCKS, &all)?);
    let pools: Vec<Arc<Pool>> = rings.into_iter().map(|buffers| Arc::new(Pool::new(buffers))).collect();
    let silences = SilenceLog::new(1);
    let mut writer = Writer::new(disk, plan, places, &begin, pools.clone(), buffers, silences.clone());
    let told = writer.superblock.clone();
    let drops: Vec<Drops> = plan.channels.iter().map(|_| Drops::default()).collect();
    let mut watched = WatchedRecording {
        observer,
        pools: &pools,
        drops: &drops,
        block_bytes: u64::from(places.block_bytes),
        silences,
        clock: begin.clock,
        duration: plan.duration,
        deadline: plan.duration.map(|duration| begin.clock.now() + duration),
        ended_at: None,
        is_ended_by_user: false,
    };
    writer.begin(&mut watched)?;
    let started = begin.clock.now();
    watched.begin();
    let (end, read) = if writer.unanswered.is_some() {
        let nothing = plan.channels.iter().map(|_| (SourceTally::default(), None));
        (watched.why_not_begun(), nothing.collect())
    } else {
        go_on(plan, places, begin, sources, &mut writer, &mut watched)?
    };
    let duration = begin.clock.now().since(started);
    let outcome = |((tally, failure), now): (Read, ChannelNow)| ChannelOutcome {
        tally,
        at_end: ChannelNow { used_bytes: 0, ..now },
        failure,
    };
    let channels = read.into_iter().zip(watched.now(&writer.kept).channels()).map(outcome).collect();
    Ok(RecordingOutcome {
        end,
        channels,
        unanswered: writer.unanswered,
        figures: writer.figures(),
        log_length: writer.next,
        started_at: started,
        duration,
        superblock: told,
        obtained: writer.disk.ring().obtained.clone(),
    })
}

/// What came of a source, and why it ended before the recording did.
type Read = (SourceTally, Option<StreamError>);

/// Has all sources read, each on a thread of its own, and writes what they deliver.
fn go_on<D: TargetDisk>(
    plan: &Plan,
    places: &RecordingPlaces,
    begin: RecordingStart<'_>,
    sources: Vec<Source>,
    writer: &mut Writer<'_, D>,
    watched: &mut WatchedRecording<'_>,
) -> Result<(End, Vec<Read>), StreamError> {
    let stop = Stop::new().map_err(|source| StreamError::System { doing: "no event descriptor", source })?;
    let (waker, pools, drops) = (writer.disk.ring().waker.clone(), watched.pools, watched.drops);
    let budget = Budget::new(plan.bytes.map_or(u64::MAX, drivelab_block::ByteCount::get));
    let (sender, queue) = channel();
    let station = |(number, channel): (u16, &ChannelPlan)| {
        let (pool, drops) = (&pools[usize::from(number)], &drops[usize::from(number)]);
        let filler = Filler::new(number, Arc::clone(pool), places.block_bytes as usize);
        ChannelWriter {
            filler: match &channel.source {
                SourceKind::Synthetic(synthetic) => filler.dressed(source::dress, synthetic.key),
                _ => filler,
            },
            on_full: channel.on_full,
            clock: begin.clock,
            started_unix_ns: begin.started_unix_ns,
            sender: sender.clone(),
            waker: waker.clone(),
            stop: &stop,
            budget: &budget,
            drops,
            flush_after: plan.flush_after,
            longest_wait: LongestTimes::new(begin.program),
            flush_at: None,
            tally: SourceTally::default(),
            full_since: None,
        }
    };
    let stations: Vec<ChannelWriter<'_>> = (0..).zip(&plan.channels).map(station).collect();
    drop(sender);
    let (end, read) = std::thread::scope(|scope| {
        let fillers: Vec<_> = stations
            .into_iter()
            .zip(sources)
            .zip(&plan.channels)
            .map(|((station, source), channel)| scope.spawn(|| source::run(source, channel.framing, station)))
            .collect();
        let has_input = || fillers.iter().any(|filler| !filler.is_finished());
        let end = write(writer, &queue, &stop, &has_input, watched);
        stop.raise();
        // A source that panicked has ended the program already; nothing is made of it here.
        let read: Vec<_> = fillers.into_iter().filter_map(|filler| filler.join().ok()).collect();
        (end, read)
    });
    Ok((end?, read))
}

/// The buffers of each channel's ring, and those of the writer: one mapping, all of it registered.
fn map_buffers(
    plan: &Plan,
    places: &RecordingPlaces,
) -> Result<(Vec<Vec<Buffer>>, Vec<Buffer>), EngineError> {
    let block = places.block_bytes as usize;
    let counts: Vec<usize> = plan.ring_blocks().collect();
    let total: usize = counts.iter().sum();
    let mut lengths = vec![block; total + INDEX_BUFFERS];
    lengths.push(HEADER_BYTES);
    let mapped = Buffer::map(&lengths).map_err(|error| {
        EngineError::new(format!("the rings found no memory ({error}): use smaller ones, as with ring=16MiB"))
    })?;
    let mut mapped = mapped.into_iter();
    let rings = counts.iter().map(|count| mapped.by_ref().take(*count).collect()).collect();
    Ok((rings, mapped.collect()))
}

/// Writes until the sources have ended and everything of theirs is written.
fn write(
    writer: &mut Writer<'_, impl TargetDisk>,
    queue: &Receiver<RingBlock>,
    stop: &Stop,
    has_input: &dyn Fn() -> bool,
    watched: &mut WatchedRecording<'_>,
) -> Result<End, EngineError> {
    let mut end = None;
    loop {
        end = end.or_else(|| watched.why_ends(writer, stop));
        if end.is_some() {
            stop.raise();
        }
        if end.is_some() || !has_input() {
            watched.end();
        }
        let goes_on = writer.step(queue, watched.patience(), watched)?;
        watched.report(writer);
        if !goes_on {
            break;
        }
    }
    writer.finish(watched)?;
    watched.report(writer);
    let end = match end {
        _ if writer.is_full => End::Full,
        _ if writer.unanswered.is_some() && watched.is_ended_by_user => End::Told,
        Some(end) => end,
        // The bytes that were asked for were there after the last look.
        None if stop.is_raised() => End::Asked,
        None => End::Sources,
    };
    Ok(writer.failure.take().map_or(end, End::Failed))
}
