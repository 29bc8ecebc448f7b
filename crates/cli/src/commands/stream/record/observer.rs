//! What a recording tells while it goes on: the frames that are kept, and a line of progress.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

use drivelab_block::{ByteCount, Nanos};
use drivelab_runner::{Failure, ProgressLine};
use drivelab_stream::plan::Plan;
use drivelab_view::format;

/// A file of lines `CHANNEL SEQUENCE`: all frames of the channel up to this one, apart from those dropped, are kept.
///
/// A thread of its own writes them: whoever reads them slowly does not hold the drive up. A line that was not written when
/// the channel got further is left out, since the later one says the same and more.
pub struct KeptLines {
    news: Arc<News>,
    writer: JoinHandle<io::Result<()>>,
    path: PathBuf,
}

/// What is known and not yet written.
#[derive(Default)]
struct News {
    /// The last frame of each channel, where it is news, and whether these are the last ones.
    state: Mutex<(BTreeMap<usize, u64>, bool)>,
    changed: Condvar,
    has_failed: AtomicBool,
}

impl KeptLines {
    pub fn open(path: &Path, plan: &Plan) -> Result<KeptLines, Failure> {
        let names: Vec<String> = plan.channels.iter().map(|channel| channel.name.clone()).collect();
        let file: Box<dyn Write + Send> = if path == Path::new("-") {
            Box::new(io::stdout())
        } else {
            Box::new(File::create(path).map_err(|error| Failure::not_written(path, &error))?)
        };
        let news = Arc::new(News::default());
        let heard = Arc::clone(&news);
        let thread = std::thread::Builder::new().name("kept-lines".to_owned());
        let writer = thread.spawn(move || {
            let written = heard.write_all(file, &names);
            heard.has_failed.store(written.is_err(), Ordering::Relaxed);
            written
        });
        let writer =
            writer.map_err(|error| Failure::no_thread("the kept lines cannot be written", &error))?;
        Ok(KeptLines { news, writer, path: path.to_owned() })
    }

    pub fn put(&self, channel: usize, sequence: u64) {
        self.news.tell(|(known, _)| {
            known.insert(channel, sequence);
        });
    }

    /// Whether a line could not be written: the recording ends then, since nobody would know what it keeps.
    pub fn has_failed(&self) -> bool {
        self.news.has_failed.load(Ordering::Relaxed)
    }

    /// Waits until all lines are written; why one could not be.
    pub fn failure(self) -> Option<Failure> {
        self.news.tell(|(_, is_over)| *is_over = true);
        match self.writer.join() {
            Ok(written) => written.err().map(|error| Failure::not_written(&self.path, &error)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    }
}

impl News {
    fn tell(&self, tell: impl FnOnce(&mut (BTreeMap<usize, u64>, bool))) {
        tell(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_one();
    }

    /// Writes lines until there are no more.
    fn write_all(&self, mut file: impl Write, names: &[String]) -> io::Result<()> {
        loop {
            let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = self.changed.wait_while(state, |(known, is_over)| known.is_empty() && !*is_over);
            let mut state = waited.unwrap_or_else(PoisonError::into_inner);
            let known = std::mem::take(&mut state.0);
            drop(state);
            if known.is_empty() {
                return Ok(());
            }
            for (channel, sequence) in known {
                let Some(name) = names.get(channel) else { continue };
                // One write for a line: whoever reads them after a kill finds no half one.
                file.write_all(format!("{name} {sequence}\n").as_bytes())?;
                file.flush()?;
            }
        }
    }
}

pub struct RecordingLine {
    line: ProgressLine,
    began: Instant,
    /// When the line was shown last, and the bytes that were kept then.
    shown_at: Instant,
    shown_bytes: u64,
    /// When it ends, where that is known.
    duration: Option<Nanos>,
    bytes: Option<ByteCount>,
}

impl RecordingLine {
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(plan: &Plan) -> RecordingLine {
        let line = ProgressLine::new("recording", None, "{elapsed:>5}  {msg}", None);
        let began = Instant::now();
        RecordingLine {
            line,
            began,
            shown_at: began,
            shown_bytes: 0,
            duration: plan.duration,
            bytes: plan.bytes,
        }
    }

    /// The share of the recording that is done, from 0 to 1, by the bytes or the time that were asked for; none where neither
    /// was.
    pub fn done(&self, kept_bytes: u64) -> Option<f64> {
        let of_bytes = self.bytes.map(|bytes| kept_bytes as f64 / bytes.get() as f64);
        let of_time = self.duration.map(|time| self.began.elapsed().as_secs_f64() / time.as_secs_f64());
        // The first of both ends the recording.
        of_bytes.into_iter().chain(of_time).reduce(f64::max).map(|done| done.min(1.0))
    }

    /// Shows what is kept, and how fast that grew since the last time.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn show(&mut self, kept_bytes: u64) {
        if !self.line.is_due() {
            return;
        }
        let now = Instant::now();
        let grown = kept_bytes.saturating_sub(self.shown_bytes);
        let rate = grown as f64 / 1e6 / (now - self.shown_at).as_secs_f64();
        let goal = match (self.bytes, self.duration) {
            (Some(bytes), _) => format!(" of {bytes}"),
            (None, Some(duration)) => format!(", ends after {duration}"),
            (None, None) => String::new(),
        };
        self.line.show(0, format!("{} kept{goal}, {} MB/s", ByteCount::new(kept_bytes), format::rate(rate)));
        self.line.bar.tick();
        (self.shown_at, self.shown_bytes) = (now, kept_bytes);
    }

    pub fn clear(&self) {
        self.line.clear();
    }
}
