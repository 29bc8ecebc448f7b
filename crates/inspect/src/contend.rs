//! Which mechanism keeps a recorder's bandwidth while another program uses the same drive.

use drivelab_view::Quantity::{BytesPerSecond, Count, Nanoseconds};
use drivelab_view::format::{count, digits, nanos, rate};
use drivelab_view::{Better, Block, Cell, Columns, Section, Subject, Table, Tone, Value, Verdict, View};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found of each mechanism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContendFindings {
    /// What was recorded to.
    pub target: String,
    /// Where the competitor's file lies.
    pub beside: String,
    /// The drive that both share, by its kernel name.
    pub drive: String,
    /// The rate of the recorder's stream.
    pub stream_mb_s: f64,
    /// Each mechanism; the first two are the recorder alone, and the competitor without any mechanism.
    pub mechanisms: Vec<MechanismFindings>,
    /// The name of the mechanism that helps most; none where none was shown to help.
    pub recommended: Option<String>,
    /// How many times shorter its longest write is than without any mechanism.
    pub stall_factor: Option<f64>,
    /// Whether there were runs enough that chance alone would recommend a mechanism in less than 5 %.
    pub has_enough_runs: bool,
}

/// One way to share a drive, and its runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MechanismFindings {
    /// Its name.
    pub name: String,
    /// Whether a competitor was at work.
    pub contended: bool,
    /// The scheduler, where it is another than the drive's own.
    pub scheduler: Option<String>,
    /// Whether the recorder's requests are of the real-time class.
    pub priority: bool,
    /// How the competitor is held back, where it is.
    pub competitor_held_by: Option<CompetitorHold>,
    /// The median of the longest writes of its runs.
    pub longest_write_ns: u64,
    /// The median of the frames that were dropped.
    pub dropped: u64,
    /// Its runs.
    pub runs: Vec<ContendRun>,
}

/// How a competitor is held back, by a control group of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CompetitorHold {
    /// By its weight.
    Weight,
    /// To a quarter of the rate that it reached without.
    Rate,
}

/// One run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContendRun {
    /// The longest write of the recorder.
    pub longest_write_ns: u64,
    /// Frames that found no room in the ring.
    pub dropped: u64,
    /// What the recorder kept, in MB/s.
    pub mb_s: f64,
    /// What the competitor moved, in MB/s.
    pub competitor_mb_s: Option<f64>,
    /// Why that is null; null where it is not.
    pub competitor_mb_s_null_because: Option<NoRateReason>,
}

/// Why a rate is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoRateReason {
    /// Nothing competed in this run.
    NoCompetitor,
    /// The competitor lacks records of its I/Os, so that its figures are withheld.
    FiguresWithheld,
}

/// The view of what was found.
pub fn view(found: &ContendFindings) -> View {
    let title = format!("Sharing {} between a recorder and another program", found.drive);
    let about = format!(
        "a stream of {} MB/s to {}, the competitor's file in {}",
        rate(found.stream_mb_s),
        found.target,
        found.beside
    );
    let head = vec![Block::Verdict(verdict(found))];
    View {
        title,
        kind: "contention".to_owned(),
        name: "contend",
        subjects: vec![Subject::new(found.drive.clone(), about)],
        sections: vec![
            Section::summary(None, head),
            Section::summary(Some("Mechanisms"), vec![Block::Table(table(found))]),
        ],
    }
}

fn verdict(found: &ContendFindings) -> Verdict {
    let best =
        found.recommended.as_ref().and_then(|name| found.mechanisms.iter().find(|one| one.name == *name));
    match best.zip(found.stall_factor) {
        Some((one, factor)) => {
            let text = format!(
                "{} helps on this machine: the longest write is {} times shorter ({}), with {} frames dropped.",
                one.name,
                digits(factor),
                nanos(one.longest_write_ns as f64),
                count(one.dropped as f64)
            );
            Verdict::on(0, Tone::Good, "Helps", text)
        }
        None if found.has_enough_runs => {
            let text = "No mechanism helps here: none was better in each of its runs.";
            Verdict::on(0, Tone::Neutral, "None helps", text)
        }
        None => {
            let text = "Too few runs to recommend any: chance alone could. Use --runs 5 or more.";
            Verdict::on(0, Tone::Undecided, "Not shown", text)
        }
    }
}

fn table(found: &ContendFindings) -> Table {
    let is_best = |one: &MechanismFindings| found.recommended.as_ref() == Some(&one.name);
    let longest = |one: &MechanismFindings| match Value::new(Nanoseconds, one.longest_write_ns as f64) {
        longest if is_best(one) => Cell::Best(longest),
        longest => longest.into(),
    };
    let columns = Columns::<MechanismFindings>::new()
        .with("Longest write", Nanoseconds, longest)
        .judged(Better::Low)
        .with("Dropped frames", Count, |one| one.dropped)
        .judged(Better::Low)
        .with("Recorded", BytesPerSecond, |one| mean_rate(one.runs.iter().map(|run| run.mb_s)))
        .with("Competitor", BytesPerSecond, |one| {
            mean_rate(one.runs.iter().filter_map(|run| run.competitor_mb_s))
        });
    columns
        .filled(("mechanisms", "", "Mechanism"), &found.mechanisms, |one| &one.name)
        .with_note("Longest write and dropped frames are medians of the runs, rates are means.")
}

/// The mean of rates in MB/s, in bytes a second.
fn mean_rate(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count) * 1e6)
}
