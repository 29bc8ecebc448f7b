//! What the kernel says about a drive while a run goes on, whether the drive answers at all, and whether it is still there.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use drivelab_block::{Instant, Nanos};
use drivelab_decode::{KernelEvent, KernelLogDecoder, event};
use drivelab_documents::{KernelLine, KernelLog, Notice};
use drivelab_method::Interrupt;
use drivelab_probe::{BlockCounters, KernelLog as Follower, Roots, block_counters, is_read_only};
use drivelab_safety::DeviceNumber;
use drivelab_uring::Clock;

use super::{gone, look_every};

/// How often the log is read, and the device's counters.
const EVERY: Duration = Duration::from_secs(1);
/// Lines that are kept of one run: a drive that fails everything may fill the log for hours.
const LINES_MAX: usize = 1_000;
/// From when on a drive that answers nothing is spoken of while the run goes on. The kernel gives a SATA or NVMe drive 30 s.
const SILENT_FROM: Nanos = Nanos::from_secs(5);
/// Two readings further apart than this say nothing of the time between them: this thread did not run.
const NOT_WATCHED: Nanos = Nanos::from_secs(3);
/// How many times in a row, a second apart, a drive has to be gone before the run is ended for that. A loop that asks it for
/// much notices the loss by itself before, and says since when.
const GONE_LOOKS: u32 = 4;
/// How many messages about events of one kind are printed in a run.
const SAID_MAX: u32 = 3;

/// Follows the kernel's log of a drive on a thread of its own, until it is dropped; by default it follows nothing.
#[derive(Debug, Default)]
pub struct KernelWatch {
    /// None where nothing is followed.
    watcher: Option<Arc<Mutex<KernelWatcher>>>,
    /// The thread ends when this is dropped.
    _end: Option<Sender<()>>,
}

#[derive(Debug)]
struct KernelWatcher {
    follower: Option<Follower>,
    decoder: KernelLogDecoder,
    drive: String,
    device: DeviceNumber,
    clock: Clock,
    /// When the run's clock was zero, on the kernel's.
    origin: Nanos,
    interrupt: Interrupt,
    /// Whether it answers, of a run that does not see its own I/Os one by one.
    answers: Option<DriveAnswers>,
    /// How many messages were printed about each kind of event.
    said: BTreeMap<KernelEvent, u32>,
    log: KernelLog,
    was_read_only: Option<bool>,
    has_turned_read_only: bool,
    /// How often it answered nothing for a while, and the longest of these times.
    silences: u32,
    longest_silence: Nanos,
    /// How many times in a row the drive was not there.
    missed: u32,
    /// What is to be said of a drive that is gone.
    gone: Option<String>,
}

impl KernelWatch {
    /// Follows what is said from now on about the whole drive with this kernel name, on the clock of a run.
    /// The run is ended where the drive is gone. Without `answers` it knows by its own I/Os whether the drive answers.
    pub fn start(
        (drive, device): (&str, DeviceNumber),
        clock: Clock,
        interrupt: &Interrupt,
        answers: Option<DriveAnswers>,
    ) -> KernelWatch {
        let roots = Roots::live();
        let watcher = KernelWatcher {
            follower: Follower::follow(&roots, drive),
            decoder: KernelLogDecoder::default(),
            drive: drive.to_owned(),
            device,
            // The kernel stamps its log with a clock that is closest to this one.
            origin: clock.origin(),
            clock,
            interrupt: interrupt.clone(),
            answers,
            said: BTreeMap::new(),
            log: KernelLog::default(),
            was_read_only: is_read_only(&roots, device.major, device.minor),
            has_turned_read_only: false,
            silences: 0,
            longest_silence: Nanos::ZERO,
            missed: 0,
            gone: None,
        };
        let watcher = Arc::new(Mutex::new(watcher));
        let shared = Arc::clone(&watcher);
        let look = move || {
            let Ok(mut watcher) = shared.lock() else { return ControlFlow::Break(()) };
            watcher.look();
            watcher.look_for_it();
            ControlFlow::Continue(())
        };
        // Without the thread the log is read at the end of each phase, and nothing is said meanwhile.
        let end = look_every(EVERY, "watch-kernel", look).ok();
        KernelWatch { watcher: Some(watcher), _end: end }
    }

    /// The lines until now.
    pub fn log(&self) -> KernelLog {
        self.looked().map(|seen| seen.log.clone()).unwrap_or_default()
    }

    /// What the reader of the run has to know of it.
    pub fn notices(&self) -> Vec<Notice> {
        self.looked().map(|seen| seen.notices()).unwrap_or_default()
    }

    /// What is to be said of a drive that is gone, for which the run was ended.
    pub fn gone(&self) -> Option<String> {
        self.watcher.as_ref()?.lock().ok()?.gone.clone()
    }

    fn looked(&self) -> Option<MutexGuard<'_, KernelWatcher>> {
        let mut watcher = self.watcher.as_ref()?.lock().ok()?;
        watcher.look();
        Some(watcher)
    }
}

impl KernelWatcher {
    fn notices(&self) -> Vec<Notice> {
        let read_only =
            self.has_turned_read_only.then(|| "The drive turned read-only during the run.".to_owned());
        let silent = (self.silences > 0).then(|| {
            let (count, longest) = (self.silences, self.longest_silence);
            let times = if count == 1 { "once".to_owned() } else { format!("{count} times") };
            format!("The drive answered no I/O for {SILENT_FROM} or longer {times}, at most for {longest}.")
        });
        read_only.into_iter().chain(events(&self.log)).chain(silent).map(Notice::warning).collect()
    }

    fn look(&mut self) {
        let roots = Roots::live();
        let DeviceNumber { major, minor } = self.device;
        let (news, now) = (self.follower.as_mut().map(Follower::news).unwrap_or_default(), self.clock.now());
        let counters = block_counters(&roots, major, minor);
        let turned_read_only =
            self.was_read_only == Some(false) && is_read_only(&roots, major, minor) == Some(true);
        for record in news {
            self.say_event(&record.text);
            let at = Instant::from_nanos(record.at.get().saturating_sub(self.origin.get()));
            let meaning = self.decoder.meanings(&record.text);
            keep(&mut self.log, at, (record.text, meaning));
        }
        if turned_read_only {
            self.was_read_only = Some(true);
            self.has_turned_read_only = true;
            say("the drive turned read-only");
        }
        let change =
            self.answers.as_mut().zip(counters).and_then(|(answers, counters)| answers.look(&counters, now));
        if let Some(change) = change {
            say(change);
            let (DriveChange::Silent(time) | DriveChange::Again(time)) = change;
            self.silences += u32::from(matches!(change, DriveChange::Silent(_)));
            self.longest_silence = self.longest_silence.max(time);
        }
    }

    /// Ends the run where the drive has been gone for a while.
    fn look_for_it(&mut self) {
        let found = gone(self.device, &self.drive, "it was not there any more for some seconds");
        self.missed = if found.is_some() { self.missed + 1 } else { 0 };
        if let Some(failure) = found.filter(|_| self.missed == GONE_LOOKS && self.gone.is_none()) {
            self.gone = Some(failure.to_string());
            self.interrupt.raise();
        }
    }

    /// Prints an event as it happens, the first few of each kind.
    fn say_event(&mut self, line: &str) {
        let Some(found) = event(line) else { return };
        let count = self.said.entry(found).or_default();
        *count += 1;
        if *count <= SAID_MAX {
            say(format_args!("the kernel reports: {}: {}", found.words(), line.trim()));
        }
    }
}

/// How often the kernel reported what, in a sentence.
fn events(log: &KernelLog) -> Option<String> {
    let mut counts: BTreeMap<KernelEvent, usize> = BTreeMap::new();
    for found in log.lines.iter().filter_map(|line| event(&line.text)) {
        *counts.entry(found).or_default() += 1;
    }
    let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
    let words: Vec<String> =
        counts.iter().map(|(found, count)| format!("{} ({})", found.words(), lines(*count))).collect();
    let words = words.join(", ");
    (!words.is_empty()).then(|| format!("The kernel reported errors of the drive meanwhile: {words}."))
}

fn say(text: impl fmt::Display) {
    say!("drivelab: {text}");
}

/// Keeps a line, where there is room for it.
fn keep(log: &mut KernelLog, at: Instant, (text, meaning): (String, Vec<String>)) {
    if log.lines.len() == LINES_MAX {
        log.left_out += 1;
        return;
    }
    log.lines.push(KernelLine { at_ns: at.as_nanos(), meaning, text });
}

/// Whether a drive answers: a pure function of its counters, which are read now and then.
#[derive(Clone, Copy, Debug, Default)]
pub struct DriveAnswers {
    /// Requests that were completed at the last reading, and when that was.
    last: Option<(u64, Instant)>,
    /// Since when none was, while some were in the drive.
    silent_since: Option<Instant>,
    is_said: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DriveChange {
    /// The drive has answered nothing for this time.
    Silent(Nanos),
    /// It answers again, after this time.
    Again(Nanos),
}

impl fmt::Display for DriveChange {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            DriveChange::Silent(time) => write!(f, "the drive has answered no I/O for {time}"),
            DriveChange::Again(time) => write!(f, "the drive answers again, after {time}"),
        }
    }
}

impl DriveAnswers {
    fn look(&mut self, counters: &BlockCounters, now: Instant) -> Option<DriveChange> {
        let before = self.last.replace((counters.completed, now));
        let (completed, at) = before?;
        if now.since(at) > NOT_WATCHED {
            *self = DriveAnswers { last: self.last, ..DriveAnswers::default() };
            return None;
        }
        if counters.completed == completed && counters.in_flight > 0 {
            let since = *self.silent_since.get_or_insert(at);
            let time = now.since(since);
            let is_news = !self.is_said && time >= SILENT_FROM;
            self.is_said |= is_news;
            return is_news.then_some(DriveChange::Silent(time));
        }
        let since = self.silent_since.take();
        let was_said = std::mem::take(&mut self.is_said);
        since.filter(|_| was_said).map(|since| DriveChange::Again(now.since(since)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ORIGIN + Nanos::from_secs(seconds)
    }

    fn counters(completed: u64, in_flight: u64) -> BlockCounters {
        BlockCounters { completed, in_flight, ..BlockCounters::default() }
    }

    /// What is said, second by second.
    fn said(readings: impl IntoIterator<Item = (u64, BlockCounters)>) -> Vec<(u64, DriveChange)> {
        let mut answers = DriveAnswers::default();
        let look =
            |(second, counters): (u64, BlockCounters)| Some((second, answers.look(&counters, at(second))?));
        readings.into_iter().filter_map(look).collect()
    }

    #[test]
    fn a_drive_that_hangs_is_spoken_of_once_and_when_it_answers_again() {
        let hanging = (0..20).map(|second| (second, counters(if second < 12 { 100 } else { 101 }, 4)));
        let expected = [
            (5, DriveChange::Silent(Nanos::from_secs(5))),
            (12, DriveChange::Again(Nanos::from_secs(12))),
            (17, DriveChange::Silent(Nanos::from_secs(5))),
        ];
        assert_eq!(said(hanging), expected);
    }

    #[test]
    fn a_drive_without_requests_and_one_that_answers_are_not_spoken_of() {
        assert_eq!(said((0..60).map(|second| (second, counters(100, 0)))), []);
        assert_eq!(said((0..60).map(|second| (second, counters(second, 32)))), []);
    }

    #[test]
    fn what_this_thread_did_not_watch_is_not_counted() {
        let readings = [0, 1, 2, 60, 61, 62].map(|second| (second, counters(100, 4)));
        assert_eq!(said(readings), []);
    }

    #[test]
    fn a_log_that_is_full_counts_what_it_leaves_out() {
        let mut log = KernelLog::default();
        for number in 0..LINES_MAX + 2 {
            keep(&mut log, at(number as u64), ("ata1: hard resetting link".to_owned(), Vec::new()));
        }
        assert_eq!((log.lines.len(), log.left_out), (LINES_MAX, 2));
        let sentence = events(&log).expect("resets are errors");
        assert!(sentence.ends_with("meanwhile: reset (1000 lines)."), "{sentence}");
    }
}
