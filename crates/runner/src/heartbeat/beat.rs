//! What two beats in a row say.

use drivelab_block::{Instant, Nanos, QueueId};
use drivelab_stats::{Standstill, StandstillCause};

/// How often the heartbeat wakes. A stop may begin at any moment after a beat: it is known to have lasted from the moment when
/// the next beat was due.
pub const EVERY: Nanos = Nanos::from_millis(10);
/// From when on a beat that came late for another reason than waiting for a processor is a standstill. A busy machine makes a
/// thread wait, and that is counted; what else delays a beat on a machine that runs is timer slack and interrupts, a millisecond
/// or two.
const STOPPED: Nanos = Nanos::from_millis(20);
/// From when on a thread that waits for a processor stands still: tens of milliseconds are usual where more threads want to
/// run than there are processors, and are part of how such a machine uses its drive.
const STARVED: Nanos = Nanos::from_millis(100);

#[derive(Clone, Copy, Debug)]
pub struct Beat {
    pub at: Instant,
    /// How long the machine was suspended since it was booted.
    pub asleep: Nanos,
    /// How long the thread had waited for processors in all, in nanoseconds; none where the kernel does not count it.
    pub waited: Option<u64>,
}

/// Whether the whole program stood still before a beat. `stolen` is what the hypervisor took about then from all processors.
pub fn of_program(before: &Beat, now: &Beat, stolen: impl FnOnce() -> Nanos) -> Option<Standstill> {
    let due = before.at + EVERY;
    let late = now.at.since(due);
    let cause = if now.asleep - before.asleep >= STARVED {
        StandstillCause::Suspended
    } else {
        let waited = now.waited.zip(before.waited).map(|(now, before)| now.saturating_sub(before));
        of_late(late, waited.map(Nanos::new), stolen)?
    };
    Some(Standstill { from: due.min(now.at), until: now.at, queue: None, cause })
}

/// By how much a beat came late for another reason than waiting for a processor that the kernel knows of.
pub fn unexplained(before: &Beat, now: &Beat) -> Nanos {
    let waited = now.waited.zip(before.waited).map_or(0, |(now, before)| now.saturating_sub(before));
    now.at.since(before.at + EVERY) - Nanos::new(waited)
}

fn of_late(late: Nanos, waited: Option<Nanos>, stolen: impl FnOnce() -> Nanos) -> Option<StandstillCause> {
    let Some(waited) = waited else { return (late >= STARVED).then_some(StandstillCause::Unknown) };
    let unexplained = late - waited;
    if unexplained < STOPPED {
        return None;
    }
    // Stolen time is counted in ticks, and of all processors: it tells the cause of a standstill and not whether there was one.
    let is_stolen = stolen().get() >= unexplained.get() / 2;
    Some(if is_stolen { StandstillCause::Stolen } else { StandstillCause::Stopped })
}

/// Whether a worker that got its processor between two beats had waited too long for it.
///
/// A wait that is longer than what lies between the beats was one, and had begun before the first of them: it surely lasted from
/// so long before the second beat to the first one. A shorter one lay between the beats, the second of which was late.
pub fn of_worker(queue: QueueId, waited: Nanos, (before, now): (Instant, Instant)) -> Option<Standstill> {
    if waited < STARVED {
        return None;
    }
    let begun = Instant::from_nanos(now.as_nanos().saturating_sub(waited.get()));
    let (from, until) = if begun < before { (begun, before) } else { (before + EVERY, now) };
    let cause = StandstillCause::Starved;
    (from < until).then_some(Standstill { from, until, queue: Some(queue), cause })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: u64) -> Instant {
        Instant::from_nanos(millis * 1_000_000)
    }

    fn beat(millis: u64, waited: u64, asleep: u64) -> Beat {
        let waited = Some(waited * 1_000_000);
        Beat { at: at(millis), asleep: Nanos::from_millis(asleep), waited }
    }

    fn found(before: Beat, now: Beat, stolen: u64) -> Option<(Instant, Instant, StandstillCause)> {
        let found = of_program(&before, &now, || Nanos::from_millis(stolen));
        found.map(|one| (one.from, one.until, one.cause))
    }

    #[test]
    fn a_beat_that_is_late_by_itself_tells_of_a_stop() {
        let before = beat(1_000, 7, 0);
        assert_eq!(found(before, beat(1_029, 7, 0), 0), None);
        let stopped = Some((at(1_010), at(1_030), StandstillCause::Stopped));
        assert_eq!(found(before, beat(1_030, 7, 0), 0), stopped);
        let of_both = Some((at(1_010), at(1_600), StandstillCause::Stopped));
        assert_eq!(found(before, beat(1_600, 507, 0), 0), of_both, "90 ms are not explained by waiting");
        assert_eq!(found(before, beat(1_600, 590, 0), 0), None, "it waited for a processor");
    }

    #[test]
    fn time_that_the_hypervisor_took_is_named() {
        let before = beat(1_000, 0, 0);
        let stolen = Some((at(1_010), at(1_150), StandstillCause::Stolen));
        assert_eq!(found(before, beat(1_150, 0, 0), 70), stolen);
        assert_eq!(found(before, beat(1_150, 0, 0), 69).map(|found| found.2), Some(StandstillCause::Stopped));
    }

    #[test]
    fn a_suspended_machine_is_one_whatever_the_clock_says() {
        let suspended = Some((at(1_005), at(1_005), StandstillCause::Suspended));
        assert_eq!(found(beat(1_000, 0, 0), beat(1_005, 0, 60_000), 0), suspended);
        assert_eq!(found(beat(1_000, 0, 50), beat(1_010, 0, 51), 0), None);
    }

    #[test]
    fn without_a_counter_only_long_delays_tell() {
        let of = |millis| Beat { at: at(millis), asleep: Nanos::ZERO, waited: None };
        assert_eq!(found(of(1_000), of(1_109), 0), None);
        assert_eq!(found(of(1_000), of(1_110), 0).map(|found| found.2), Some(StandstillCause::Unknown));
    }

    #[test]
    fn a_worker_stood_still_while_it_surely_waited() {
        let of = |waited, before, now| {
            let found = of_worker(QueueId(2), Nanos::from_millis(waited), (at(before), at(now)));
            found.map(|one| (one.from, one.until, one.queue))
        };
        assert_eq!(of(99, 1_000, 1_010), None);
        assert_eq!(of(300, 1_000, 1_010), Some((at(710), at(1_000), Some(QueueId(2)))));
        assert_eq!(of(300, 1_000, 1_500), Some((at(1_010), at(1_500), Some(QueueId(2)))));
    }
}
