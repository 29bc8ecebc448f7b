//! What is shown of a recording that is planned.

use drivelab_view::format::{block_size, bytes, count, digits, long_time, nanos, percent, rate};
use drivelab_view::{Block, Cell, Column, Quantity, Section, Subject, Table, Tone, Value, Verdict, View};

use super::{RecorderAnswer, RecorderPlan, WITH_MARGIN};

/// The share of recordings that may meet a delay that the run did not show, for a plain yes: a run of seven recordings has it.
const MISSED: f64 = 0.05;

/// Whether the drive can record it, why, and the command to type.
pub fn view(plan: &RecorderPlan) -> View {
    let request = &plan.request;
    let what = format!(
        "{} of {} MB/s for {}",
        if request.channels == 1 {
            "one channel".to_owned()
        } else {
            format!("{} channels", count(f64::from(request.channels)))
        },
        rate(request.channel_bytes_s / 1e6),
        long_time(request.duration_ns as f64 / 1e9)
    );
    let mut blocks = vec![Block::Verdict(verdict(plan, &what)), Block::Table(figures(plan))];
    let commands =
        [("To record it, type", plan.record_command()), ("To find out, type", plan.measure_command())];
    blocks.extend(
        commands
            .into_iter()
            .filter_map(|(words, command)| Some(Block::Text(format!("{words}: {}", command?)))),
    );
    blocks.extend(plan.sources().map(Block::Text));
    if plan.answer == RecorderAnswer::Yes && plan.is_simulated {
        let text = "A simulated drive keeps no data. For a real drive, run `drivelab stalls` on it: `drivelab stream plan` \
                    with that result shows the command to record.";
        blocks.push(Block::Text(text.to_owned()));
    }
    View {
        title: format!("Recording {what} on {}", plan.target),
        kind: "plan of a recording".to_owned(),
        name: "stream-plan",
        subjects: vec![Subject::new(plan.target.clone(), bytes(plan.size_bytes as f64))],
        sections: vec![Section::summary(None, blocks)],
    }
}

fn verdict(plan: &RecorderPlan, what: &str) -> Verdict {
    let mut verdict = answer(plan, what);
    verdict.details.extend(unseen(plan));
    let is_partly_written = plan.measured_bytes.is_some_and(|seen| seen < plan.size_bytes);
    if plan.answer == RecorderAnswer::Yes && is_partly_written {
        let text =
            "The run did not write the whole drive: one that was written before, or is full, may take less.";
        verdict.details.push(text.to_owned());
    }
    verdict
}

/// Which delays the run may not have seen, and how often the recording may meet them.
fn unseen(plan: &RecorderPlan) -> Option<String> {
    let (bytes_between, lasted) = plan.may_have_missed_bytes.zip(plan.measured_ns)?;
    // The rule of three, as for bytes.
    let time_between = lasted / 3;
    let often = if plan.answer == RecorderAnswer::Yes {
        let missed = missed_share(plan.lengths_seen()?);
        format!(" At most {} of recordings like this meet one, however often it comes.", percent(missed))
    } else {
        format!(
            " The recording writes that {} times, and lasts {} times as long.",
            digits(plan.needed_bytes as f64 / bytes_between.max(1) as f64),
            digits(plan.request.duration_ns as f64 / time_between.max(1) as f64)
        )
    };
    Some(format!(
        "A delay that comes less often than every {}, or less often than every {}, may not have been seen (95 % \
         confidence).{often}",
        bytes(bytes_between as f64),
        nanos(time_between as f64)
    ))
}

/// The greatest share of recordings that meet a delay of which a run of so many lengths of the recording shows none: of delays
/// that come x times a recording on average, `exp(-n x) (1 - exp(-x))`, which is greatest for `exp(-x) = n / (n + 1)`.
fn missed_share(lengths: f64) -> f64 {
    (lengths / (lengths + 1.0)).powf(lengths) / (lengths + 1.0)
}

fn answer(plan: &RecorderPlan, what: &str) -> Verdict {
    let reasons = plan.reasons.join("; ");
    match plan.answer {
        RecorderAnswer::Yes => yes(plan, what),
        RecorderAnswer::No => {
            Verdict::on(0, Tone::Bad, "No", format!("The drive cannot record {what}: {reasons}."))
        }
        RecorderAnswer::NotShown => {
            let sentence = format!("Whether the drive can record {what} is not shown: {reasons}.");
            // A run that met no delay shows nothing of how long one is.
            let sentence = match plan.ring_bytes.filter(|_| plan.longest_delay_ns.is_some()) {
                Some(ring) => format!(
                    "{sentence} By what the run shows, a buffer of {}{} would be large enough.",
                    block_size(ring as f64),
                    each(plan)
                ),
                None => sentence,
            };
            Verdict::on(0, Tone::Undecided, "Not shown", sentence)
        }
    }
}

fn yes(plan: &RecorderPlan, what: &str) -> Verdict {
    let (ring, each) = (block_size(plan.ring_bytes.unwrap_or(0) as f64), each(plan));
    let delays = match plan.longest_delay_ns {
        Some(longest) => format!("holds a delay of {}", nanos(longest as f64)),
        None => "is large enough, as the run had no delay".to_owned(),
    };
    let stays = plan.kept_ns.map_or_else(String::new, |_| {
        let share = percent(plan.size_bytes as f64 / plan.needed_bytes as f64);
        format!(", of which only the newest {} stay ({share})", plan.kept_for())
    });
    let sentence = format!(
        "The drive can record {what}{stays}: {}, and a buffer of {ring}{each} {delays}.",
        taken(plan)
    );
    if plan.has_small_margin == Some(true) {
        let more = match plan.ring_bytes_for_a_tenth_more {
            Some(more) => format!("it would need {}{each}", block_size(more as f64)),
            None => {
                format!(
                    "it would need more than {}",
                    bytes(plan.left_at_end(plan.total_bytes_s * WITH_MARGIN))
                )
            }
        };
        let sentence = format!("{sentence} At 10 % more {more}.");
        return Verdict::on(0, Tone::Undecided, "Yes, with a small margin", sentence);
    }
    if plan.kept_ns.is_some() {
        return Verdict::on(0, Tone::Undecided, "Yes, and only the newest part stays", sentence);
    }
    if plan.lengths_seen().is_none_or(|lengths| missed_share(lengths) > MISSED) {
        return Verdict::on(0, Tone::Undecided, "Yes, by what the run shows", sentence);
    }
    Verdict::on(0, Tone::Good, "Yes", sentence)
}

/// What follows the size of a buffer of which each channel has one.
fn each(plan: &RecorderPlan) -> &'static str {
    if plan.request.channels == 1 { "" } else { " for each" }
}

/// How much the drive takes for long, by the run. One on a schedule shows its rate, and nothing of what is above that.
fn taken(plan: &RecorderPlan) -> String {
    let takes = plan.sustained_bytes_s.unwrap_or(0.0);
    if plan.measured_at_a_rate {
        let (wrote, bring) = (rate(takes / 1e6), rate(plan.total_bytes_s / 1e6));
        return format!("the run wrote at {wrote} MB/s, and the channels bring {bring} MB/s");
    }
    format!("it takes {} times that rate", digits(takes / plan.total_bytes_s))
}

fn figures(plan: &RecorderPlan) -> Table {
    let mut table =
        Table::new("recording", "The recording", "", vec![Column::new("Value", Quantity::Number)]);
    let size = |number: u64| Cell::Value(Value::new(Quantity::Bytes, number as f64));
    let words = |text: String| Cell::Text(text);
    let time = |number: u64| Cell::Text(long_time(number as f64 / 1e9));
    let mut row = |head: &str, cell: Option<Cell>| {
        if let Some(cell) = cell {
            table.row(head, vec![cell]);
        }
    };
    let share = plan.needed_bytes as f64 / plan.size_bytes.max(1) as f64;
    row("written in all", Some(size(plan.needed_bytes)));
    row("share of the drive", Some(words(percent(share))));
    row(
        "rate of all channels, with the headers of blocks",
        Some(words(format!("{} MB/s", rate(plan.total_bytes_s / 1e6)))),
    );
    row(
        "rate that the drive takes, by the run",
        plan.sustained_bytes_s.map(|takes| words(format!("{} MB/s", rate(takes / 1e6)))),
    );
    row("largest backlog of all channels", plan.backlog_bytes.map(size));
    let memory = |number: u64| Cell::Value(Value::new(Quantity::BlockSize, number as f64));
    row("buffer of each channel", plan.ring_bytes.map(memory));
    row("buffer of each channel at 10 % more", plan.ring_bytes_for_a_tenth_more.map(memory));
    let all = plan.ring_bytes.map(|ring| ring * u64::from(plan.request.channels));
    row("buffers of all channels", all.map(memory));
    row("delays of the run", plan.delays.map(|delays| words(count(delays as f64))));
    row(
        "longest delay that the buffers hold",
        plan.longest_delay_ns.map(|longest| words(nanos(longest as f64))),
    );
    row("longest write of the run", plan.longest_write_ns.map(|longest| words(nanos(longest as f64))));
    row("written by the run", plan.measured_bytes.map(size));
    row("time of the run", plan.measured_ns.map(time));
    if plan.answer == RecorderAnswer::NotShown {
        row("a run that shows it writes", Some(size(plan.needed_run_bytes)));
        row("a run that shows it lasts", Some(time(plan.needed_run_ns)));
    }
    table
}
