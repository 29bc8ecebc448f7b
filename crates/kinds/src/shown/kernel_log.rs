//! What the kernel logged about the drives while tests ran.

use drivelab_decode::{KernelEvent, event};
use drivelab_documents::{KernelLine, KernelLog, Phase};
use drivelab_view::chart::Landmark;
use drivelab_view::format::seconds;
use drivelab_view::{Block, Cell, Chart, Column, Fold, Quantity, Section, Table};

use crate::{Comparison, ResultKind};

/// Lines of one result that are shown.
const SHOWN_MAX: usize = 200;
/// Marks on a time axis: more would hide what the chart is about.
const MARKS_MAX: usize = 6;

/// Every line with what its codes mean; nothing where the kernel logged nothing.
pub(crate) fn kernel_log<K: ResultKind>(compared: &Comparison<'_, K>) -> Option<Section> {
    let logs = compared.iter().map(|one| &one.run.kernel_log);
    let total: u64 = logs.map(|log| log.lines.len() as u64 + log.left_out).sum();
    if total == 0 {
        return None;
    }
    let columns = vec![Column::new("Line", Quantity::Count), Column::new("Meaning", Quantity::Count)];
    let mut table = Table::new("kernel-log", "The kernel's log of the drive", "At", columns);
    for one in compared.iter() {
        let lines = one.run.kernel_log.lines.iter().take(SHOWN_MAX);
        table.rows.extend(lines.map(|line| {
            let cells = vec![Cell::text(line.text.clone()), Cell::text(line.meaning.join("; "))];
            one.row(moment(&one.run.phases, line), cells)
        }));
    }
    let left_out = total - table.rows.len() as u64;
    if left_out > 0 {
        table.notes.push(format!("{left_out} more lines are not shown."));
    }
    let summary = if total == 1 { "1 line".to_owned() } else { format!("{total} lines") };
    let fold = Fold { summary, blocks: vec![Block::Table(table)] };
    Some(Section::full("The kernel's log of the drive", vec![Block::Fold(fold)]))
}

/// The phase in which a line came, and how long after its start.
fn moment(phases: &[Phase], line: &KernelLine) -> String {
    let begun = phases.iter().rfind(|phase| phase.started_at_ns <= line.at_ns);
    let Some(phase) = begun else { return "before the first phase".to_owned() };
    let since = seconds(since(phase, line));
    match phase.ended_at_ns {
        Some(end) if line.at_ns > end => format!("after {}, {since} from its start", phase.name),
        _ => format!("{}, {since}", phase.name),
    }
}

fn since(phase: &Phase, line: &KernelLine) -> f64 {
    line.at_ns.saturating_sub(phase.started_at_ns) as f64 / 1e9
}

/// What the kernel reported during a phase, as a few marks: their words, and the seconds from the start of the phase.
/// Reports that are close to each other share a mark at the first of them.
pub(crate) fn kernel_marks(log: &KernelLog, phase: &Phase) -> Vec<(String, f64)> {
    let until = phase.ended_at_ns.unwrap_or(u64::MAX);
    let is_within = |line: &&KernelLine| (phase.started_at_ns..=until).contains(&line.at_ns);
    let lines = log.lines.iter().filter(is_within);
    let events: Vec<(f64, KernelEvent)> =
        lines.filter_map(|line| Some((since(phase, line), event(&line.text)?))).collect();
    let mut gap = 1.0;
    loop {
        let groups = grouped(&events, gap);
        if groups.len() <= MARKS_MAX {
            return groups;
        }
        gap *= 2.0;
    }
}

/// The same on a chart of one result, whose only horizontal axis is the time from the start of the phase; none without a phase.
pub(crate) fn add_kernel_marks(chart: &mut Chart, subject: usize, log: &KernelLog, phase: Option<&Phase>) {
    let marks = phase.map(|phase| kernel_marks(log, phase)).unwrap_or_default();
    let landmark = |(label, at)| Landmark { label, subject: Some(subject), at: vec![at] };
    chart.landmarks.extend(marks.into_iter().map(landmark));
}

/// Events that follow each other within `gap` seconds as one mark.
fn grouped(events: &[(f64, KernelEvent)], gap: f64) -> Vec<(String, f64)> {
    let mut groups: Vec<(f64, f64, Vec<KernelEvent>)> = Vec::new();
    for (at, found) in events {
        match groups.last_mut().filter(|(_, last, _)| at - last <= gap) {
            Some((_, last, kinds)) => {
                *last = *at;
                kinds.push(*found);
            }
            None => groups.push((*at, *at, vec![*found])),
        }
    }
    let words = |mut kinds: Vec<KernelEvent>| {
        kinds.sort_unstable();
        kinds.dedup();
        let worst: Vec<&str> = kinds.iter().take(2).map(|kind| kind.words()).collect();
        format!("kernel: {}", worst.join(", "))
    };
    groups.into_iter().map(|(first, _, kinds)| (words(kinds), first)).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_stats::LoopKind;

    use super::*;

    fn line(second: u64, text: &str) -> KernelLine {
        KernelLine { at_ns: second * 1_000_000_000, text: text.to_owned(), meaning: Vec::new() }
    }

    fn phase(name: &str, from: u64, until: u64) -> Phase {
        Phase {
            name: name.to_owned(),
            loop_label: LoopKind::Closed,
            started_at_ns: from * 1_000_000_000,
            ended_at_ns: Some(until * 1_000_000_000),
            unsent: Vec::new(),
            silences: Vec::new(),
            written: None,
            workers: None,
        }
    }

    #[test]
    fn reports_that_follow_each_other_share_a_mark() {
        let reset = |at| (at, KernelEvent::Reset);
        let events = [reset(3.0), (3.5, KernelEvent::Timeout), reset(4.4), reset(60.0)];
        let expected = [("kernel: timeout, reset".to_owned(), 3.0), ("kernel: reset".to_owned(), 60.0)];
        assert_eq!(grouped(&events, 1.0), expected);
    }

    #[test]
    fn marks_are_few_and_of_their_phase_alone() {
        let phases = [phase("fill", 10, 20), phase("random write", 20, 1_020)];
        let reset = |second| line(second, "ata1: hard resetting link");
        let mut lines = vec![reset(5), reset(12)];
        lines.extend((0..100).map(|number| reset(30 + number * 9)));
        lines.push(line(1_000, "ata1.00: configured for UDMA/133"));
        let log = KernelLog { lines, left_out: 0 };
        let marks = kernel_marks(&log, &phases[1]);
        assert!((1..=MARKS_MAX).contains(&marks.len()), "{marks:?}");
        assert_eq!(marks[0], ("kernel: reset".to_owned(), 10.0));
        assert_eq!(kernel_marks(&log, &phases[0]), [("kernel: reset".to_owned(), 2.0)]);
        let moments: Vec<String> = log.lines[..3].iter().map(|line| moment(&phases, line)).collect();
        assert_eq!(moments, ["before the first phase", "fill, 2 s", "random write, 10 s"]);
    }
}
