//! What is shown of validations of TRIM.

use drivelab_stats::SpeedRatio;
use drivelab_view::chart::{Axis, Colours, Scale, Series, Shape, Size};
use drivelab_view::format::{capitalised, count, percent, things};
use drivelab_view::{
    About, Better, Block, Chart, Columns, Detail, Fold, Quantity, Section, Table, Tone, Value, Verdict, View,
};

use super::findings::ratio_value;
use super::{DriveState, Trim, TrimConclusion, TrimDoubt, TrimFindings};
use crate::shown::ComparedFigures;
use crate::{ComparedResult, Comparison, MeanOverRuns, shown};

/// Rounds whose curves are not folded away.
const ROUNDS_SHOWN: usize = 3;

pub(super) fn view(compared: &Comparison<'_, Trim>) -> View {
    let mut sections = vec![Section::summary(None, shown::verdicts(compared, verdict))];
    if compared.iter().any(|one| one.findings.rounds() > 0) {
        sections.push(figures(compared));
        // Of several drives the means of rounds are enough for a summary.
        let detail = if compared.len() == 1 { Detail::Summary } else { Detail::Full };
        sections.push(Section { detail, ..Section::full("Rounds", rounds(compared)) });
        sections.push(Section::full("Rate of writing over the drive", curves(compared)));
    }
    shown::view(compared, sections)
}

fn figures(compared: &Comparison<'_, Trim>) -> Section {
    let mut figures = ComparedFigures::new("figures", compared);
    let mut add = |group, name, quantity, better, of: &dyn Fn(&TrimFindings) -> Option<Value>| {
        figures.add((group, name), quantity, better, |one| of(&one.findings));
    };
    let rates = "Rate of writing, mean over rounds";
    let speed = Quantity::BytesPerSecond;
    // A single round has no interval by which a better one could be told from a lucky one.
    let has_intervals = compared.iter().all(|one| one.findings.rounds() > 1);
    let better = if has_intervals { Better::High } else { Better::Neither };
    add(rates, "fresh", speed, better, &|found| mean_rate(found, DriveState::Fresh));
    add(rates, "used", speed, better, &|found| mean_rate(found, DriveState::Used));
    add(rates, "trimmed", speed, better, &|found| mean_rate(found, DriveState::Trimmed));
    let ratios = "Rate divided by that of the used drive";
    let factor = Quantity::Factor;
    add(ratios, "fresh", factor, Better::Neither, &|found| found.fresh_to_used.map(ratio_value));
    add(ratios, "trimmed", factor, Better::Neither, &|found| found.trimmed_to_used.map(ratio_value));
    let reads = "Trimmed blocks, read twice";
    let blocks = |found: &TrimFindings, blocks: u64| {
        (found.trimmed_reads.blocks > 0).then(|| Value::new(Quantity::Count, blocks as f64))
    };
    let count = Quantity::Count;
    add(reads, "blocks", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.blocks));
    add(reads, "zeros", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.zeros));
    add(reads, "previous data", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.old));
    add(reads, "other data", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.other));
    add(reads, "varying", count, Better::Neither, &|found| blocks(found, found.trimmed_reads.varying));
    figures.section("Figures")
}

/// The mean over rounds of the rates of a state, with its 95 % interval.
fn mean_rate(found: &TrimFindings, state: DriveState) -> Option<Value> {
    let rates: Vec<f64> =
        (0..found.rounds()).filter_map(|round| found.rate(round, state)).map(|mb_s| mb_s * 1e6).collect();
    (!rates.is_empty()).then(|| MeanOverRuns::from_values(&rates).value(Quantity::BytesPerSecond, 1.0))
}

/// A round of a result, by its number from 0.
type RoundOfResult<'a> = (&'a TrimFindings, usize);

/// The rates of every round, and write amplification where there is a simulated drive.
fn rounds(compared: &Comparison<'_, Trim>) -> Vec<Block> {
    let rate = |(found, round): &RoundOfResult<'_>, state| found.rate(*round, state).map(|rate| rate * 1e6);
    let speed = Quantity::BytesPerSecond;
    let columns = Columns::<RoundOfResult<'_>>::new()
        .with("Fresh", speed, |round| rate(round, DriveState::Fresh))
        .with("Used", speed, |round| rate(round, DriveState::Used))
        .with("Trimmed", speed, |round| rate(round, DriveState::Trimmed));
    let mut rates = by_round(compared, &columns, "rounds", "Rate of writing");
    let note = "Used and trimmed: after random writes. Each rate is that of all spans together.";
    rates.notes.push(note.to_owned());
    let mut blocks = vec![Block::Table(rates)];
    if compared.iter().any(|one| !one.findings.simulation.is_empty()) {
        let of =
            |(found, round): &RoundOfResult<'_>| found.simulation.get(*round).copied().unwrap_or_default();
        let columns = Columns::<RoundOfResult<'_>>::new()
            .with("Random writes", Quantity::Factor, |round| of(round).random_writes_amplification)
            .with("Curve, used", Quantity::Factor, |round| of(round).used_amplification)
            .with("Curve, trimmed", Quantity::Factor, |round| of(round).trimmed_amplification);
        let mut table = by_round(compared, &columns, "amplification", "Write amplification");
        let note = "Flash writes divided by host writes, in bytes, by the simulated drive's own account.";
        table.notes.push(note.to_owned());
        blocks.push(Block::Table(table));
    }
    blocks
}

/// A table with a row for each round of each result.
fn by_round<'a>(
    compared: &'a Comparison<'_, Trim>,
    columns: &Columns<'_, RoundOfResult<'a>>,
    id: &str,
    caption: &str,
) -> Table {
    let mut table = columns.table(id, caption, "Round");
    for one in compared.iter() {
        let cells = |round| columns.cells(&(&one.findings, round));
        let rounds = 0..one.findings.rounds();
        table.rows.extend(rounds.map(|round| one.row((round + 1).to_string(), cells(round))));
    }
    table
}

/// A chart for each round; those of later rounds are folded away.
fn curves(compared: &Comparison<'_, Trim>) -> Vec<Block> {
    let rounds = compared.iter().map(|one| one.findings.rounds()).max().unwrap_or(0);
    let mut charts: Vec<Block> = (0..rounds).map(|round| Block::Chart(curve(compared, round))).collect();
    let folded = charts.split_off(rounds.min(ROUNDS_SHOWN));
    if !folded.is_empty() {
        let summary = format!("Rounds {} to {rounds}", ROUNDS_SHOWN + 1);
        charts.push(Block::Fold(Fold { summary, blocks: folded }));
    }
    charts
}

/// A line for each state of each result in a round.
fn curve(compared: &Comparison<'_, Trim>, round: usize) -> Chart {
    let across = Axis::new("Position on the drive", Quantity::Bytes, Scale::Linear);
    // One axis for all rounds, so that their charts can be compared.
    let spans = compared.iter().flat_map(|one| one.findings.curves.iter().flat_map(|curve| &curve.spans));
    let most = spans.map(|span| span.mb_s * 1e6).fold(0.0, f64::max);
    let up = Axis::new("Rate of writing", Quantity::BytesPerSecond, Scale::Linear).over(0.0, most);
    let (id, title) = (format!("curves-round-{}", round + 1), format!("Round {}", round + 1));
    let mut chart = Chart::new(&id, &title, vec![across], up);
    chart.about = format!("Lines: the rate of sequential writes at each span in round {}.", round + 1);
    chart.size = Size::Small;
    chart.colours = Colours::OfNames;
    for one in compared.iter() {
        let block = f64::from(one.findings.logical_block_bytes);
        let own = one.findings.curves.iter().filter(|curve| curve.round == round);
        chart.series.extend(own.map(|curve| {
            let points = curve.spans.iter().map(|span| (span.lba as f64 * block, span.mb_s * 1e6));
            Series::of_points(capitalised(curve.state.word()), one.place, Shape::DottedLine, points)
        }));
    }
    chart.notes.push("Each point is one span; the spans are 2 % of the range at most.".to_owned());
    chart
}

/// An interval that is wider than this factor says only how little is known: its ends are left out.
const WIDE: f64 = 100.0;

/// The answer, with what takes from it left out.
pub(super) fn verdict(one: &ComparedResult<'_, Trim>) -> Verdict {
    let found = &one.findings;
    let (tone, mark, about) = match found.verdict {
        TrimConclusion::Effective => (Tone::Good, "Effective", About::Figures),
        TrimConclusion::Ineffective => (Tone::Bad, "Ineffective", About::Figures),
        TrimConclusion::Ignored => (Tone::Bad, "Ignored", About::Findings),
        TrimConclusion::Dropped => (Tone::Undecided, "Carried out, rate not shown", About::Findings),
        TrimConclusion::Unsupported => (Tone::Neutral, "Unsupported", About::Findings),
        TrimConclusion::Undecided => (Tone::Undecided, "Undecided", About::Findings),
    };
    let mut verdict = Verdict::on(one.place, tone, mark, answer(found)).about(about);
    // The answer says that all of them returned what they held before.
    let is_said = found.verdict == TrimConclusion::Ignored && claim(found).is_empty();
    verdict.details.extend(returned(found).filter(|_| !is_said));
    verdict
}

fn answer(found: &TrimFindings) -> String {
    let (fresh, trimmed) = (shown(found.fresh_to_used), shown(found.trimmed_to_used));
    match found.verdict {
        TrimConclusion::Effective => format!(
            "TRIM makes a used drive fast again: trimmed, it writes at {trimmed} of the rate of the used drive; fresh, it \
             wrote at {fresh}."
        ),
        TrimConclusion::Ineffective => format!(
            "TRIM brings back less than half of what use costs: fresh, the drive writes at {fresh} of the rate of the used \
             drive, and trimmed only at {trimmed}."
        ),
        TrimConclusion::Ignored => format!(
            "The drive ignores TRIM: all {} trimmed blocks that were read still return what they held before.",
            count(found.trimmed_reads.blocks as f64)
        ),
        TrimConclusion::Dropped => format!(
            "The drive carries out TRIM: none of the {} trimmed blocks that were read returns what it held before. {}",
            count(found.trimmed_reads.blocks as f64),
            doubt(found, &fresh, &trimmed)
        ),
        TrimConclusion::Unsupported => {
            let why = found.unsupported_because.as_deref().unwrap_or("it refused it");
            format!("The drive takes no TRIM: {why}.")
        }
        TrimConclusion::Undecided => doubt(found, &fresh, &trimmed),
    }
}

/// Why it is not shown what TRIM does for the rate.
fn doubt(found: &TrimFindings, fresh: &str, trimmed: &str) -> String {
    let why = match found.undecided_because.unwrap_or(TrimDoubt::NoRound) {
        TrimDoubt::FailedIos => {
            let failed = things(found.failed_ios, "I/O");
            format!("{failed} failed, so these are not the rates of a drive that works.")
        }
        TrimDoubt::NoRound => "no round was finished.".to_owned(),
        TrimDoubt::OneRound => "one round has no interval; two at least are needed (--runs 2).".to_owned(),
        TrimDoubt::NothingLost => format!(
            "use is not shown to cost 5 % of the speed or more (fresh, the drive writes at {fresh} of the rate of the used \
             drive), so there is nothing that TRIM can be seen to win back. More rounds (--runs), or longer random writes \
             (--precondition random:TIME), may show it."
        ),
        TrimDoubt::RoundsDiffer => format!(
            "the rounds differ too much: fresh, the drive writes at {fresh} of the rate of the used drive, and trimmed at \
             {trimmed}. More rounds (--runs) may show more."
        ),
    };
    let what = if found.verdict == TrimConclusion::Undecided {
        "what TRIM does"
    } else {
        "whether TRIM makes the drive faster"
    };
    format!("It is not shown {what}: {why}")
}

fn shown(ratio: Option<SpeedRatio>) -> String {
    let Some(SpeedRatio { ratio, low, high, rounds }) = ratio else { return "an unknown share".to_owned() };
    let interval = low.zip(high).map_or_else(String::new, |(low, high)| match high / low {
        factor if factor > WIDE => {
            format!(" (the 95 % interval over {rounds} rounds is wider than a factor of {WIDE:.0})")
        }
        _ => format!(" (95 % interval {} to {})", percent(low), percent(high)),
    });
    format!("{}{interval}", percent(ratio))
}

/// What trimmed blocks returned, and what the drive claims of that; none where none was read.
fn returned(found: &TrimFindings) -> Option<String> {
    let reads = &found.trimmed_reads;
    let parts = [
        (reads.zeros, "zeros"),
        (reads.old, "what they held before"),
        (reads.other, "other data, the same both times"),
        (reads.varying, "data that differed between the two reads"),
    ];
    let parts: Vec<(u64, &str)> = parts.into_iter().filter(|(blocks, _)| *blocks > 0).collect();
    let all = count(reads.blocks as f64);
    let returned = match parts.as_slice() {
        [] => return None,
        [(_, what)] => format!("All {all} trimmed blocks that were read returned {what}."),
        several => {
            let each =
                several.iter().map(|(blocks, what)| format!("{} returned {what}", count(*blocks as f64)));
            format!("Of {all} trimmed blocks, {}.", each.collect::<Vec<_>>().join(", "))
        }
    };
    Some(returned + claim(found))
}

fn claim(found: &TrimFindings) -> &'static str {
    match (found.claims.deterministic, found.claims.zeros) {
        (_, Some(true)) => " The drive claims to return zeros.",
        (Some(true), _) => " The drive claims to return the same data at every read.",
        (Some(false), _) => {
            " The drive claims nothing of what trimmed blocks return: one that carries TRIM out may return what they held for \
             a while."
        }
        _ => "",
    }
}

/// Where the drive, or the kernel, does not do as it claims.
pub(super) fn broken_claims(found: &TrimFindings) -> Vec<String> {
    let (claims, reads) = (&found.claims, &found.trimmed_reads);
    let mut sentences = Vec::new();
    let mut add = |count: u64, claim: &str| {
        sentences.push(format!(
            "The drive claims that trimmed blocks {claim}; {count} of {} did not.",
            reads.blocks
        ));
    };
    if claims.zeros == Some(true) && reads.zeros < reads.blocks {
        add(reads.blocks - reads.zeros, "read as zeros");
    }
    if claims.deterministic == Some(true) && reads.varying > 0 {
        add(reads.varying, "return the same data at every read");
    }
    if claims.request_max_bytes == Some(0) && found.unsupported_because.is_none() {
        sentences.push("The kernel reports that it passes no discards on to this drive.".to_owned());
    }
    sentences
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DiscardClaims;
    use crate::trim::TrimmedReads;

    #[test]
    fn old_data_is_no_evidence_against_a_drive_that_promises_nothing() {
        let trimmed_reads = TrimmedReads { blocks: 768, zeros: 0, old: 768, other: 0, varying: 0 };
        let verdict = |deterministic| {
            let claims = DiscardClaims { deterministic, ..DiscardClaims::default() };
            let mut found = TrimFindings { trimmed_reads, claims, ..TrimFindings::default() };
            found.conclude(&[]);
            found.verdict
        };
        assert_eq!(verdict(None), TrimConclusion::Ignored);
        assert_eq!(verdict(Some(true)), TrimConclusion::Ignored);
        assert_eq!(verdict(Some(false)), TrimConclusion::Undecided);
    }

    #[test]
    fn a_drive_that_does_not_return_what_it_claims_is_named() {
        let trimmed_reads = TrimmedReads { blocks: 768, zeros: 700, old: 60, other: 0, varying: 8 };
        let claims =
            DiscardClaims { request_max_bytes: Some(1 << 30), deterministic: Some(true), zeros: Some(true) };
        let found = TrimFindings { trimmed_reads, claims, ..TrimFindings::default() };
        let sentences = broken_claims(&found);
        assert!(sentences[0].contains("zeros; 68 of 768"), "{sentences:?}");
        assert!(sentences[1].contains("every read; 8 of 768"), "{sentences:?}");
        let shown = returned(&found).expect("blocks were read");
        assert!(shown.starts_with("Of 768 trimmed blocks, 700 returned zeros, 60 returned what"), "{shown}");
        let kept = TrimFindings {
            trimmed_reads: TrimmedReads { blocks: 768, zeros: 768, ..TrimmedReads::default() },
            ..found
        };
        assert_eq!(broken_claims(&kept), Vec::<String>::new());
    }
}
