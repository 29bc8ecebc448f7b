//! Nothing is allocated between the first request of a phase and its last completion.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use drivelab_block::{
    Batch, ByteCount, Completion, Engine, EngineError, Full, Instant, Limits, Nanos, Op, OpSet, PhaseId,
    QueueId, Request, Sector, SectorCount, SilenceLog, Sink, Status,
};
use drivelab_method::{Interrupt, StopRule, WorkerContext, run};
use drivelab_record::{OnFull, queue};
use drivelab_workload::{Arrivals, Mix, Order, Paced, Schedule, Seed, Span, Synthetic, Workload};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts what the calling thread allocates.
struct Counting;

// SAFETY: every call is handed on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// An engine that answers every request after 100 us of its own time, and notes what was allocated between
/// its first and its last call.
struct Steady {
    now: Instant,
    in_flight: Vec<(Instant, Request)>,
    first: Option<u64>,
    last: u64,
}

impl Engine for Steady {
    fn prepare(&mut self, limits: Limits) -> Result<(), EngineError> {
        self.in_flight = Vec::with_capacity(limits.queue_depth as usize);
        Ok(())
    }

    fn now(&self) -> Instant {
        self.now
    }

    fn submit(&mut self, request: Request) -> Result<(), Full> {
        self.first.get_or_insert(ALLOCATIONS.get());
        if self.in_flight.len() == self.in_flight.capacity() {
            return Err(Full(request));
        }
        self.in_flight.push((self.now, request));
        Ok(())
    }

    fn oldest_sent_at(&self) -> Option<Instant> {
        self.in_flight.iter().map(|(submitted_at, _)| *submitted_at).min()
    }

    fn give_up(&mut self) -> Vec<Completion> {
        Vec::new()
    }

    fn reap(&mut self, until: Instant, out: &mut Batch) -> Result<(), EngineError> {
        self.now = until.min(self.now + Nanos::from_micros(100)).max(self.now);
        let now = self.now;
        self.in_flight.retain(|(submitted_at, request)| {
            let done = now.since(*submitted_at) >= Nanos::from_micros(100) && out.room() > 0;
            if done {
                out.push(completion(request, *submitted_at, now));
            }
            !done
        });
        self.last = ALLOCATIONS.get();
        Ok(())
    }
}

fn completion(request: &Request, submitted_at: Instant, completed_at: Instant) -> Completion {
    Completion {
        intended_at: request.intended_at.max(submitted_at),
        submitted_at,
        issued_at: None,
        completed_at,
        extent: request.extent,
        status: Status::OK,
        queue: request.queue,
        op: request.op,
        phase: request.phase,
    }
}

fn allocations_of(mut workload: impl Workload) -> u64 {
    let mut engine = Steady { now: Instant::ORIGIN, in_flight: Vec::new(), first: None, last: 0 };
    let ops = OpSet::EMPTY.with(Op::Read);
    engine
        .prepare(Limits { queue_depth: 32, max_transfer: ByteCount::new(4096), ops })
        .expect("no limits are unmet");
    let context = WorkerContext {
        phase: PhaseId(0),
        queue: QueueId(0),
        queues: 1,
        queue_depth: 32,
        started_at: Instant::ORIGIN,
        stop: StopRule { duration: Some(Nanos::from_millis(200)), bytes: None },
        interrupt: Interrupt::default(),
        silences: SilenceLog::new(1),
    };
    let (inlet, _outlet) = queue(1 << 17, OnFull::Lose);
    let mut sink = Counted { inlet, completions: 0 };
    let end = run(&mut engine, &mut workload, &context, &mut sink).expect("the engine never breaks");
    assert!(end.completed > 1_000, "{end:?}");
    assert_eq!(end.completed, sink.completions, "submitted = completed + in flight");
    engine.last - engine.first.expect("something was asked")
}

struct Counted {
    inlet: drivelab_record::CompletionSender,
    completions: u64,
}

impl Sink for Counted {
    fn accept(&mut self, completions: &[Completion]) {
        self.completions += completions.len() as u64;
        self.inlet.accept(completions);
    }
}

fn reads() -> Synthetic {
    let span = Span::new(Sector::new(0), ByteCount::new(1 << 30), SectorCount::new(8)).expect("blocks fit");
    Synthetic::new(span, Order::Uniform, Mix::Only(Op::Read), Seed::new(1))
}

#[test]
fn a_closed_loop_allocates_nothing_while_it_runs() {
    assert_eq!(allocations_of(reads()), 0);
}

#[test]
fn an_open_loop_allocates_nothing_while_it_runs() {
    let schedule = Schedule::shared(Arrivals::Poisson, 50_000.0, 0, 1, Seed::new(1));
    assert_eq!(allocations_of(Paced::new(reads(), Some(schedule))), 0);
}
