//! What the program itself took of the processors.

use drivelab_block::Nanos;

/// Processor time of all threads of this program, kernel workers of its rings included, since it began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OwnTime {
    /// In user mode.
    pub user: Nanos,
    /// In the kernel.
    pub system: Nanos,
}

impl OwnTime {
    /// The time since an earlier reading.
    #[must_use]
    pub fn since(self, earlier: OwnTime) -> OwnTime {
        OwnTime { user: self.user - earlier.user, system: self.system - earlier.system }
    }
}

/// Asks the kernel (`getrusage`).
pub fn own_time() -> OwnTime {
    // SAFETY: the structure is plain numbers, for which zeros are a value.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is to a structure of the type that the call fills.
    if unsafe { libc::getrusage(libc::RUSAGE_SELF, &raw mut usage) } != 0 {
        return OwnTime::default();
    }
    let nanos = |time: libc::timeval| {
        let (seconds, micros) = (u64::try_from(time.tv_sec), u64::try_from(time.tv_usec));
        Nanos::from_secs(seconds.unwrap_or(0)) + Nanos::from_micros(micros.unwrap_or(0))
    };
    OwnTime { user: nanos(usage.ru_utime), system: nanos(usage.ru_stime) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_counted() {
        let before = own_time();
        let mut sum = 0_u64;
        while own_time().since(before).user < Nanos::from_millis(20) {
            sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(7));
        }
        assert!(own_time().user > before.user, "{sum}");
    }
}
