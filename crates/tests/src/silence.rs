//! What is said of a drive that answered nothing for a while, or not at all any more: first of all.

use drivelab_block::{Instant, Nanos};
use drivelab_record::{Manifest, Notice, Phase, Severity, SilenceDocument};
use drivelab_view::format::{count, seconds};
use drivelab_view::{Block, Tone, Verdict, View};

use crate::{Kept, ResultKind};

/// What is shown of these results, of which there is at least one. Where a drive hung, the answer of each kind begins with that:
/// a figure that follows is one of the time in which it answered.
pub fn view_of<K: ResultKind>(results: &[Kept<K>]) -> View {
    let mut view = K::view(results);
    for (subject, kept) in results.iter().enumerate() {
        if let Some(headline) = Headline::of(&kept.run) {
            headline.put(&mut view, subject, results.len());
        }
    }
    view
}

/// What a result begins with.
struct Headline {
    mark: &'static str,
    sentence: String,
}

impl Headline {
    fn of(run: &Manifest) -> Option<Headline> {
        if let Some(sentence) = unanswered(run) {
            return Some(Headline { mark: "No answer", sentence });
        }
        let measured = run.phases.iter().filter(|phase| run.measured.contains(&phase.name));
        let longest = measured.filter_map(|phase| Some((phase, longest(phase)?)));
        let (phase, silence) = longest.max_by_key(|(_, silence)| silence.watched_ns)?;
        let lasted = seconds(Nanos::new(silence.watched_ns).as_secs_f64());
        let second = second(run, phase, silence.from_ns);
        let sentence = format!("The drive answered no I/O for {lasted} from {second} on.");
        Some(Headline { mark: "Hung", sentence })
    }

    /// Puts this before the sentence of a result's own verdict, which goes on behind it.
    fn put(self, view: &mut View, subject: usize, subjects: usize) {
        let Some(first) = view.sections.first_mut() else { return };
        let is_own = |verdict: &Verdict| verdict.subject == Some(subject) || subjects == 1;
        let own = first.blocks.iter_mut().find_map(|block| match block {
            Block::Verdict(verdict) if is_own(verdict) => Some(verdict),
            _ => None,
        });
        match own {
            Some(verdict) => {
                let sentence = std::mem::replace(&mut verdict.sentence, self.sentence);
                verdict.details.insert(0, sentence);
                // What is said above is not said again.
                verdict.notices.retain(|notice| notice.text != verdict.sentence);
                verdict.mark = self.mark.to_owned();
                verdict.tone = Tone::Bad;
            }
            None => {
                let verdict = Verdict::on(subject, Tone::Bad, self.mark, self.sentence);
                first.blocks.insert(0, Block::Verdict(verdict));
            }
        }
    }
}

/// What is to be known of a run whose drive hung: that it did, or that it did not answer any more. Nothing of another run.
pub fn silence_notice(run: &Manifest) -> Option<Notice> {
    if let Some(text) = unanswered(run) {
        return Some(Notice { severity: Severity::Failure, text });
    }
    let mut silences: Vec<SilenceDocument> =
        run.phases.iter().flat_map(|phase| phase.silences.clone()).collect();
    silences.sort_by_key(|silence| silence.from_ns);
    let longest = silences.iter().map(|silence| silence.watched_ns).max()?;
    let (mut times, mut reached) = (0_u64, 0);
    for silence in &silences {
        // The workers of one drive are silent together.
        times += u64::from(silence.from_ns >= reached);
        reached = reached.max(silence.until_ns.unwrap_or(u64::MAX));
    }
    let times = if times == 1 { "once".to_owned() } else { format!("{} times", count(times as f64)) };
    let longest = seconds(Nanos::new(longest).as_secs_f64());
    Some(Notice {
        severity: Severity::Warning,
        text: format!("The drive answered no I/O for 5 s or longer {times}, at most for {longest}."),
    })
}

/// That a drive did not answer until the end, in a sentence; none where it did.
fn unanswered(run: &Manifest) -> Option<String> {
    let (phase, unanswered) = run.phases.iter().find_map(|phase| Some((phase, phase.unanswered?)))?;
    let waited =
        Instant::from_nanos(unanswered.given_up_at_ns).since(Instant::from_nanos(unanswered.since_ns));
    let waited = seconds(waited.as_secs_f64());
    let second = second(run, phase, unanswered.since_ns);
    let given_up = match unanswered.count {
        1 => format!("1 I/O was given up after {waited}, and counts with at least that"),
        many => format!(
            "{} I/Os were given up after {waited}, and count with what they had waited",
            count(many as f64)
        ),
    };
    Some(format!("No answer since {second}: {given_up}."))
}

/// A moment, as words: the second of the run, or of its phase where it has several.
fn second(run: &Manifest, phase: &Phase, at_ns: u64) -> String {
    let second = (at_ns.saturating_sub(phase.started_at_ns) as f64 / 1e9).round();
    match run.phases.len() {
        1 => format!("second {second}"),
        _ => format!("second {second} of the phase \"{}\"", phase.name),
    }
}

fn longest(phase: &Phase) -> Option<SilenceDocument> {
    phase.silences.iter().copied().max_by_key(|silence| silence.watched_ns)
}
