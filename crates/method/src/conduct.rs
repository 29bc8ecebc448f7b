//! One phase with all its workers: each on a thread of its own, the recorder on the calling thread.

use std::sync::{Barrier, OnceLock};

use drivelab_block::{Engine, EngineError, Instant, QueueId};
use drivelab_record::{Inlet, OnFull, Outlet, queue};
use drivelab_workload::Workload;

use crate::{Interrupt, Keeper, PhaseEnd, PhasePlan, Seat, run};

/// Completions that fit between the workers and the recorder, all together: 58 MB, a second at a million a
/// second. The recorder needs a fortieth of that to encode a row group; the rest is for a machine that gives
/// it no processor for a while.
const QUEUES_CAPACITY: usize = 1 << 20;

/// How a phase can fail.
#[derive(Debug, thiserror::Error)]
pub enum ConductError {
    /// An engine broke.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A worker's thread could not be started.
    #[error("a worker could not be started: {0}")]
    Thread(#[from] std::io::Error),
}

/// What the recorder tells while a phase runs.
pub trait Progress {
    /// Called once, with the start on the engine's clock, before any completion of the phase is kept.
    fn begin(&mut self, started_at: Instant);

    /// Called whenever the queues were emptied; `idle` where nothing was in them. May print, may not block
    /// for long; sleeps for about a millisecond where idle, since only the caller may.
    fn turn(&mut self, keeper: &Keeper, idle: bool);
}

/// What a worker and the recorder agree on before the first request.
struct Start {
    /// Passed when every engine is ready or has failed, and again when the start is known.
    barrier: Barrier,
    at: OnceLock<Result<Instant, ()>>,
}

/// The engines of a run, one a worker, and how they are to be treated.
#[derive(Debug)]
pub struct Stage<E> {
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
/// comes back. The phase gets the next number of the keeper's.
///
/// # Errors
/// Where an engine breaks; what was completed before is kept. Where it broke before the start, the phase has
/// not begun and takes no number.
pub fn conduct<E: Engine + Send, W: Workload>(
    plan: &PhasePlan,
    stage: &mut Stage<E>,
    workloads: Vec<W>,
    keeper: &mut Keeper,
    progress: &mut impl Progress,
) -> Result<PhaseEnd, ConductError> {
    let phase = keeper.next_phase();
    let (queues, on_full, interrupt) = (stage.queues, stage.on_full, &stage.interrupt);
    let engines = &mut stage.engines;
    let workers = u16::try_from(engines.len()).unwrap_or(u16::MAX);
    let start = Start { barrier: Barrier::new(engines.len() + 1), at: OnceLock::new() };
    std::thread::scope(|scope| {
        let mut outlets = Vec::new();
        let mut handles = Vec::new();
        for ((engine, workload), number) in engines.iter_mut().zip(workloads).zip(0u16..) {
            let (inlet, outlet) = queue(QUEUES_CAPACITY / usize::from(workers.max(1)), on_full);
            outlets.push(outlet);
            let seat = Seat {
                phase,
                queue: QueueId(number),
                queues,
                queue_depth: plan.limits.queue_depth,
                started_at: Instant::ORIGIN,
                stop: plan.stop.share(workers),
                interrupt: interrupt.clone(),
            };
            let start = &start;
            handles.push(scope.spawn(move || work(engine, workload, seat, inlet, plan, start)));
        }
        start.barrier.wait();
        start.barrier.wait();
        if let Some(Ok(at)) = start.at.get() {
            keeper.begin_phase(*at, plan.loop_kind);
            progress.begin(*at);
        }
        keep_until_closed(&mut outlets, keeper, progress);
        let ends = handles.into_iter().map(|handle| match handle.join() {
            Ok(end) => end,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        join_ends(ends)
    })
}

/// The life of a worker's thread: get ready, agree on the start, run.
fn work<E: Engine, W: Workload>(
    engine: &mut E,
    mut workload: W,
    mut seat: Seat,
    mut inlet: Inlet,
    plan: &PhasePlan,
    start: &Start,
) -> Result<Option<PhaseEnd>, EngineError> {
    let prepared = engine.prepare(plan.limits);
    if prepared.is_err() {
        // The first to say something wins: a failure here, or the start below.
        let _ = start.at.set(Err(()));
    }
    start.barrier.wait();
    if prepared.is_ok() {
        let _ = start.at.set(Ok(engine.now()));
    }
    start.barrier.wait();
    prepared?;
    match start.at.get() {
        Some(Ok(at)) => {
            seat.started_at = *at;
            run(engine, &mut workload, &seat, &mut inlet).map(Some)
        }
        _ => Ok(None),
    }
}

fn keep_until_closed(outlets: &mut [Outlet], keeper: &mut Keeper, progress: &mut impl Progress) {
    loop {
        // Asked before draining: what was left before the end was gone is then surely seen.
        let closed = outlets.iter().all(Outlet::is_closed);
        let count: usize =
            outlets.iter_mut().map(|outlet| outlet.drain(|completions| keeper.keep(completions))).sum();
        if count == 0 && closed {
            break;
        }
        if count == 0 {
            keeper.idle();
        }
        progress.turn(keeper, count == 0);
    }
    keeper.lose(outlets.iter().map(Outlet::lost).sum());
}

fn join_ends(
    ends: impl Iterator<Item = Result<Option<PhaseEnd>, EngineError>>,
) -> Result<PhaseEnd, ConductError> {
    let ends = ends.collect::<Result<Vec<_>, _>>()?;
    Ok(ends.into_iter().flatten().reduce(PhaseEnd::join).unwrap_or_default())
}
