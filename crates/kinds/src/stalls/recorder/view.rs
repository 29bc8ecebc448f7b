//! What is shown of a recording that is planned.

use drivelab_view::format::{block_size, bytes, count, digits, long_time, nanos, percent, rate};
use drivelab_view::{Block, Cell, Column, Quantity, Section, Subject, Table, Tone, Value, Verdict, View};

use super::{RecorderAnswer, RecorderPlan, RecorderRequest, WITH_MARGIN};

/// The share of recordings that may meet a delay that the run did not show, for a plain yes: a run of seven recordings has it.
const MISSED: f64 = 0.05;

/// Whether each drive can record it, why, and the command to type. All plans are of one request, and there is one at least.
pub fn view(plans: &[RecorderPlan]) -> View {
    let what = plans.first().map_or_else(String::new, |plan| described(&plan.request));
    let subjects = subjects(plans);
    let mut blocks: Vec<Block> =
        plans.iter().enumerate().map(|(index, plan)| Block::Verdict(verdict(plan, index, &what))).collect();
    blocks.push(Block::Table(figures(plans, &subjects)));
    for (plan, subject) in plans.iter().zip(&subjects) {
        let on = if plans.len() > 1 { format!(" on {}", subject.label) } else { String::new() };
        let commands = [
            (format!("To record it{on}, type"), plan.record_command()),
            (format!("To find out{on}, type"), plan.measure_command()),
        ];
        for (words, command) in commands {
            blocks.extend(command.map(|command| Block::Text(format!("{words}: {command}"))));
        }
        blocks.extend(plan.sources().map(Block::Text));
    }
    if plans.iter().any(|plan| plan.answer == RecorderAnswer::Yes && plan.is_simulated) {
        let text = "A simulated drive keeps no data. For a real drive, run `drivelab stalls` on it: `drivelab stream plan` \
                    with that result shows the command to record.";
        blocks.push(Block::Text(text.to_owned()));
    }
    let on = match plans {
        [plan] => plan.target.clone(),
        several => format!("{} drives", several.len()),
    };
    View {
        title: format!("Recording {what} on {on}"),
        kind: "plan of a recording".to_owned(),
        name: "stream-plan",
        subjects,
        sections: vec![Section::summary(None, blocks)],
    }
}

/// What is to be recorded, in words.
fn described(request: &RecorderRequest) -> String {
    format!(
        "{} of {} MB/s for {}",
        if request.channels == 1 {
            "one channel".to_owned()
        } else {
            format!("{} channels", count(f64::from(request.channels)))
        },
        rate(request.channel_bytes_s / 1e6),
        long_time(request.duration_ns as f64 / 1e9)
    )
}

/// The drives. Several results of one drive are numbered.
fn subjects(plans: &[RecorderPlan]) -> Vec<Subject> {
    let mut subjects = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        let is_same = |other: &&RecorderPlan| other.target == plan.target;
        let label = if plans.iter().filter(is_same).count() > 1 {
            format!("{} ({})", plan.target, plans[..=index].iter().filter(is_same).count())
        } else {
            plan.target.clone()
        };
        subjects.push(Subject::new(label, bytes(plan.size_bytes as f64)));
    }
    subjects
}

fn verdict(plan: &RecorderPlan, subject: usize, what: &str) -> Verdict {
    let mut verdict = Verdict { subject: Some(subject), ..answer(plan, what) };
    if plan.answer != RecorderAnswer::Yes && plan.kept_ns.is_some() {
        let share = percent(plan.size_bytes as f64 / plan.needed_bytes as f64);
        verdict
            .details
            .push(format!("Only the newest {} of it stay on the drive ({share}).", plan.kept_for()));
    }
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

fn figures(plans: &[RecorderPlan], subjects: &[Subject]) -> Table {
    let columns = match subjects {
        [_] => vec![Column::new("Value", Quantity::Number)],
        several => several.iter().map(|subject| Column::new(&subject.label, Quantity::Number)).collect(),
    };
    let mut table = Table::new("recording", "The recording", "", columns);
    for (name, of) in FIGURES {
        let cells: Vec<Option<Cell>> = plans.iter().map(of).collect();
        if cells.iter().any(Option::is_some) {
            table.row(name, cells.into_iter().map(Option::unwrap_or_default).collect());
        }
    }
    table
}

/// A figure of a plan; none where nothing was measured, or it does not apply.
type PlanFigure = fn(&RecorderPlan) -> Option<Cell>;

/// The figures of a plan, as the table shows them.
const FIGURES: [(&str, PlanFigure); 15] = [
    ("written in all", |plan| Some(size(plan.needed_bytes))),
    ("share of the drive", |plan| {
        Some(Cell::Text(percent(plan.needed_bytes as f64 / plan.size_bytes.max(1) as f64)))
    }),
    ("rate of all channels, with the headers of blocks", |plan| Some(mb_s(plan.total_bytes_s))),
    ("rate that the drive takes, by the run", |plan| plan.sustained_bytes_s.map(mb_s)),
    ("largest backlog of all channels", |plan| plan.backlog_bytes.map(size)),
    ("buffer of each channel", |plan| plan.ring_bytes.map(memory)),
    ("buffer of each channel at 10 % more", |plan| plan.ring_bytes_for_a_tenth_more.map(memory)),
    ("buffers of all channels", |plan| {
        plan.ring_bytes.map(|ring| memory(ring * u64::from(plan.request.channels)))
    }),
    ("delays of the run", |plan| plan.delays.map(|delays| Cell::Text(count(delays as f64)))),
    ("longest delay that the buffers hold", |plan| plan.longest_delay_ns.map(short_time)),
    ("longest write of the run", |plan| plan.longest_write_ns.map(short_time)),
    ("written by the run", |plan| plan.measured_bytes.map(size)),
    ("time of the run", |plan| plan.measured_ns.map(time)),
    ("a run that shows it writes", |plan| {
        (plan.answer == RecorderAnswer::NotShown).then(|| size(plan.needed_run_bytes))
    }),
    ("a run that shows it lasts", |plan| {
        (plan.answer == RecorderAnswer::NotShown).then(|| time(plan.needed_run_ns))
    }),
];

fn size(bytes: u64) -> Cell {
    Cell::Value(Value::new(Quantity::Bytes, bytes as f64))
}

/// The size of a buffer, in binary units.
fn memory(bytes: u64) -> Cell {
    Cell::Value(Value::new(Quantity::BlockSize, bytes as f64))
}

fn mb_s(bytes_s: f64) -> Cell {
    Cell::Text(format!("{} MB/s", rate(bytes_s / 1e6)))
}

fn short_time(ns: u64) -> Cell {
    Cell::Text(nanos(ns as f64))
}

fn time(ns: u64) -> Cell {
    Cell::Text(long_time(ns as f64 / 1e9))
}
