//! What a validation of TRIM comes to, in sentences.

use drivelab_view::format::{count, percent, things};
use drivelab_view::{About, Tone, Verdict};

use super::{SpeedRatio, Trim, TrimConclusion, TrimDoubt, TrimFindings};
use crate::ComparedResult;

/// An interval that is wider than this factor says only how little is known: its ends are left out.
const WIDE: f64 = 100.0;

/// The answer, with what takes from it left out.
pub(super) fn verdict(one: &ComparedResult<'_, Trim>) -> Verdict {
    let found = &one.findings;
    let (tone, mark) = match found.verdict {
        TrimConclusion::Effective => (Tone::Good, "Effective"),
        TrimConclusion::Ineffective => (Tone::Bad, "Ineffective"),
        TrimConclusion::Ignored => (Tone::Bad, "Ignored"),
        TrimConclusion::Dropped => (Tone::Undecided, "Carried out, rate not shown"),
        TrimConclusion::Unsupported => (Tone::Neutral, "Unsupported"),
        TrimConclusion::Undecided => (Tone::Undecided, "Undecided"),
    };
    let about = match found.verdict {
        TrimConclusion::Effective | TrimConclusion::Ineffective => About::Figures,
        TrimConclusion::Ignored
        | TrimConclusion::Dropped
        | TrimConclusion::Unsupported
        | TrimConclusion::Undecided => About::Findings,
    };
    let mut verdict = Verdict::on(one.place, tone, mark, answer(found)).about(about);
    verdict.details.extend(returned(found).filter(|_| !says_what_was_read(found)));
    verdict
}

/// Whether the answer says all of what trimmed blocks returned.
fn says_what_was_read(found: &TrimFindings) -> bool {
    found.verdict == TrimConclusion::Ignored && claim(found).is_empty()
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
    let what = match parts.as_slice() {
        [] => return None,
        [(_, what)] => (*what).to_owned(),
        several => {
            let each =
                several.iter().map(|(blocks, what)| format!("{} returned {what}", count(*blocks as f64)));
            let each = each.collect::<Vec<_>>().join(", ");
            return Some(format!(
                "Of {} trimmed blocks, {each}.{}",
                count(reads.blocks as f64),
                claim(found)
            ));
        }
    };
    Some(format!(
        "All {} trimmed blocks that were read returned {what}.{}",
        count(reads.blocks as f64),
        claim(found)
    ))
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
