//! Whether a recording can be proved.

use drivelab_documents::{ClockTime, Notice};
use drivelab_view::format::{by_number, bytes, count, things};
use drivelab_view::{Block, Columns, Fold, Quantity, Section, Subject, Table, Tone, Verdict, View};

use super::{CheckFindings, ProvedChannel, RecoveryFindings, StreamRecording};

/// More lines than this are folded away.
const LINES_MAX: usize = 20;

/// The view of a recording that was checked.
pub fn view(found: &CheckFindings) -> View {
    let StreamRecording { target, run, mode, block_bytes, log_blocks, started_unix_ns } = &found.recording;
    let about = format!(
        "recording {run}, {}, {} blocks of {}",
        mode.word(),
        count(*log_blocks as f64),
        Quantity::BlockSize.text(f64::from(*block_bytes))
    );
    // A recording keeps its date in UTC.
    let began = ClockTime::in_utc(*started_unix_ns);
    let origin = began.map(|began| format!("Recorded from {}", began.in_words())).into_iter().collect();
    let mut sections = vec![Section::summary(None, vec![Block::Verdict(verdict(found))])];
    let wrong = if found.recovery.closed {
        "Not whole at an end of the log"
    } else {
        "Under way or being overwritten"
    };
    sections.extend(lines("Wrong", &found.problems));
    sections.extend(lines(wrong, &found.unfinished));
    sections.push(Section::summary(Some("Channels"), vec![Block::Table(channels(found))]));
    View {
        title: format!("Check of the recording on {target}"),
        kind: "check of a recording".to_owned(),
        name: "stream-check",
        subjects: vec![Subject { origin, ..Subject::new(target.clone(), about) }],
        sections,
    }
}

fn verdict(found: &CheckFindings) -> Verdict {
    let blocks =
        format!("{} {} proved", things(found.blocks, "block"), by_number(found.blocks, "was", "were"));
    let is_whole = !found.recovery.superblock_lost && found.recovery.cut_at_byte.is_none();
    let (tone, mark, sentence) = match found.problems.len() {
        0 if is_whole => (Tone::Good, "Proved", format!("{blocks}, and nothing is wrong.")),
        0 => (Tone::Bad, "Damaged", format!("{blocks}, and nothing is wrong in them; see the notices.")),
        1 => (Tone::Bad, "Damaged", format!("{blocks}; one thing is wrong.")),
        problems => {
            let problems = count(problems as f64);
            (Tone::Bad, "Damaged", format!("{blocks}; {problems} things are wrong."))
        }
    };
    let mut verdict = Verdict::on(0, tone, mark, sentence);
    verdict.notices = notices(&found.recovery);
    verdict
}

/// How the recording was found, where that is not as it should be.
fn notices(recovery: &RecoveryFindings) -> Vec<Notice> {
    let mut notices = Vec::new();
    if !recovery.closed {
        let number = recovery.blocks_read;
        let read = format!("{} {} read", things(number, "block"), by_number(number, "was", "were"));
        notices.push(Notice::note(format!(
            "It is not closed: it still goes on, a write failed, or it was killed; {read} to find its end. Compare its last \
             frames with those that were reported as kept (--kept)."
        )));
    }
    if let Some(byte) = recovery.cut_at_byte {
        notices.push(Notice::failure(format!(
            "The image ends at byte {} ({}), before the log does: it was cut, and what lay behind is gone.",
            count(byte as f64),
            bytes(byte as f64)
        )));
    }
    if recovery.superblock_lost {
        notices.push(Notice::failure("One of the two superblocks is unusable; the other is not."));
    }
    if recovery.index_lost {
        notices.push(Notice::warning("The last index is missing: the whole log was read."));
    }
    notices
}

fn lines(heading: &str, all: &[String]) -> Option<Section> {
    if all.is_empty() {
        return None;
    }
    let (shown, more) = all.split_at(all.len().min(LINES_MAX));
    let text = |line: &String| Block::Text(format!("{line}."));
    let mut blocks: Vec<Block> = shown.iter().map(text).collect();
    if !more.is_empty() {
        let summary = format!("{} more", count(more.len() as f64));
        blocks.push(Block::Text(format!("And {summary}, which --json names.")));
        blocks.push(Block::Fold(Fold { summary, blocks: more.iter().map(text).collect() }));
    }
    Some(Section::summary(Some(heading), blocks))
}

fn channels(found: &CheckFindings) -> Table {
    let columns = Columns::<ProvedChannel>::new()
        .with("Frames proved", Quantity::Count, |channel| channel.frames)
        .with("Bytes", Quantity::Bytes, |channel| channel.bytes);
    columns.filled(("channels", "", "Channel"), &found.channels, |channel| &channel.name)
}
