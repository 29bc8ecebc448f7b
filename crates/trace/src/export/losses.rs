//! What a format cannot hold, counted.

/// A thing that a format may have no place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// A request whose operation the format does not have.
    Request,
    /// How long a request waited before its issue.
    Wait,
    /// How long it took.
    Service,
    /// A duration of nothing, where the format's zero means that none is known.
    ZeroService,
    /// How it ended.
    Status,
    /// Its hints.
    Flags,
    /// Who asked.
    Process,
    /// Characters of a process's name that would end a line.
    ProcessName,
    /// The device, where the format has only one.
    Device,
    /// The name of a device, for which another had to be found.
    DeviceName,
    /// That a device's durations count from the ask.
    Measured,
    /// That a device's durations count from the issue.
    Issued,
    /// Which of two requests on the same sector ended first.
    Pair,
    /// Where a flush was.
    FlushPlace,
    /// Digits of its time.
    Nanoseconds,
    /// Bytes beyond what a reader of the format can count.
    LongRequest,
    /// Its place in the order of time.
    Order,
}

/// Each with its words, in the order in which they are told.
const WORDS: [(Lost, &str); 17] = [
    (Lost::Request, "requests left out, discards and flushes"),
    (Lost::Wait, "waits before the issue"),
    (Lost::Service, "service times"),
    (Lost::ZeroService, "service times of 0, which mean unknown there"),
    (Lost::Status, "statuses"),
    (Lost::Flags, "flags"),
    (Lost::Process, "processes"),
    (Lost::ProcessName, "process names with line ends, replaced"),
    (Lost::Device, "devices, of which one is made"),
    (Lost::DeviceName, "device names, replaced"),
    (Lost::Measured, "devices measured from Q, written as from D"),
    (Lost::Issued, "devices measured from D, written as from Q"),
    (Lost::Pair, "requests beside another on the same sector, of which the first is taken to end first"),
    (Lost::FlushPlace, "sectors of flushes"),
    (Lost::Nanoseconds, "times rounded to microseconds"),
    (Lost::LongRequest, "requests of 4 GiB and more, which fio cuts"),
    (Lost::Order, "events not in the order of time, as too much was in flight"),
];

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
        let count = |lost: Lost| self.0[lost as usize];
        WORDS.iter().map(|(lost, words)| (*words, count(*lost))).filter(|(_, count)| *count > 0).collect()
    }
}
