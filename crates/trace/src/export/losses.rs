//! What a format cannot hold, counted.

/// Defines what may be lost, each with its words, in the order in which they are told.
macro_rules! losses {
    ($($lost:ident: $words:literal,)+) => {
        /// A thing that a format may have no place for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Lost { $(#[doc = $words] $lost,)+ }

        const WORDS: [&str; [$($words),+].len()] = [$($words,)+];
    };
}

losses! {
    Request: "requests left out, discards and flushes",
    Wait: "waits before the issue",
    Service: "service times",
    ZeroService: "service times of 0, which mean unknown there",
    Status: "statuses",
    Flags: "flags",
    Process: "processes",
    ProcessName: "process names with line ends, replaced",
    Device: "devices, of which one is made",
    DeviceName: "device names, replaced",
    Measured: "devices measured from Q, written as from D",
    Issued: "devices measured from D, written as from Q",
    Pair: "requests beside another on the same sector, of which the first is taken to end first",
    FlushPlace: "sectors of flushes",
    Nanoseconds: "times rounded to microseconds",
    LongRequest: "requests of 4 GiB and more, which fio cuts",
    Order: "events not in the order of time, as too much was in flight",
}

/// How often each was lost.
#[derive(Clone, Debug, Default)]
pub struct Losses([u64; WORDS.len()]);

impl Losses {
    /// Counts one where it is so.
    #[inline]
    pub fn note(&mut self, lost: Lost, is_so: bool) {
        self.0[lost as usize] += u64::from(is_so);
    }

    /// What was lost, in words.
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        WORDS.into_iter().zip(self.0).filter(|(_, count)| *count > 0).collect()
    }
}
