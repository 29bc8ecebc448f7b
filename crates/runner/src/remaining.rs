//! How much of a test is left: the parts that end by the clock, and those that move bytes as fast as the drive goes.

use drivelab_block::Nanos;
use drivelab_kinds::PlannedTime;

/// What one phase, or several of a test, took until now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PhaseWork {
    /// Time in phases that end by the clock.
    pub timed: Nanos,
    /// Bytes that were moved in the others.
    pub moved: u64,
    /// The time that these took.
    pub moving: Nanos,
}

impl std::ops::Add for PhaseWork {
    type Output = PhaseWork;

    fn add(self, other: PhaseWork) -> PhaseWork {
        PhaseWork {
            timed: self.timed + other.timed,
            moved: self.moved + other.moved,
            moving: self.moving + other.moving,
        }
    }
}

impl PhaseWork {
    /// The time of both.
    pub fn lasted(self) -> Nanos {
        self.timed + self.moving
    }

    /// How long the rest of a test takes at most, at the rate until now; none where bytes are left and no rate is known yet.
    pub fn left_of(self, planned: PlannedTime) -> Option<Nanos> {
        let left = |planned: Nanos, took: Nanos| Nanos::new(planned.get().saturating_sub(took.get()));
        let PhaseWork { moved, moving: took, .. } = self;
        // What is read back moves bytes whose number was not known before.
        let read_back =
            if planned.unpaced.get() == 0 { left(planned.read_back, took) } else { planned.read_back };
        let timed = left(planned.timed, self.timed) + read_back;
        let bytes = planned.unpaced.get().saturating_sub(moved);
        match bytes {
            0 => Some(timed),
            _ if moved == 0 || took == Nanos::ZERO => None,
            _ => Some(timed + Nanos::from_secs_f64(took.as_secs_f64() * bytes as f64 / moved as f64)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_block::ByteCount;

    /// A fill of 1,000 bytes, then a minute.
    const PLANNED: PlannedTime = PlannedTime {
        timed: Nanos::from_secs(60),
        unpaced: ByteCount::new(1_000),
        recorded: Nanos::ZERO,
        read_back: Nanos::ZERO,
    };

    #[test]
    fn what_is_left_is_the_rest_of_the_clock_and_of_the_bytes_at_their_rate() {
        let work = |timed, bytes, seconds| PhaseWork {
            timed: Nanos::from_secs(timed),
            moved: bytes,
            moving: Nanos::from_secs(seconds),
        };
        let left = |work: PhaseWork| work.left_of(PLANNED).map(Nanos::as_secs_f64);
        assert_eq!(left(work(0, 0, 0)), None, "no rate is known yet");
        assert_eq!(left(work(0, 250, 5)), Some(75.0));
        assert_eq!(left(work(10, 1_000, 20)), Some(50.0));
        assert_eq!(left(work(90, 2_000, 40)), Some(0.0), "it takes longer than was planned");
        let verified =
            PlannedTime { read_back: Nanos::from_secs(60), ..PlannedTime::timed(Nanos::from_secs(60)) };
        let reading = work(60, 500, 20);
        assert_eq!(reading.left_of(verified), Some(Nanos::from_secs(40)), "20 s of about 60 s are read back");
        assert_eq!((work(1, 2, 3) + work(10, 20, 30)).lasted(), Nanos::from_secs(44));
    }
}
