//! The document `drivelab.trim/1`.

use drivelab_analysis::{CurvePoint, RateRatio, TrimFigures, TrimRound, TrimVerdict, total_rate};
use serde::Serialize;

use super::TrimReport;
use crate::Condition;
use crate::energy::EnergyDocument;
use crate::format::percent;

/// The name and version of the document.
pub const TRIM_SCHEMA: &str = "drivelab.trim/1";

/// What a TRIM validation comes to. `mb_s` are decimal megabytes a second.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrimDocument {
    /// [`TRIM_SCHEMA`].
    pub schema: &'static str,
    /// What was tested.
    pub target: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// Bytes of the target.
    pub size_bytes: u64,
    /// Bytes of a logical block.
    pub logical_block_bytes: u32,
    /// How long random writes went on before each curve but the first.
    pub torture_s: f64,
    /// Rounds that were asked for.
    pub rounds_asked: u16,
    /// `effective`, `ineffective`, `unsupported` or `undecided`.
    pub verdict: &'static str,
    /// Why, in a sentence.
    pub reason: String,
    /// Whether the user ended it.
    pub interrupted: bool,
    /// Rates of a fresh drive against a used one: what use has cost.
    pub lost: Option<RatioDocument>,
    /// Rates of a trimmed drive against a used one: what TRIM has won.
    pub won: Option<RatioDocument>,
    /// Every curve, in the order in which they were taken.
    pub curves: Vec<CurveDocument>,
    /// What trimmed blocks returned.
    pub trimmed_reads: TrimmedReadsDocument,
    /// What is claimed.
    pub claims: ClaimsDocument,
    /// A simulated drive's own account of each round; absent for a real one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub simulation: Vec<TrimAccountDocument>,
    /// Under what it was made.
    pub conditions: Vec<Condition>,
    /// What the reader has to know.
    pub notices: Vec<String>,
    /// What it took by a meter; absent where none was read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub energy: Option<EnergyDocument>,
}

/// A ratio of rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatioDocument {
    /// Rounds.
    pub rounds: u64,
    /// The geometric mean over rounds.
    pub ratio: f64,
    /// The lower end of the 95 % interval; none below two rounds.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

/// A curve of writing rates.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CurveDocument {
    /// The round, from 0.
    pub round: usize,
    /// `fresh`, `used` or `trimmed`.
    pub state: &'static str,
    /// The rate at which all spans together were written.
    pub mean_mb_s: Option<f64>,
    /// The spans.
    pub spans: Vec<TrimSpanDocument>,
}

/// A span of a curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrimSpanDocument {
    /// Its first logical block.
    pub lba: u64,
    /// The rate of writing.
    pub mb_s: f64,
}

/// What blocks returned at two reads after the TRIM, compared with what they held before. Each block counts once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TrimmedReadsDocument {
    /// Blocks.
    pub blocks: u64,
    /// Zeros both times.
    pub zeros: u64,
    /// What they held before, both times.
    pub old: u64,
    /// Something else, the same both times.
    pub other: u64,
    /// Not the same both times.
    pub varying: u64,
}

/// What kernel and drive claim; none where nobody says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ClaimsDocument {
    /// The most bytes that the kernel passes on in one discard.
    pub request_max_bytes: Option<u64>,
    /// Whether a trimmed block returns the same at every read.
    pub deterministic: Option<bool>,
    /// Whether it returns zeros.
    pub zeros: Option<bool>,
}

/// Media writes / host writes of a round, by a simulated drive's own account; none where no flash was written.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TrimAccountDocument {
    /// Of the random writes before the TRIM.
    pub random_writes_amplification: Option<f64>,
    /// Of the curve of the used drive.
    pub used_amplification: Option<f64>,
    /// Of the curve after the TRIM.
    pub trimmed_amplification: Option<f64>,
}

impl TrimDocument {
    /// The document of a validation.
    pub fn of(report: &TrimReport) -> TrimDocument {
        let figures = TrimFigures::of(&report.rounds);
        let verdict = match (&report.unsupported, report.failed) {
            (Some(_), _) => TrimVerdict::Unsupported,
            (None, 0) => figures.verdict,
            (None, _) => TrimVerdict::Undecided,
        };
        TrimDocument {
            schema: TRIM_SCHEMA,
            target: report.target.clone(),
            seed: report.seed,
            size_bytes: report.size_bytes,
            logical_block_bytes: report.logical_block,
            torture_s: report.torture_s,
            rounds_asked: report.rounds_asked,
            verdict: verdict.word(),
            reason: reason(report, &figures, verdict),
            interrupted: report.interrupted,
            lost: figures.lost.map(RatioDocument::of),
            won: figures.won.map(RatioDocument::of),
            curves: curves(report),
            trimmed_reads: report.reads,
            claims: report.claims,
            simulation: report.accounts.clone(),
            conditions: report.conditions.clone(),
            notices: notices(report),
            energy: report.energy.clone(),
        }
    }
}

impl RatioDocument {
    fn of(ratio: RateRatio) -> RatioDocument {
        let RateRatio { rounds, ratio, interval } = ratio;
        RatioDocument {
            rounds,
            ratio,
            low: interval.map(|(low, _)| low),
            high: interval.map(|(_, high)| high),
        }
    }
}

fn curves(report: &TrimReport) -> Vec<CurveDocument> {
    let block = u64::from(report.logical_block.max(1));
    let span = |point: &CurvePoint| TrimSpanDocument {
        lba: point.start.byte_offset() / block,
        mb_s: point.rate() / 1e6,
    };
    let of_round = |(round, curves): (usize, &TrimRound)| {
        let named = [("fresh", &curves.fresh), ("used", &curves.used), ("trimmed", &curves.trimmed)];
        let measured = named.into_iter().filter(|(_, points)| !points.is_empty());
        measured
            .map(|(state, points)| CurveDocument {
                round,
                state,
                mean_mb_s: total_rate(points).map(|rate| rate / 1e6),
                spans: points.iter().map(span).collect(),
            })
            .collect::<Vec<_>>()
    };
    report.rounds.iter().enumerate().flat_map(of_round).collect()
}

/// Why the verdict is what it is.
fn reason(report: &TrimReport, figures: &TrimFigures, verdict: TrimVerdict) -> String {
    let (lost, won) = (told(figures.lost), told(figures.won));
    match verdict {
        TrimVerdict::Unsupported => {
            format!("The drive takes no TRIM ({}).", report.unsupported.as_deref().unwrap_or("it refused it"))
        }
        TrimVerdict::Effective => {
            format!("Trimmed, it writes at {won} of a used drive's rate; fresh, it wrote at {lost}.")
        }
        TrimVerdict::Ineffective => format!(
            "Fresh, it writes at {lost} of a used drive's rate, and trimmed only at {won}: TRIM does not bring half of \
             that back."
        ),
        TrimVerdict::Undecided if report.failed > 0 => {
            format!("{} I/Os failed: these are not the rates of a drive that works.", report.failed)
        }
        TrimVerdict::Undecided if figures.lost.is_none() || figures.won.is_none() => {
            "No round was finished.".to_owned()
        }
        TrimVerdict::Undecided if figures.lost.is_none_or(|lost| lost.interval.is_none()) => {
            "One round has no interval: two at least are needed (--runs).".to_owned()
        }
        TrimVerdict::Undecided if !figures.was_something_lost() => format!(
            "Use has cost no speed beyond doubt (fresh, it writes at {lost} of a used drive's rate), so nothing shows what \
             TRIM does; longer --torture, or more --runs, may decide."
        ),
        TrimVerdict::Undecided => format!(
            "The rounds differ too much: fresh at {lost} of a used drive's rate, trimmed at {won}; more rounds may decide."
        ),
    }
}

fn told(ratio: Option<RateRatio>) -> String {
    let Some(RateRatio { ratio, interval, .. }) = ratio else { return "an unknown share".to_owned() };
    let range = interval.map_or_else(String::new, |(low, high)| {
        format!(" (95 % interval {} to {})", percent(low), percent(high))
    });
    format!("{}{range}", percent(ratio))
}

/// What the run had to say, and where the drive does not do as it claims.
fn notices(report: &TrimReport) -> Vec<String> {
    let mut found = report.notices.clone();
    let reads = &report.reads;
    if report.claims.zeros == Some(true) && reads.zeros < reads.blocks {
        found.push(format!(
            "The drive claims that trimmed blocks read as zeros; {} of {} did not.",
            reads.blocks - reads.zeros,
            reads.blocks
        ));
    }
    if report.claims.deterministic == Some(true) && reads.varying > 0 {
        found.push(format!(
            "The drive claims that trimmed blocks always read alike; {} of {} did not.",
            reads.varying, reads.blocks
        ));
    }
    if report.claims.request_max_bytes == Some(0) && report.unsupported.is_none() {
        found.push("The kernel says that it passes no discards on to this drive.".to_owned());
    }
    found
}
