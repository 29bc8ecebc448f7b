//! One phase with all its workers: each on a thread of its own, the recorder on the calling thread.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use drivelab_block::{
    Engine, EngineError, Instant, Limits, Nanos, Onlooker, PhaseId, QueueId, Silence, SilenceLog,
};
use drivelab_record::{CompletionReceiver, CompletionSender, OnFull, queue};
use drivelab_stats::LoopKind;
use drivelab_workload::Workload;

use crate::lookout::{LeftBehind, Lookout};
use crate::{Interrupt, PhaseEnd, PhasePlan, RunRecorder, WorkerContext, run};

/// Completions that fit between the workers and the recorder, all together: 58 MB, a second at a million a
/// second. The recorder needs a fortieth of that to encode a row group; the rest is for a machine that gives
/// it no processor for a while.
const QUEUES_CAPACITY: usize = 1 << 20;
/// The same where the workers wait for the recorder: what a simulated drive completes while a row group is encoded. A longer
/// queue would leave the processors' caches between the two threads.
const WAITED_QUEUES_CAPACITY: usize = 1 << 17;

/// How a phase can fail.
#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    /// An engine broke.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A worker's thread could not be started.
    #[error("a worker could not be started: {0}")]
    Thread(#[from] std::io::Error),
    /// Every I/O failed for some seconds, and nothing more was asked.
    /// The phase of a closed loop ends at the first of these failures.
    #[error("every I/O has failed since {} after the phase began", .0.failing_after())]
    AllFailed(Box<PhaseEnd>),
    /// The phase was over, and the drive had not answered everything when that was given up. What the user has ended is no error.
    #[error("the drive has not answered {} since {} after the phase began", in_words(.0), since(.0))]
    Unanswered(Box<PhaseEnd>),
}

fn in_words(end: &PhaseEnd) -> String {
    match end.unanswered.map_or(0, |unanswered| unanswered.count) {
        1 => "1 I/O".to_owned(),
        count => format!("{count} I/Os"),
    }
}

fn since(end: &PhaseEnd) -> Nanos {
    end.unanswered.map_or(Nanos::ZERO, |unanswered| unanswered.since.since(end.started_at))
}

/// What the recorder tells while a phase runs.
pub trait Progress {
    /// Called once, with the start on the engine's clock, before any completion of the phase is kept.
    fn begin(&mut self, started_at: Instant);

    /// Called whenever the queues were emptied; `idle` where nothing was in them. May print, may not block
    /// for long; sleeps for about a millisecond where idle, since only the caller may.
    fn turn(&mut self, recorder: &RunRecorder, idle: bool);

    /// Called when the drive has answered none of a worker's I/Os for [`SILENT_FROM`](drivelab_block::SILENT_FROM), and again
    /// when it has answered one, or what is in flight is given up.
    fn silence(&mut self, _silence: &Silence) {}
}

/// The engines of a run, one a worker, and how they are to be treated.
#[derive(Debug)]
pub struct Workers<E> {
    /// One engine a worker; on a simulated drive one for all.
    pub engines: Vec<E>,
    /// How many workers one engine stands for.
    pub queues: u16,
    /// What happens to completions that find the queue to the recorder full: on a real drive they are lost
    /// and counted, a simulated one waits.
    pub on_full: OnFull,
    /// The user's wish to stop.
    pub interrupt: Interrupt,
}

/// Runs a phase: every engine with its own workload on its own thread, while the calling thread keeps what
/// comes back. The phase gets the next number of the recorder's.
///
/// A worker that the kernel keeps while its drive hangs is left behind after the end of the phase, with its engine, which the
/// stage then lacks.
///
/// # Errors
/// Where an engine breaks; what was completed before is kept. Where it broke before the start, the phase has
/// not begun and takes no number.
pub fn conduct<E: Engine + Send + 'static, W: Workload + 'static>(
    plan: &PhasePlan,
    stage: &mut Workers<E>,
    workloads: Vec<W>,
    recorder: &mut RunRecorder,
    progress: &mut impl Progress,
) -> Result<PhaseEnd, ConductError> {
    // A worker whose engine breaks, or whose drive fails everything, ends the work of the others.
    let workers = u16::try_from(workloads.len()).unwrap_or(u16::MAX);
    let (interrupt, silences) = (stage.interrupt.part(), SilenceLog::new(workers));
    let mut team = WorkerHandles::default();
    let mut lanes = team.seat(plan, stage, workloads, recorder.next_phase(), (&interrupt, &silences))?;
    if let Some(StartedPhase { at, ready }) = team.start() {
        recorder.begin_phase(at, plan.loop_kind);
        // What is written down of the beginning may take a disk's time, which is not to lie inside the phase.
        team.open_doors(at);
        progress.begin(at);
        let mut lookout = Lookout::new(at, plan.stop.duration, interrupt.clone());
        for Ready { number, onlooker, .. } in ready {
            if let Some(onlooker) = onlooker {
                lookout.watch(number, onlooker, silences.clone());
            }
        }
        keep_until_closed(&mut lanes, &mut lookout, &interrupt, &silences, recorder, progress);
    }
    let (mut engines, mut ends) = (Vec::new(), Vec::new());
    for (seat, lane) in team.dismiss().into_iter().zip(lanes) {
        ends.push(lane.left_behind.map_or_else(|| seat.end(&mut engines), |end| Ok(Some(end))));
    }
    // Those of a phase with fewer workloads have not left the stage.
    stage.engines.splice(0..0, engines);
    join_ends(ends.into_iter(), plan.loop_kind, &stage.interrupt)
}

type EndedPhase = Result<Option<PhaseEnd>, EngineError>;

/// How a worker's work ended, and its engine.
struct EndedWorker<E> {
    engine: E,
    end: EndedPhase,
}

/// The start of a phase, and the workers that were ready for it.
struct StartedPhase {
    at: Instant,
    ready: Vec<Ready>,
}

/// What a worker says whose engine is ready.
struct Ready {
    number: u16,
    at: Instant,
    onlooker: Option<Arc<dyn Onlooker>>,
}

/// What comes from a worker.
struct Lane {
    outlet: CompletionReceiver,
    completed: u64,
    /// Its end, if it is not waited for.
    left_behind: Option<PhaseEnd>,
}

/// The workers of a phase on their way to its start.
///
/// A worker whose engine is ready says so through its gate and waits at its door for the start. A gate
/// that closes without a word, or a door that never opens, ends the phase before it begins: nobody waits for
/// a worker that is gone.
struct WorkerHandles<E> {
    seats: Vec<Seat<E>>,
    gate: Sender<Ready>,
    ready: Receiver<Ready>,
    doors: Vec<Sender<Instant>>,
}

/// A worker's thread, and how its work ended.
///
/// The thread itself is not waited for: where requests were given up, the kernel keeps it until the drive has answered those that
/// wait in a kernel worker of its own.
struct Seat<E> {
    thread: JoinHandle<()>,
    ended: Receiver<EndedWorker<E>>,
}

impl<E> Seat<E> {
    /// Waits for the end, and puts the engine back.
    fn end(self, engines: &mut Vec<E>) -> EndedPhase {
        match self.ended.recv() {
            Ok(EndedWorker { engine, end }) => {
                engines.push(engine);
                end
            }
            // It has ended without a word.
            Err(_) => match self.thread.join() {
                Ok(()) => Ok(None),
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
    }
}

impl<E> Default for WorkerHandles<E> {
    fn default() -> Self {
        let (gate, ready) = channel();
        WorkerHandles { seats: Vec::new(), gate, ready, doors: Vec::new() }
    }
}

impl<E: Engine + Send + 'static> WorkerHandles<E> {
    /// Gives every engine of the stage a thread with its workload.
    fn seat<W: Workload + 'static>(
        &mut self,
        plan: &PhasePlan,
        stage: &mut Workers<E>,
        workloads: Vec<W>,
        phase: PhaseId,
        (interrupt, silences): (&Interrupt, &SilenceLog),
    ) -> Result<Vec<Lane>, ConductError> {
        let workers = u16::try_from(stage.engines.len()).unwrap_or(u16::MAX);
        let capacity = match stage.on_full {
            OnFull::Lose => QUEUES_CAPACITY,
            OnFull::Wait => WAITED_QUEUES_CAPACITY,
        };
        let mut lanes = Vec::new();
        let taken = stage.engines.len().min(workloads.len());
        for ((engine, workload), number) in stage.engines.drain(..taken).zip(workloads).zip(0u16..) {
            let (inlet, outlet) = queue(capacity / usize::from(workers.max(1)), stage.on_full);
            lanes.push(Lane { outlet, completed: 0, left_behind: None });
            let context = WorkerContext {
                phase,
                queue: QueueId(number),
                queues: stage.queues,
                queue_depth: plan.limits.queue_depth,
                started_at: Instant::ORIGIN,
                stop: plan.stop.share(workers),
                interrupt: interrupt.clone(),
                silences: silences.clone(),
            };
            let (door, waiting) = channel();
            self.doors.push(door);
            let (gate, limits) = (self.gate.clone(), plan.limits);
            let (told, ended) = channel();
            let life = move || {
                let mut engine = engine;
                let end = work(&mut engine, workload, context, inlet, limits, gate, &waiting);
                // Nobody asks where this worker was left behind.
                let _ = told.send(EndedWorker { engine, end });
            };
            let thread = std::thread::Builder::new().name(format!("worker-{number}")).spawn(life)?;
            self.seats.push(Seat { thread, ended });
        }
        Ok(lanes)
    }

    /// The start of the phase: when the last engine was ready; `None` where one never was. With it, who can look at a worker.
    fn start(&mut self) -> Option<StartedPhase> {
        // The team's own gate would keep the channel open for ever.
        self.gate = channel().0;
        let ready: Vec<Ready> = self.ready.iter().take(self.doors.len()).collect();
        let at = ready.iter().map(|ready| ready.at).max().filter(|_| ready.len() == self.doors.len())?;
        Some(StartedPhase { at, ready })
    }

    fn open_doors(&self, at: Instant) {
        for door in &self.doors {
            // A worker that is gone tells why when it is joined.
            let _ = door.send(at);
        }
    }

    /// Sends home who still waits at a door.
    fn dismiss(self) -> Vec<Seat<E>> {
        self.seats
    }
}

/// The life of a worker's thread: get ready, agree on the start, run.
fn work<E: Engine, W: Workload>(
    engine: &mut E,
    mut workload: W,
    mut context: WorkerContext,
    mut inlet: CompletionSender,
    limits: Limits,
    gate: Sender<Ready>,
    door: &Receiver<Instant>,
) -> EndedPhase {
    engine.prepare(limits)?;
    let told = gate.send(Ready { number: context.queue.0, at: engine.now(), onlooker: engine.onlooker() });
    drop(gate);
    match told.ok().and_then(|()| door.recv().ok()) {
        Some(started_at) => {
            context.started_at = started_at;
            let end = run(engine, &mut workload, &context, &mut inlet);
            if end.as_ref().map_or(true, |end| end.failing_since.is_some() || end.unanswered.is_some()) {
                context.interrupt.raise();
            }
            engine.release();
            end.map(Some)
        }
        None => Ok(None),
    }
}

fn keep_until_closed(
    lanes: &mut [Lane],
    lookout: &mut Lookout,
    interrupt: &Interrupt,
    silences: &SilenceLog,
    recorder: &mut RunRecorder,
    progress: &mut impl Progress,
) {
    loop {
        // Asked before draining: what was left before the end was gone is then surely seen.
        let closed = lanes.iter().all(|lane| lane.left_behind.is_some() || lane.outlet.is_closed());
        let count: u64 = lanes.iter_mut().map(|lane| lane.drain(recorder)).sum();
        if let Some(LeftBehind { number, unanswered, end }) = lookout.look() {
            let lane = &mut lanes[usize::from(number)];
            while lane.drain(recorder) > 0 {}
            recorder.keep(&unanswered);
            lane.left_behind = Some(PhaseEnd { completed: lane.completed, ..end });
            interrupt.raise();
        }
        silences.take().iter().for_each(|silence| progress.silence(silence));
        if count == 0 && closed {
            break;
        }
        if count == 0 {
            recorder.idle();
        }
        progress.turn(recorder, count == 0);
    }
    recorder.settle();
    recorder.lose(lanes.iter().map(|lane| lane.outlet.lost()).sum());
}

impl Lane {
    /// Keeps what has come, and says how many completions that were; nothing more of a worker that was left behind.
    fn drain(&mut self, recorder: &mut RunRecorder) -> u64 {
        if self.left_behind.is_some() {
            return 0;
        }
        let count = self.outlet.drain(|completions| recorder.keep(completions)) as u64;
        self.completed += count;
        count
    }
}

fn join_ends(
    ends: impl Iterator<Item = Result<Option<PhaseEnd>, EngineError>>,
    loop_kind: LoopKind,
    of_user: &Interrupt,
) -> Result<PhaseEnd, ConductError> {
    let ends = ends.collect::<Result<Vec<_>, _>>()?;
    let end = ends.into_iter().flatten().reduce(|one, other| one.join(&other)).unwrap_or_default();
    match end.failing_since {
        None if end.unanswered.is_some() && !of_user.is_raised() => {
            Err(ConductError::Unanswered(Box::new(end)))
        }
        None => Ok(end),
        // What a closed loop came to is what it did until then. A schedule went on, and the drive did not keep up with it.
        Some(ended_at) if loop_kind == LoopKind::Closed => {
            Err(ConductError::AllFailed(Box::new(PhaseEnd { ended_at, ..end })))
        }
        Some(_) => Err(ConductError::AllFailed(Box::new(end))),
    }
}

#[cfg(test)]
mod tests;
