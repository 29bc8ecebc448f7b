//! Can this drive record such a stream?

use drivelab_stats::KeepsUp;
use drivelab_view::format::{block_size, bytes, count, digits, nanos, percent, rate, seconds, things};
use drivelab_view::{About, Tone, Verdict};

use crate::read_back::{VerificationFindings, verification_in_words};
use crate::stalls::{BufferNeed, Stalls, StreamFindings};
use crate::stood_still::too_much;
use crate::whole::whole_part;
use crate::{ComparedResult, Ended, StoredResult, machine_limit};

/// The buffer by which a drive is judged where no stream was asked for, in bytes.
const BUFFER: u64 = 256 << 20;

/// What is to be known where the range was not written once.
const REST: &str = " Whether it goes on like this over the rest is not known.";

pub(super) fn verdict(kept: &ComparedResult<'_, Stalls>) -> Verdict {
    let (about, (tone, mark, sentence)) = match &kept.findings.stream {
        None => (About::Findings, unknown(kept)),
        Some(stream) if stream.all_writes_ns.is_none() => (About::Nothing, nothing_written(stream)),
        Some(stream) => (About::Findings, judged(kept, stream)),
    };
    let mut verdict = Verdict::on(kept.place, tone, mark, sentence).about(about);
    verdict.details.extend(not_ended(kept));
    if let Some(stream) = &kept.findings.stream {
        verdict.details.push(how(kept, stream));
        verdict.details.extend(rest(kept, stream));
        verdict.details.extend(delays(kept, stream));
        let asked = fastest_asked(stream);
        let others = stream.buffers.iter().filter(|need| need.asked && Some(*need) != asked);
        verdict.details.extend(others.map(|need| need_in_words(kept, stream, need)));
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
    let written = coverage(kept, stream);
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
    let written = coverage(kept, stream);
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
        let sentence = format!("{written} {}", not_shown(stream, takes, &asked));
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
    if is_covered(kept, stream) {
        (Tone::Good, "Yes", sentence)
    } else {
        (Tone::Undecided, "Not shown", sentence + REST)
    }
}

/// What the drive can record, where no stream was asked for.
fn of_any_stream(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> StreamAnswer {
    let own = stream.mb_s.unwrap_or(0.0);
    let fastest = stream.buffer_curve.of_blocks(kept.settings.block_bytes).fastest_stream(BUFFER);
    let written = coverage(kept, stream);
    let sentence = match fastest.map(|fastest| (fastest / 1e6).min(own)) {
        Some(fastest) => format!(
            "{written} With a buffer of 256 MiB the drive can record streams of up to {} MB/s, by the delays of this run; it \
             writes {} MB/s on average.",
            rate(fastest),
            rate(own)
        ),
        None => format!("{written} The drive writes {} MB/s on average.", rate(own)),
    };
    let rest = if is_covered(kept, stream) { "" } else { REST };
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

/// Below this share of the time with a write in flight the drive's rest is named.
const BUSY: f64 = 0.9;

/// How much of the drive was written.
fn coverage(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> String {
    let written = bytes(stream.written_bytes as f64);
    let drive = kept.run.drive.size_bytes;
    let range = kept.settings.range_bytes(drive);
    let verb = format!("{written} were written in {}", seconds(stream.duration_s));
    if stream.failed_writes > 0 {
        // How much was written does not say how much of the drive: it may be the same part several times.
        let block = block_size(kept.settings.block_bytes as f64);
        return format!(
            "{verb}; {} of {block} did not succeed.",
            things(stream.failed_writes, "other write")
        );
    }
    if stream.written_bytes < range {
        let share = stream.written_bytes as f64 / drive.max(1) as f64;
        return format!("{verb}, {} of the drive.", percent(share));
    }
    let times = digits(stream.written_bytes as f64 / range.max(1) as f64);
    match kept.settings.part_of(drive) {
        None => format!("{verb}, {times} times the drive."),
        Some(share) => {
            let share = percent(share);
            format!("{verb}, {times} times the range that was tested, which is {share} of the drive.")
        }
    }
}

/// Whether the whole range was written at least once, but for less than a block.
fn is_covered(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> bool {
    stream.written_bytes + kept.settings.block_bytes > kept.settings.range_bytes(kept.run.drive.size_bytes)
}

fn how(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> String {
    let pace = match kept.settings.rate_bytes_s {
        Some(asked) => format!("on a schedule of {} MB/s", rate(asked / 1e6)),
        None => "as fast as the drive goes (closed loop)".to_owned(),
    };
    let speed =
        stream.mb_s.map(|speed| format!(": {} MB/s over {}", rate(speed), seconds(stream.duration_s)));
    format!(
        "Blocks of {}, {} in flight, {pace}{}.",
        block_size(kept.settings.block_bytes as f64),
        kept.settings.queue_depth,
        speed.unwrap_or_default()
    )
}

/// What is to be known where the drive rested between writes that were to come one right after the other.
fn rest(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> Option<String> {
    let is_paced = kept.settings.rate_bytes_s.is_some();
    let busy = stream.busy_share.filter(|busy| !is_paced && *busy < BUSY)?;
    Some(format!(
        "A write was in flight in {} of the time: in the rest blocks were prepared or read back, and the drive rested. It may \
         take more than this, and longer delays may not have been seen.",
        percent(busy)
    ))
}

/// Delays that lie in less than this share of what was written are said to.
const MOST: f64 = 0.8;

fn delays(kept: &StoredResult<Stalls>, stream: &StreamFindings) -> Option<String> {
    let all = stream.all_writes_ns.as_ref()?;
    let missed = bytes(stream.may_have_missed_bytes as f64);
    let least = if stream.is_bound() { "at least " } else { "" };
    let usual = stream.write_ns.as_ref().map_or(0.0, |times| times.mean);
    let phase = kept.run.phases.iter().find(|phase| kept.run.measured.contains(&phase.name));
    let doubt = machine_limit::doubt_of_longest(phase, all.max, whole_part(usual));
    let Some(found) = &stream.delay_ns else {
        return Some(format!(
            "No write is a delay: the longest of {} took {least}{}{doubt}. A delay that comes less often than every {missed} may \
             not have been seen (95 % confidence).",
            count(all.count as f64),
            nanos(all.max as f64)
        ));
    };
    let between = stream.bytes_between.as_ref();
    let capacity = kept.run.drive.size_bytes.max(1) as f64;
    let between = between.map(|between| {
        // The mean speaks of the part of the run from the first delay to the last.
        let part = between.mean * between.count as f64;
        let written = stream.written_bytes as f64;
        let within = if part < MOST * written {
            format!(", all of them within {} of the {} that were written", bytes(part), bytes(written))
        } else {
            String::new()
        };
        format!(
            ", one every {} ({} times the drive){within}",
            bytes(between.mean),
            digits(between.mean / capacity)
        )
    });
    Some(format!(
        "{} of {least}{} on average{}{doubt}, among writes of {}. Others that come less often than every {missed} may not have \
         been seen (95 % confidence).",
        things(found.count, "delay"),
        nanos(found.mean),
        between.unwrap_or_default(),
        nanos(usual)
    ))
}

/// The buffer that a stream needs.
fn need_in_words(kept: &StoredResult<Stalls>, found: &StreamFindings, need: &BufferNeed) -> String {
    let stream = format!("A stream of {} MB/s", rate(need.stream_mb_s));
    let backlog = bytes(need.largest_backlog_bytes as f64);
    match found.keeps_up(kept.settings.block_bytes, need.stream_mb_s * 1e6) {
        KeepsUp::No => {
            format!("{stream} is more than the drive takes: no buffer is large enough for long.")
        }
        KeepsUp::NotShown => {
            let curve = found.buffer_curve.of_blocks(kept.settings.block_bytes);
            not_shown(found, curve.sustained_rate().unwrap_or(0.0) / 1e6, &stream.replacen('A', "a", 1))
        }
        KeepsUp::Yes if !need.reached => {
            format!("{stream} was not reached by this run: it needs a buffer of at least {backlog}.")
        }
        KeepsUp::Yes => format!("{stream} needs a buffer of {backlog}."),
    }
}

/// Why it is not shown whether the drive, which took so many MB/s in the run, keeps up with this stream.
fn not_shown(found: &StreamFindings, took: f64, stream: &str) -> String {
    let (took, delays) = (rate(took), found.seen_delays().count);
    if delays == 0 {
        return format!(
            "The drive took {took} MB/s, about what {stream} brings: the run is too short to say which is more."
        );
    }
    format!(
        "With its {} the drive took {took} MB/s, and {stream} brings more or nearly as much: the run is too short to show \
         how often such delays come, and so whether the drive keeps up.",
        things(delays, "delay")
    )
}
