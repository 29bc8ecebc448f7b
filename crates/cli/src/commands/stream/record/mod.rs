//! `drivelab stream record`: frames of any number of channels to a raw drive.

mod observer;
mod show;

use std::fs::File;
use std::io::{self, Read as _};
use std::iter;
use std::path::Path;

use drivelab_block::{ByteCount, Geometry, Silence};
use drivelab_inspect::stream::RecordFindings;
use drivelab_kinds::Outline;
use drivelab_method::Interrupt;
use drivelab_runner::{
    CommandPath, Ending, Failure, Heartbeat, LiveStream, PlannedTest, Real, SilentWorkers, TargetName, Watch,
    check_flags, check_live_file, check_safety, dry_run, geometry_of, refused, say, signals, unix_nanos,
    usage,
};
use drivelab_safety::{DriveKind, System, Target};
use drivelab_stream::layout::{RunId, StreamMode};
use drivelab_stream::plan::{ChannelPlan, Plan};
use drivelab_stream::reader::Recording;
use drivelab_stream::source::{Source, SourceKind, key};
use drivelab_stream::{ChannelNow, EndedWrite, Observer, RecordingNow, RecordingStart, StreamError, record};
use drivelab_uring::{Clock, prefer_this_thread};

use observer::{KeptLines, RecordingLine};
use show::FramesReadBack;

use super::opened;
use crate::args::StreamRecordArgs;

/// What a recording that is given up leaves.
const GIVEN_UP: &str = "what was reported as kept stays, `drivelab stream extract` finds it";

/// What is to be recorded, and by which plan.
pub struct RecordingJob<'a> {
    pub args: &'a StreamRecordArgs,
    pub plan: Plan,
}

pub fn main(args: &StreamRecordArgs) -> Result<Ending, Failure> {
    if args.target.to_str().is_some_and(|name| name.starts_with("sim:")) {
        return Err(usage!("a simulated drive keeps no data: name a drive or a file"));
    }
    if let Some(file) = args.live.file.as_deref() {
        let target = CommandPath { role: "the target", path: args.target.clone() };
        let kept =
            args.kept.iter().map(|path| CommandPath { role: "the file of --kept", path: path.clone() });
        check_live_file(file, iter::once(target).chain(kept))?;
    }
    if args.json.is_asked && args.kept.as_deref() == Some(Path::new("-")) {
        return Err(usage!("--json and --kept - both want stdout: name a file for --kept"));
    }
    if let Some(kept) = &args.kept {
        opened::check_new_file("--kept", kept, &args.target)?;
    }
    record_streams(args, &mut None)
}

/// Records what was asked for, and hands over what was recorded.
pub fn record_streams(
    args: &StreamRecordArgs,
    found: &mut Option<RecordFindings>,
) -> Result<Ending, Failure> {
    let job = &RecordingJob { args, plan: make_plan(args) };
    let plan = &job.plan;
    check_flags(&args.safety, &[TargetName::Path(args.target.clone())], None)?;
    let target = Target::resolve(&System::live(), &args.target)?;
    if let Some(ended) = look_first(job, &target)? {
        return Ok(ended);
    }
    if args.priority {
        check_priority()?;
    }
    let sources =
        plan.channels.iter().map(|channel| channel.source.open()).collect::<Result<Vec<Source>, _>>()?;
    let real = Real::open_for_writing(&args.target, &args.safety, None)?;
    let geometry = real.geometry();
    let places = plan.places(geometry.capacity.get(), geometry.logical_block)?;
    let clock = Clock::start();
    let program = Heartbeat::start(clock)
        .map_err(|error| Failure::no_thread("standstills of the program cannot be seen", &error))?;
    let begin = RecordingStart {
        run: run_id()?,
        generation: Recording::generation(&opened::image(&args.target)?),
        clock,
        started_unix_ns: unix_nanos().saturating_sub(clock.now().as_nanos()),
        program: &program,
    };
    real.verify_again()?;
    // Only now: where the recording is refused, an older file of kept lines stays as it is.
    let lines = args.kept.as_deref().map(|path| KeptLines::open(path, plan)).transpose()?;
    let interrupt = signals::interrupt_leaving(GIVEN_UP)?;
    let watch = Watch::of_own_ios(&real, args.safety.temperature_limit(), &interrupt)?;
    let names = plan.channels.iter().map(|channel| channel.name.clone()).collect();
    let live =
        args.live.file.as_deref().map(|file| LiveStream::begin(file, &args.target, names)).transpose()?;
    let progress = RecordingLine::new(plan);
    let mut observer = Ears { lines, interrupt, progress, live, silent: SilentWorkers::default() };
    if args.priority {
        prefer_this_thread().map_err(|error| Failure::io("--priority was refused", &error))?;
    }
    show::say_begin(job, &real.notes);
    if let Some(notice) = watch.temperature_notice() {
        say!("drivelab: {}", notice.text);
    }
    let began = clock.now();
    let outcome = record(|ring| ring, &real.access, plan, &places, begin, sources, &mut observer);
    let standstills = program.standstills(began, clock.now());
    observer.progress.clear();
    let outcome = outcome?;
    let channels: Vec<ChannelNow> = outcome.channels.iter().map(|channel| channel.at_end).collect();
    observer.live.take().into_iter().for_each(|live| live.end(&channels));
    let stopped_at = watch.stopped_at();
    let gone = real.gone("a write failed, and what was kept before it is there");
    let read_back = FramesReadBack::read(&args.target, &outcome, gone.is_some());
    let is_loop = matches!(&target, Target::Drive(drive) if drive.identity().kind == DriveKind::Loop);
    let shown = show::ShownRecording { job, places: &places, gone, stopped_at, is_loop, standstills };
    let ended = show::show(shown, outcome, read_back, observer.lines, found);
    watch.check().and(ended)
}

/// Refuses what cannot be recorded before anything is claimed or made, all of it at once; a dry run ends with that.
fn look_first(job: &RecordingJob<'_>, target: &Target) -> Result<Option<Ending>, Failure> {
    let RecordingJob { args: StreamRecordArgs { target: path, safety, json, .. }, plan } = job;
    let geometry = geometry_of(target, safety.file_size);
    let places =
        geometry.map(|geometry| plan.places(geometry.capacity.get(), geometry.logical_block)).transpose();
    let complaints = [places.err().map(Failure::from), earlier_recording(job.args, target)];
    let unusable = plan.channels.iter().filter_map(|channel| channel.source.look().err());
    let complaints: Vec<Failure> =
        complaints.into_iter().flatten().chain(unusable.map(Failure::from)).collect();
    if complaints.is_empty() && !safety.dry_run {
        return Ok(None);
    }
    let complaints = complaints.into_iter().chain(check_safety(target, safety, None).err());
    if safety.dry_run {
        let planned = outline_plan(path, plan, geometry.as_ref());
        return dry_run(&[planned], json.is_asked, complaints).map(Some);
    }
    Failure::all(complaints).map(|()| None)
}

/// Asks for the priority on a thread of its own, before anything is claimed or made: a refusal leaves nothing
/// then.
fn check_priority() -> Result<(), Failure> {
    let asked =
        std::thread::spawn(prefer_this_thread).join().unwrap_or_else(|_| Err(io::ErrorKind::Other.into()));
    asked.map_err(|error| Failure::io("--priority was refused", &error))
}

/// Refuses to overwrite an earlier recording that nobody has given up.
fn earlier_recording(args: &StreamRecordArgs, target: &Target) -> Option<Failure> {
    let is_absent =
        matches!(target, Target::File(file) if file.existing().is_none_or(|file| file.size.get() == 0));
    if args.safety.destroy_data || is_absent {
        return None;
    }
    let image = opened::image(&args.target).ok()?;
    let target = args.target.display();
    match Recording::newest_superblock(&image) {
        Ok(found) => Some(refused!(
            "{target} holds a stream recording of {} ({}): add --destroy-data to give it up",
            opened::time(found.started_unix_ns),
            found.run
        )),
        Err(StreamError::NoRecording) => None,
        Err(_) => Some(refused!(
            "{target} holds a stream recording with damaged superblocks: add --destroy-data to give it up"
        )),
    }
}

/// Hears the user's wish to stop, and tells what is kept.
struct Ears {
    lines: Option<KeptLines>,
    interrupt: Interrupt,
    progress: RecordingLine,
    live: Option<LiveStream>,
    silent: SilentWorkers,
}

impl Observer for Ears {
    fn kept(&mut self, channel: usize, sequence: u64) {
        self.lines.iter().for_each(|lines| lines.put(channel, sequence));
    }

    fn written(&mut self, write: EndedWrite) {
        self.live.iter_mut().for_each(|live| live.written(write));
    }

    fn silence(&mut self, silence: &Silence) {
        self.silent.note(silence);
    }

    fn is_to_end(&mut self, now: &RecordingNow<'_>) -> bool {
        let kept_bytes = now.kept_bytes();
        self.progress.show(kept_bytes);
        self.live.iter_mut().for_each(|live| live.write(now, || self.progress.done(kept_bytes)));
        self.interrupt.is_raised() || self.lines.as_ref().is_some_and(KeptLines::has_failed)
    }
}

fn run_id() -> Result<RunId, Failure> {
    let mut id = RunId([0; 16]);
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut id.0));
    read.map_err(|error| Failure::io("a name for the recording cannot be drawn from /dev/urandom", &error))?;
    Ok(id)
}

/// The plan; it is checked against the target later.
fn make_plan(args: &StreamRecordArgs) -> Plan {
    Plan {
        channels: (0..).zip(&args.channels).map(|(number, channel)| planned(number, channel)).collect(),
        shape: if args.cyclic { StreamMode::Cyclic } else { StreamMode::Linear },
        block: args.block_size.size,
        in_flight: args.queue_depth.depth,
        index_interval: args.index_interval,
        durable: args.durable,
        flush_after: args.flush_after,
        duration: args.duration,
        bytes: args.bytes,
    }
}

/// The channel with this number. Channels of one seed differ all the same.
fn planned(number: u16, channel: &ChannelPlan) -> ChannelPlan {
    let mut planned = channel.clone();
    if let SourceKind::Synthetic(made) = &mut planned.source {
        made.key = key(made.seed, number);
    }
    planned
}

fn outline_plan(target: &Path, plan: &Plan, geometry: Option<&Geometry>) -> PlannedTest {
    let names: Vec<&str> = plan.channels.iter().map(|channel| channel.name.as_str()).collect();
    let rings: u64 = plan.channels.iter().map(|channel| channel.ring.get()).sum();
    let places =
        geometry.and_then(|geometry| plan.places(geometry.capacity.get(), geometry.logical_block).ok());
    let log = places.map_or_else(String::new, |places| {
        let bytes = ByteCount::new(places.log_blocks * u64::from(places.block_bytes));
        format!(", a log of {} blocks ({bytes})", places.log_blocks)
    });
    let shape = if plan.shape == StreamMode::Cyclic { "over and over" } else { "once through" };
    let sentence = format!(
        "channels {} recorded {shape}{log}, {} of rings, {} blocks of {} bytes in flight",
        names.join(", "),
        ByteCount::new(rings),
        plan.in_flight,
        plan.block.get()
    );
    let outline = Outline { sentences: vec![sentence], written: None, time: None };
    PlannedTest::new(&target.display().to_string(), Some(outline))
}
