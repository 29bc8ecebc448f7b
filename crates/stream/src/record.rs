//! A recording, from its rings to its last superblock.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use drivelab_block::{EngineError, Instant, Nanos, SilenceLog, Unanswered};
use drivelab_uring::{Access, BlockWriter, Buffer, Clock, FeatureReport, Waker};

use crate::kept::Frontier;
use crate::layout::{ChannelEntry, HEADER_BYTES, RunId, Superblock};
use crate::now::{ChannelNow, Drops};
use crate::plan::{Plan, RecordingPlaces};
use crate::ring::{Filler, Pool, Sealed};
use crate::source::{self, Budget, ChannelConfig, ChannelWriter, Source, SourceTally, Stop};
use crate::watched::{End, Observer, WatchedParts, WatchedRecording};
use crate::writer::{BESIDE_BLOCKS, Figures, INDEX_BUFFERS, TargetDisk, Writer, WriterParts};
use crate::{ProgramWatch, StreamError};

/// Numbers of blocks between the oldest in flight and the newest, for each that may be in flight: so that one write
/// that takes long does not keep the others waiting.
const WINDOW: u32 = 4;

/// What a recording begins with.
#[derive(Clone, Copy, Debug)]
pub struct RecordingStart<'a> {
    /// Its name.
    pub run: RunId,
    /// The generation of the last superblock on the target, whichever recording it is of.
    pub generation: u64,
    /// The recording's clock.
    pub clock: Clock,
    /// What the clock's origin is in Unix time, in nanoseconds.
    pub started_unix_ns: u64,
    /// Whether the program runs: the time in which it did not is none of the drive's.
    pub program: &'a dyn ProgramWatch,
}

/// What came of a channel.
#[derive(Debug)]
pub struct ChannelOutcome {
    /// What its source saw.
    pub tally: SourceTally,
    /// What is kept.
    pub kept: Frontier,
    /// The length of its ring in bytes.
    pub ring_bytes: u64,
    /// The most of it that was ever in use, in bytes.
    pub most_used_bytes: u64,
    /// Why its source ended before the recording did.
    pub failure: Option<StreamError>,
}

impl ChannelOutcome {
    /// The channel as it was at the end, when all of its ring was free.
    pub fn at_end(&self) -> ChannelNow {
        let SourceTally { dropped, dropped_bytes, .. } = self.tally;
        let ChannelOutcome { kept, ring_bytes, most_used_bytes, .. } = *self;
        ChannelNow { kept, dropped, dropped_bytes, ring_bytes, used_bytes: 0, most_used_bytes }
    }
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

/// Records from `sources`, one for each channel of the plan, until they end or the recording does.
///
/// # Errors
/// Where nothing can be recorded at all. What ends a recording that has begun is in its [`RecordingOutcome`].
pub fn record(
    access: &Access,
    plan: &Plan,
    places: &RecordingPlaces,
    begin: RecordingStart<'_>,
    sources: Vec<Source>,
    observer: &mut dyn Observer,
) -> Result<RecordingOutcome, StreamError> {
    record_through(|ring| ring, access, plan, places, begin, sources, observer)
}

/// The same through a disk that is made around the drive's ring.
///
/// # Errors
/// As [`record`].
pub fn record_through<D: TargetDisk>(
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
    let (waker, superblock) = (disk.waker(), superblock(plan, places, &begin));
    let (told, silences) = (superblock.clone(), SilenceLog::new(1));
    let parts = WriterParts {
        disk,
        clock: begin.clock,
        superblock,
        superblocks_at: places.superblocks_at,
        pools: pools.clone(),
        buffers,
        durable: plan.durable,
        program: begin.program,
        silences: silences.clone(),
    };
    let mut writer = Writer::new(parts);
    let drops: Vec<Drops> = plan.channels.iter().map(|_| Drops::default()).collect();
    let mut watched = WatchedRecording::new(WatchedParts {
        observer,
        pools: &pools,
        drops: &drops,
        block_bytes: u64::from(places.block_bytes),
        silences,
        clock: begin.clock,
        duration: plan.duration,
    });
    writer.begin(&mut watched)?;
    let (makings, started) =
        (Makings { plan, places, begin, waker: &waker, drops: &drops }, begin.clock.now());
    watched.begin();
    let (end, read) = if writer.unanswered().is_some() {
        let nothing = plan.channels.iter().map(|_| (SourceTally::default(), None));
        (watched.why_not_begun(), nothing.collect())
    } else {
        go_on(&makings, &pools, sources, &mut writer, &mut watched)?
    };
    let duration = begin.clock.now().since(started);
    let channels = outcomes(read, &mut writer, &pools, places);
    Ok(RecordingOutcome {
        end,
        channels,
        unanswered: writer.unanswered(),
        figures: writer.figures(),
        log_length: writer.log_length(),
        started_at: started,
        duration,
        superblock: told,
        obtained: writer.obtained().clone(),
    })
}

/// What came of a source, and why it ended before the recording did.
type Read = (SourceTally, Option<StreamError>);

/// Has all sources read, each on a thread of its own, and writes what they deliver.
fn go_on<D: TargetDisk>(
    makings: &Makings<'_, '_>,
    pools: &[Arc<Pool>],
    sources: Vec<Source>,
    writer: &mut Writer<'_, D>,
    watched: &mut WatchedRecording<'_>,
) -> Result<(End, Vec<Read>), StreamError> {
    let stop = Stop::new().map_err(|source| StreamError::System { doing: "no event descriptor", source })?;
    let budget = Budget::new(makings.plan.bytes.map_or(u64::MAX, drivelab_block::ByteCount::get));
    let (sender, queue) = channel();
    let numbered = pools.iter().enumerate();
    let stations: Vec<ChannelWriter<'_>> =
        numbered.map(|(number, pool)| makings.station(number, pool, (&sender, &stop, &budget))).collect();
    drop(sender);
    let (end, read) = std::thread::scope(|scope| {
        let fillers: Vec<_> = stations
            .into_iter()
            .zip(sources)
            .zip(&makings.plan.channels)
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

fn superblock(plan: &Plan, places: &RecordingPlaces, begin: &RecordingStart<'_>) -> Superblock {
    let entry = |channel: &crate::plan::ChannelPlan| ChannelEntry {
        name: channel.name.clone(),
        framing: channel.framing,
    };
    Superblock {
        generation: begin.generation,
        run: begin.run,
        block_bytes: places.block_bytes,
        log_start: places.log_start,
        log_blocks: places.log_blocks,
        shape: plan.shape,
        is_closed: false,
        index_interval: places.index_interval,
        in_flight: plan.in_flight,
        // Wider it would never get, and a wider one would make more of a killed log unsettled than is.
        window: (plan.in_flight * WINDOW).min(places.index_interval),
        started_unix_ns: begin.started_unix_ns,
        last_index: None,
        channels: plan.channels.iter().map(entry).collect(),
    }
}

/// What every station is made with.
struct Makings<'a, 's> {
    plan: &'s Plan,
    places: &'s RecordingPlaces,
    begin: RecordingStart<'a>,
    waker: &'s Waker,
    drops: &'a [Drops],
}

impl<'a> Makings<'a, '_> {
    fn station<'b>(
        &self,
        number: usize,
        pool: &Arc<Pool>,
        (sender, stop, budget): (&Sender<Sealed>, &'b Stop, &'b Budget),
    ) -> ChannelWriter<'b>
    where
        'a: 'b,
    {
        let channel = &self.plan.channels[number];
        #[expect(clippy::cast_possible_truncation, reason = "at most CHANNELS_MAX")]
        let filler = Filler::new(number as u16, Arc::clone(pool), self.places.block_bytes as usize);
        let filler = match &channel.source {
            source::SourceKind::Synthetic(synthetic) => filler.dressed(source::dress, synthetic.key),
            _ => filler,
        };
        ChannelWriter::new(ChannelConfig {
            filler,
            on_full: channel.on_full,
            clock: self.begin.clock,
            program: self.begin.program,
            started_unix_ns: self.begin.started_unix_ns,
            sender: sender.clone(),
            waker: self.waker.clone(),
            stop,
            budget,
            drops: &self.drops[number],
            flush_after: self.plan.flush_after,
        })
    }
}

/// Writes until the sources have ended and everything of theirs is written.
fn write(
    writer: &mut Writer<'_, impl TargetDisk>,
    queue: &Receiver<Sealed>,
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
        _ if writer.is_full() => End::Full,
        _ if writer.unanswered().is_some() && watched.is_ended_by_user() => End::Told,
        end => end.unwrap_or(End::Sources),
    };
    Ok(writer.take_failure().map_or(end, End::Failed))
}

fn outcomes(
    read: Vec<Read>,
    writer: &mut Writer<'_, impl TargetDisk>,
    pools: &[Arc<Pool>],
    places: &RecordingPlaces,
) -> Vec<ChannelOutcome> {
    let block = u64::from(places.block_bytes);
    let numbered = read.into_iter().zip(pools).enumerate();
    numbered
        .map(|(number, ((tally, failure), pool))| ChannelOutcome {
            tally,
            kept: writer.kept().frontier(number),
            ring_bytes: pool.total() as u64 * block,
            most_used_bytes: pool.high_water() as u64 * block,
            failure,
        })
        .collect()
}
