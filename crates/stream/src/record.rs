//! A recording, from its rings to its last superblock.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};

use drivelab_block::{EngineError, Instant, Nanos};
use drivelab_uring::{Access, BlockWriter, Buffer, Clock, FeatureReport, Waker};

use crate::kept::Frontier;
use crate::layout::{ChannelEntry, HEADER_BYTES, RunId, Superblock};
use crate::now::{ChannelNow, Drops, RecordingNow};
use crate::plan::{Plan, RecordingPlaces};
use crate::ring::{Filler, Pool, Sealed};
use crate::source::{self, Budget, Fittings, Source, SourceTally, Station, Stop};
use crate::writer::{BESIDE_BLOCKS, Disk, EndedWrite, Figures, INDEX_BUFFERS, Writer, WriterParts};
use crate::{ProgramWatch, StreamError};

/// How long the writer waits before it looks whether it is to end.
const PATIENCE: Nanos = Nanos::from_millis(50);
/// Numbers of blocks between the oldest in flight and the newest, for each that may be in flight: so that one write
/// that takes long does not keep the others waiting.
const WINDOW: u32 = 4;

/// Who is told what is kept, and says when to end.
pub trait Observer {
    /// All frames of a channel up to this one, apart from those dropped, are kept.
    fn kept(&mut self, channel: usize, sequence: u64);
    /// A block of frames or of an index was written, without an error.
    fn written(&mut self, write: EndedWrite) {
        let _ = write;
    }
    /// Whether the recording is to end now; asked many times a second.
    fn is_to_end(&mut self, now: &RecordingNow<'_>) -> bool;
}

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

/// Why a recording ended.
#[derive(Debug)]
pub enum End {
    /// All sources have.
    Sources,
    /// What was asked for is recorded: the time, or the bytes.
    Asked,
    /// The observer wanted it.
    Told,
    /// The target is full.
    Full,
    /// A write failed.
    Failed(std::io::Error),
}

/// What came of a channel.
#[derive(Debug)]
pub struct ChannelOutcome {
    /// What its source saw.
    pub tally: SourceTally,
    /// What is kept.
    pub kept: Frontier,
    /// The length of its ring, and the most of it that was ever in use, in bytes.
    pub ring_bytes: (u64, u64),
    /// Why its source ended before the recording did.
    pub failure: Option<StreamError>,
}

impl ChannelOutcome {
    /// The channel as it was at the end, when all of its ring was free.
    pub fn at_end(&self) -> ChannelNow {
        let SourceTally { dropped, dropped_bytes, .. } = self.tally;
        let (ring_bytes, most_used_bytes) = self.ring_bytes;
        ChannelNow { kept: self.kept, dropped, dropped_bytes, ring_bytes, used_bytes: 0, most_used_bytes }
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
    /// How long it went on.
    pub duration: Nanos,
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
pub fn record_through<D: Disk>(
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
    let told = superblock.clone();
    let parts = WriterParts {
        disk,
        clock: begin.clock,
        superblock,
        superblocks_at: places.superblocks_at,
        pools: pools.clone(),
        buffers,
        durable: plan.durable,
        program: begin.program,
    };
    let mut writer = Writer::new(parts);
    writer.begin()?;
    let stop = Stop::new().map_err(|source| StreamError::System { doing: "no event descriptor", source })?;
    let budget = Budget::new(plan.bytes.map_or(u64::MAX, drivelab_block::ByteCount::get));
    let (sender, queue) = channel();
    let drops: Vec<Drops> = plan.channels.iter().map(|_| Drops::default()).collect();
    let makings = Makings {
        plan,
        places,
        begin,
        sender: &sender,
        waker: &waker,
        stop: &stop,
        budget: &budget,
        drops: &drops,
    };
    let stations: Vec<Station<'_>> =
        pools.iter().enumerate().map(|(number, pool)| makings.station(number, pool)).collect();
    drop(sender);
    let started = begin.clock.now();
    let (end, read) = std::thread::scope(|scope| {
        let fillers: Vec<_> = stations
            .into_iter()
            .zip(sources)
            .zip(&plan.channels)
            .map(|((station, source), channel)| scope.spawn(|| source::run(source, channel.framing, station)))
            .collect();
        let clock = Deadline { clock: begin.clock, at: plan.duration.map(|duration| started + duration) };
        let block_bytes = u64::from(places.block_bytes);
        let mut watched = Watched { observer, pools: &pools, drops: &drops, block_bytes };
        let end = write(&mut writer, &queue, &stop, &clock, &mut watched);
        stop.raise();
        // A source that panicked has ended the program already; nothing is made of it here.
        let read: Vec<_> = fillers.into_iter().filter_map(|filler| filler.join().ok()).collect();
        (end, read)
    });
    let end = end?;
    let duration = begin.clock.now().since(started);
    let channels = outcomes(read, &mut writer, &pools, places);
    let (figures, log_length, obtained) = (writer.figures(), writer.log_length(), writer.obtained().clone());
    Ok(RecordingOutcome { end, channels, figures, log_length, duration, superblock: told, obtained })
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
    sender: &'s Sender<Sealed>,
    waker: &'s Waker,
    stop: &'a Stop,
    budget: &'a Budget,
    drops: &'a [Drops],
}

impl<'a> Makings<'a, '_> {
    fn station(&self, number: usize, pool: &Arc<Pool>) -> Station<'a> {
        let channel = &self.plan.channels[number];
        #[expect(clippy::cast_possible_truncation, reason = "at most CHANNELS_MAX")]
        let filler = Filler::new(number as u16, Arc::clone(pool), self.places.block_bytes as usize);
        let filler = match &channel.source {
            source::SourceKind::Synthetic(synthetic) => filler.dressed(source::dress, synthetic.key),
            _ => filler,
        };
        Station::new(Fittings {
            filler,
            on_full: channel.on_full,
            clock: self.begin.clock,
            program: self.begin.program,
            started_unix_ns: self.begin.started_unix_ns,
            sender: self.sender.clone(),
            waker: self.waker.clone(),
            stop: self.stop,
            budget: self.budget,
            drops: &self.drops[number],
            flush_after: self.plan.flush_after,
        })
    }
}

/// When a recording is to end.
struct Deadline {
    clock: Clock,
    at: Option<Instant>,
}

impl Deadline {
    fn left(&self) -> Nanos {
        self.at.map_or(PATIENCE, |at| at.since(self.clock.now()).min(PATIENCE))
    }

    fn is_over(&self) -> bool {
        self.at.is_some_and(|at| self.clock.now() >= at)
    }
}

/// Writes until the sources have ended and everything of theirs is written.
fn write(
    writer: &mut Writer<impl Disk>,
    queue: &Receiver<Sealed>,
    stop: &Stop,
    deadline: &Deadline,
    watched: &mut Watched<'_>,
) -> Result<End, EngineError> {
    let mut end = None;
    loop {
        if end.is_none() && stop.is_raised() {
            // Nobody here raised it: the bytes that were asked for are there.
            end = Some(End::Asked);
        } else if end.is_none() && watched.is_to_end(writer) {
            end = Some(End::Told);
        } else if end.is_none() && deadline.is_over() {
            end = Some(End::Asked);
        } else if end.is_none() && writer.is_over() {
            end = Some(End::Full);
        }
        if end.is_some() {
            stop.raise();
        }
        let patience = if end.is_some() { PATIENCE } else { deadline.left() };
        let goes_on = writer.step(queue, patience)?;
        watched.report(writer);
        if !goes_on {
            break;
        }
    }
    writer.finish()?;
    watched.report(writer);
    let end = if writer.is_full() { End::Full } else { end.unwrap_or(End::Sources) };
    Ok(writer.take_failure().map_or(end, End::Failed))
}

/// Who watches a recording, and what is shown to them.
struct Watched<'a> {
    observer: &'a mut dyn Observer,
    pools: &'a [Arc<Pool>],
    drops: &'a [Drops],
    block_bytes: u64,
}

impl Watched<'_> {
    fn is_to_end(&mut self, writer: &mut Writer<impl Disk>) -> bool {
        let Watched { pools, drops, block_bytes, .. } = *self;
        self.observer.is_to_end(&RecordingNow { kept: writer.kept(), pools, drops, block_bytes })
    }

    fn report(&mut self, writer: &mut Writer<impl Disk>) {
        writer.take_ended().for_each(|write| self.observer.written(write));
        let kept = writer.kept();
        for channel in kept.take_moved() {
            let number = usize::from(channel);
            if let Some(last) = kept.frontier(number).last {
                self.observer.kept(number, last);
            }
        }
    }
}

fn outcomes(
    read: Vec<(SourceTally, Option<StreamError>)>,
    writer: &mut Writer<impl Disk>,
    pools: &[Arc<Pool>],
    places: &RecordingPlaces,
) -> Vec<ChannelOutcome> {
    let block = u64::from(places.block_bytes);
    let numbered = read.into_iter().zip(pools).enumerate();
    numbered
        .map(|(number, ((tally, failure), pool))| ChannelOutcome {
            tally,
            kept: writer.kept().frontier(number),
            ring_bytes: (pool.total() as u64 * block, pool.high_water() as u64 * block),
            failure,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_without_an_end_waits_before_it_looks_again() {
        for at in [None, Some(Instant::NEVER)] {
            assert_eq!(Deadline { clock: Clock::start(), at }.left(), PATIENCE);
        }
    }
}
