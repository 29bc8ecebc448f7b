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
    let (gate, ready) = channel();
    let phase = recorder.next_phase();
    let mut handles = start_workers(plan, stage, workloads, phase, (&interrupt, &silences), &gate)?;
    // A worker that ends without a word closes its gate, which is then the last one.
    drop(gate);
    let ready: Vec<Ready> = ready.iter().take(handles.len()).collect();
    // The phase starts when the last engine was ready, and not at all where one never was.
    let at = ready.iter().map(|ready| ready.at).max().filter(|_| ready.len() == handles.len());
    if let Some(at) = at {
        recorder.begin_phase(at, plan.loop_kind);
        // What is written down of the beginning may take a disk's time, which is not to lie inside the phase.
        for handle in &handles {
            // A worker that is gone tells why when its end is asked for.
            let _ = handle.door.send(at);
        }
        progress.begin(at);
        let mut lookout = Lookout::new(at, plan.stop.duration, interrupt.clone());
        for Ready { number, onlooker, .. } in ready {
            if let Some(onlooker) = onlooker {
                lookout.watch(number, onlooker, silences.clone());
            }
        }
        keep_until_closed(&mut handles, &mut lookout, &interrupt, &silences, recorder, progress);
    }
    let mut engines = Vec::new();
    let ends: Vec<EndedPhase> = handles.into_iter().map(|handle| handle.end(&mut engines)).collect();
    // Those of a phase with fewer workloads have not left the stage.
    stage.engines.splice(0..0, engines);
    join_ends(ends, plan.loop_kind, &stage.interrupt)
}

type EndedPhase = Result<Option<PhaseEnd>, EngineError>;

/// What a worker says whose engine is ready.
struct Ready {
    number: u16,
    at: Instant,
    onlooker: Option<Arc<dyn Onlooker>>,
}

/// A worker's thread, what comes from it, and how its work ended.
///
/// A worker whose engine is ready says so through its gate and waits at its door for the start. A gate that closes without a
/// word, or a door that never opens, ends the phase before it begins: nobody waits for a worker that is gone.
///
/// The thread itself is not waited for: where requests were given up, the kernel keeps it until the drive has answered those that
/// wait in a kernel worker of its own.
struct WorkerHandle<E> {
    thread: JoinHandle<()>,
    door: Sender<Instant>,
    outlet: CompletionReceiver,
    completed: u64,
    ended: Receiver<(E, EndedPhase)>,
    /// Its end, if it is not waited for.
    left_behind: Option<PhaseEnd>,
}

/// Gives every engine of the stage a thread with its workload.
fn start_workers<E: Engine + Send + 'static, W: Workload + 'static>(
    plan: &PhasePlan,
    stage: &mut Workers<E>,
    workloads: Vec<W>,
    phase: PhaseId,
    (interrupt, silences): (&Interrupt, &SilenceLog),
    gate: &Sender<Ready>,
) -> Result<Vec<WorkerHandle<E>>, ConductError> {
    let workers = u16::try_from(stage.engines.len()).unwrap_or(u16::MAX);
    let capacity = match stage.on_full {
        OnFull::Lose => QUEUES_CAPACITY,
        OnFull::Wait => WAITED_QUEUES_CAPACITY,
    };
    let mut handles = Vec::new();
    let taken = stage.engines.len().min(workloads.len());
    for ((mut engine, workload), number) in stage.engines.drain(..taken).zip(workloads).zip(0u16..) {
        let (inlet, outlet) = queue(capacity / usize::from(workers.max(1)), stage.on_full);
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
        let (told, ended) = channel();
        let (gate, limits) = (gate.clone(), plan.limits);
        let life = move || {
            let end = work(&mut engine, workload, context, inlet, limits, gate, &waiting);
            // Nobody asks where this worker was left behind.
            let _ = told.send((engine, end));
        };
        let thread = std::thread::Builder::new().name(format!("worker-{number}")).spawn(life)?;
        handles.push(WorkerHandle { thread, door, outlet, completed: 0, ended, left_behind: None });
    }
    Ok(handles)
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

fn keep_until_closed<E>(
    handles: &mut [WorkerHandle<E>],
    lookout: &mut Lookout,
    interrupt: &Interrupt,
    silences: &SilenceLog,
    recorder: &mut RunRecorder,
    progress: &mut impl Progress,
) {
    loop {
        // Asked before draining: what was left before the end was gone is then surely seen.
        let closed = handles.iter().all(|handle| handle.left_behind.is_some() || handle.outlet.is_closed());
        let count: u64 = handles.iter_mut().map(|handle| handle.drain(recorder)).sum();
        if let Some(LeftBehind { number, unanswered, end }) = lookout.look() {
            let handle = &mut handles[usize::from(number)];
            while handle.drain(recorder) > 0 {}
            recorder.keep(&unanswered);
            handle.left_behind = Some(PhaseEnd { completed: handle.completed, ..end });
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
    recorder.lose(handles.iter().map(|handle| handle.outlet.lost()).sum());
}

impl<E> WorkerHandle<E> {
    /// Keeps what has come, and says how many completions that were; nothing more of a worker that was left behind.
    fn drain(&mut self, recorder: &mut RunRecorder) -> u64 {
        if self.left_behind.is_some() {
            return 0;
        }
        let count = self.outlet.drain(|completions| recorder.keep(completions)) as u64;
        self.completed += count;
        count
    }

    /// Waits for the end, and puts the engine back; a worker that still waits at its door ends, and one that was left behind is
    /// not waited for.
    fn end(self, engines: &mut Vec<E>) -> EndedPhase {
        if self.left_behind.is_some() {
            return Ok(self.left_behind);
        }
        drop(self.door);
        match self.ended.recv() {
            Ok((engine, end)) => {
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

fn join_ends(
    ends: Vec<EndedPhase>,
    loop_kind: LoopKind,
    of_user: &Interrupt,
) -> Result<PhaseEnd, ConductError> {
    let ends = ends.into_iter().collect::<Result<Vec<_>, _>>()?;
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
