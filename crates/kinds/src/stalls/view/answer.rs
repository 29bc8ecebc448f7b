//! Can this drive record such a stream?

use drivelab_stats::KeepsUp;
use drivelab_view::format::{bytes, digits, percent, rate};
use drivelab_view::{About, Tone, Verdict};

use super::words;
use crate::read_back::{VerificationFindings, verification_in_words};
use crate::stalls::{BufferNeed, Stalls, StreamFindings};
use crate::stood_still::too_much;
use crate::{ComparedResult, Ended, StoredResult};

/// The buffer by which a drive is judged where no stream was asked for, in bytes.
const BUFFER: u64 = 256 << 20;

/// What is to be known where the range was not written once.
const REST: &str = " Whether it goes on like this over the rest is not known.";

/// The answer for one result.
pub(super) fn verdict(kept: &ComparedResult<'_, Stalls>) -> Verdict {
    let (about, (tone, mark, sentence)) = match &kept.findings.stream {
        None => (About::Findings, unknown(kept)),
        Some(stream) if stream.all_writes_ns.is_none() => (About::Nothing, nothing_written(stream)),
        Some(stream) => (About::Findings, judged(kept, stream)),
    };
    let mut verdict = Verdict::on(kept.place, tone, mark, sentence).about(about);
    verdict.details.extend(not_ended(kept));
    if let Some(stream) = &kept.findings.stream {
        verdict.details.extend(words::details(kept, stream));
        let asked = fastest_asked(stream);
        let others = stream.buffers.iter().filter(|need| need.asked && Some(*need) != asked);
        verdict.details.extend(others.map(|need| words::need(kept, stream, need)));
    }
    // What was read after a crash has a verdict of its own.
    let read_back = kept.findings.verification.as_ref().filter(|found| found.later.is_none());
    verdict.details.extend(read_back.map(|found| verification_in_words(Some(found))));
    verdict
}

type StreamAnswer = (Tone, &'static str, String);

fn unknown(kept: &StoredResult<Stalls>) -> StreamAnswer {
    let sentence = match &kept.findings.withheld {
        Some(why) => format!("{why}."),
        None => "The run ended before its first write.".to_owned(),
    };
    (Tone::Undecided, "Not shown", sentence)
}

fn nothing_written(stream: &StreamFindings) -> StreamAnswer {
    if stream.failed_writes > 0 {
        return (Tone::Bad, "No", "Nothing was written: every write failed.".to_owned());
    }
    let sentence = "Nothing was written: the end came before that of a write.";
    (Tone::Undecided, "Not shown", sentence.to_owned())
}

fn judged(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> StreamAnswer {
    if let Some(why) = too_much(&kept.run) {
        return (Tone::Undecided, "Not shown", format!("{why}."));
    }
    let faulty = kept.findings.verification.as_ref().map_or(0, VerificationFindings::faulty);
    let written = words::coverage(kept, stream);
    if faulty > 0 {
        return (Tone::Bad, "No", format!("{written} Not all of it is given back as it was written."));
    }
    if stream.failed_writes > 0 {
        return (Tone::Bad, "No", written);
    }
    match fastest_asked(stream) {
        Some(need) => of_stream(kept, stream, need),
        None => of_any_stream(kept, stream),
    }
}

/// The fastest stream that was asked for.
fn fastest_asked(stream: &StreamFindings) -> Option<&BufferNeed> {
    stream.buffers.iter().rev().find(|need| need.asked)
}

/// The answer for a stream that was asked for.
fn of_stream(kept: &StoredResult<Stalls>, stream: &StreamFindings, need: &BufferNeed) -> StreamAnswer {
    let curve = stream.buffer_curve.of_blocks(kept.settings.block_bytes);
    let is_paced = kept.settings.rate_bytes_s.is_some();
    // On a schedule the drive rests between its writes: what it would take without those rests is not known.
    let seen = kept.settings.rate_bytes_s.map_or(f64::INFINITY, |asked| asked / 1e6);
    let sustained = curve.sustained_rate().unwrap_or(0.0) / 1e6;
    let takes = if need.sustained { sustained.min(seen) } else { sustained };
    let asked = format!("a stream of {} MB/s", rate(need.stream_mb_s));
    let written = words::coverage(kept, stream);
    let margin = takes / need.stream_mb_s;
    let keeps_up = stream.keeps_up(kept.settings.block_bytes, need.stream_mb_s * 1e6);
    if keeps_up == KeepsUp::No {
        let short = percent(1.0 - margin);
        let sentence = format!(
            "{written} The drive takes {} MB/s, {short} less than {asked} brings: no buffer is large enough for long, as the \
             backlog grows by {} each second.",
            rate(takes),
            bytes((need.stream_mb_s - takes) * 1e6)
        );
        return (Tone::Bad, "No", sentence);
    }
    if keeps_up == KeepsUp::NotShown {
        let sentence = format!("{written} {}", words::not_shown(stream, takes, &asked));
        return (Tone::Undecided, "Not shown", sentence);
    }
    let buffer = bytes(need.largest_backlog_bytes as f64);
    if !need.reached {
        let sentence = format!(
            "{written} The run wrote {} MB/s, less than {asked} brings: what the drive does without the rest between writes is \
             not known. The stream needs a buffer of at least {buffer}.",
            rate(stream.mb_s.unwrap_or(0.0))
        );
        return (Tone::Undecided, "Not shown", sentence);
    }
    let verb = if is_paced { "took the" } else { "takes" };
    let takes = format!("The drive {verb} {} MB/s, {} times what", rate(takes), digits(margin));
    let sentence = format!("{written} {takes} {asked} brings, which needs a buffer of {buffer}.");
    if words::is_covered(kept, stream) {
        (Tone::Good, "Yes", sentence)
    } else {
        (Tone::Undecided, "Not shown", sentence + REST)
    }
}

/// What the drive can record, where no stream was asked for.
fn of_any_stream(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> StreamAnswer {
    let own = stream.mb_s.unwrap_or(0.0);
    let fastest = stream.buffer_curve.of_blocks(kept.settings.block_bytes).fastest_stream(BUFFER);
    let written = words::coverage(kept, stream);
    let sentence = match fastest.map(|fastest| (fastest / 1e6).min(own)) {
        Some(fastest) => format!(
            "{written} With a buffer of 256 MiB the drive can record streams of up to {} MB/s, by the delays of this run; it \
             writes {} MB/s on average.",
            rate(fastest),
            rate(own)
        ),
        None => format!("{written} The drive writes {} MB/s on average.", rate(own)),
    };
    let rest = if words::is_covered(kept, stream) { "" } else { REST };
    (Tone::Neutral, "Measured", sentence + rest)
}

/// What is to be known of a run that was killed.
fn not_ended(kept: &StoredResult<Stalls>) -> Option<String> {
    let was_read = kept.findings.verification.is_some();
    (kept.ended() == Ended::Killed).then(|| {
        let mut text = "The run did not end by itself: it was killed, or is still under way.".to_owned();
        if !kept.run.drive.simulated && !was_read {
            text += " What it acknowledged can be verified: drivelab stalls TARGET --verify-after-crash DIR.";
        }
        text
    })
}
