//! What the results of a review give of each of its targets, and which of several drives is the better one, for what.

use drivelab_documents::LapsesDocument;
use drivelab_documents::review::{ReviewRecord, ReviewedTarget, ShippedPlan};
use drivelab_view::format::{count, each_once};
use drivelab_view::{Better, FigureUse, KeyFigure};

/// What the results give of one target.
#[derive(Clone, Debug, Default)]
pub struct ReviewedDrive {
    /// What the user calls it; none where no name was given, or its results have several.
    pub called: Option<String>,
    /// Its key figures, in the order of the steps.
    pub figures: Vec<KeyFigure>,
    /// The answer of each of its results, in the order of the steps, after the kind of result in words.
    pub answers: Vec<(String, String)>,
    /// What the drive did not do as it was asked, in the order of the steps.
    pub lapses: Vec<ReviewedLapses>,
}

/// What a drive did not do as it was asked in a test.
#[derive(Clone, Debug)]
pub struct ReviewedLapses {
    /// The kind of the test in words.
    pub kind: String,
    /// What it did not do.
    pub found: LapsesDocument,
}

impl ReviewedDrive {
    /// Its name, which is else the target.
    pub fn name<'a>(&'a self, target: &'a ReviewedTarget) -> &'a str {
        self.called.as_deref().unwrap_or(&target.target)
    }

    /// The worst that the drive did not do: blocks that are not as they were written, before I/Os that failed, before times
    /// without an answer; of equals the first.
    pub fn worst(&self) -> Option<&ReviewedLapses> {
        let rank = |one: &&ReviewedLapses| match &one.found {
            LapsesDocument { not_as_written: Some(_), .. } => 0,
            LapsesDocument { failed, silence: Some(_), .. } if failed.is_empty() => 2,
            _ => 1,
        };
        self.lapses.iter().min_by_key(rank)
    }
}

/// How the drives of a review compare in a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparedFigure {
    /// The drive at this place has a better value than every other.
    Best(usize),
    /// Several have the best value.
    Equal,
    /// Not every drive has the figure as one that can be compared.
    Not,
}

/// Which drive has the best value of the figure of this name.
pub fn best_of(name: &str, drives: &[ReviewedDrive]) -> ComparedFigure {
    let named = |drive: &'_ ReviewedDrive| drive.figures.iter().find(|one| one.name == name).cloned();
    let all: Vec<KeyFigure> = drives.iter().filter_map(named).collect();
    let Some(better) = all.first().map(|figure| figure.better) else { return ComparedFigure::Not };
    let is_judged = better != Better::Neither && all.iter().all(|one| one.better == better);
    if !is_judged || all.len() != drives.len() || all.len() < 2 {
        return ComparedFigure::Not;
    }
    let numbers = all.iter().map(|figure| figure.value.number);
    let best = match better {
        Better::Low => numbers.clone().fold(f64::INFINITY, f64::min),
        Better::High | Better::Neither => numbers.clone().fold(f64::NEG_INFINITY, f64::max),
    };
    let mut places =
        numbers.enumerate().filter(|(_, number)| number.total_cmp(&best).is_eq()).map(|(place, _)| place);
    match (places.next(), places.next()) {
        (Some(place), None) => ComparedFigure::Best(place),
        (Some(_), Some(_)) => ComparedFigure::Equal,
        (None, _) => ComparedFigure::Not,
    }
}

/// A sentence for each use of a drive, which says which drive is the best for it in how many figures, or why that is not shown.
pub fn answers(record: &ReviewRecord, drives: &[ReviewedDrive]) -> Vec<String> {
    let of = |(usage, words)| answer(record, drives, usage, words);
    let uses = [
        (FigureUse::ReadsAndShortWrites, "reads and short writes, as on a desktop"),
        (FigureUse::LongRandomWrites, "random writes that go on, as on a server"),
        (FigureUse::LongSequentialWrites, "sequential writes that go on, as on a recorder"),
    ];
    uses.into_iter().filter_map(of).collect()
}

fn answer(record: &ReviewRecord, drives: &[ReviewedDrive], usage: FigureUse, words: &str) -> Option<String> {
    let of_use = drives.iter().flat_map(|drive| &drive.figures).filter(|one| one.usage == Some(usage));
    let names = each_once(of_use.map(|figure| figure.name.as_str()));
    if let Some(why) = unsettled(record, drives, usage) {
        // The other figures of this use say little as long as these are open.
        return Some(format!("For {words}, no drive is named the better one: {why}"));
    }
    let judged: Vec<(&str, ComparedFigure)> = names
        .iter()
        .map(|name| (*name, best_of(name, drives)))
        .filter(|(_, compared)| *compared != ComparedFigure::Not)
        .collect();
    (!judged.is_empty()).then(|| format!("For {words}, {}.", leaders(record, drives, &judged)))
}

/// As many figures of a drive are named.
const NAMED_FIGURES: usize = 4;

/// Which drive has the best value of which figures, the one with the most first.
fn leaders(record: &ReviewRecord, drives: &[ReviewedDrive], judged: &[(&str, ComparedFigure)]) -> String {
    let led = |place: usize| -> Vec<&str> {
        judged.iter().filter(|(_, one)| *one == ComparedFigure::Best(place)).map(|(name, _)| *name).collect()
    };
    let mut order: Vec<(&str, Vec<&str>)> = (record.targets.iter().enumerate())
        .map(|(place, target)| (drives[place].name(target), led(place)))
        .filter(|(_, figures)| !figures.is_empty())
        .collect();
    order.sort_by_key(|(_, figures)| std::cmp::Reverse(figures.len()));
    let figures = match judged {
        [(only, _)] => format!("the only figure that is compared ({only})"),
        several => format!("the {} figures that are compared", count(several.len() as f64)),
    };
    let named = |figures: &[&str]| match figures.len() {
        0..=NAMED_FIGURES => format!(" ({})", figures.join("; ")),
        _ => String::new(),
    };
    match order.as_slice() {
        [] => format!("no drive is better than all others in {figures}"),
        [(first, _)] if judged.len() == 1 => format!("{first} has the best value in {figures}"),
        [(first, most)] if most.len() == judged.len() => {
            let all = if most.len() == 2 { "both".to_owned() } else { format!("all {}", most.len()) };
            format!("{first} has the best value in {all} figures that are compared{}", named(most))
        }
        [(first, most), others @ ..] => {
            let part = |(name, led): &(&str, Vec<&str>)| format!(", {name} in {}{}", led.len(), named(led));
            let others: String = others.iter().map(part).collect();
            format!("{first} has the best value in {} of {figures}{}{others}", most.len(), named(most))
        }
    }
}

/// Why figures of this use are not compared; none where all that were measured had settled.
fn unsettled(record: &ReviewRecord, drives: &[ReviewedDrive], usage: FigureUse) -> Option<String> {
    let is_unsettled = |figure: &KeyFigure| figure.usage == Some(usage) && figure.is_unsettled;
    let targets = record.targets.iter().zip(drives);
    let unsettled = targets.filter(|(_, drive)| drive.figures.iter().any(is_unsettled));
    let names: Vec<&str> = unsettled.map(|(target, drive)| drive.name(target)).collect();
    let longer = if record.plan_name == ShippedPlan::Short.word() {
        "the plan standard writes for longer"
    } else {
        "a plan with a longer duration of consistency may show it (`drivelab review --print-plan standard` is one to begin from)"
    };
    (!names.is_empty())
        .then(|| format!("steady state of random writes is not shown for {}; {longer}.", names.join(" and ")))
}

#[cfg(test)]
mod tests {
    use drivelab_documents::review::{REVIEW_SCHEMA, folder_of};
    use drivelab_view::Quantity;

    use super::*;

    fn record(plan_name: &str) -> ReviewRecord {
        let target = |(number, name): (usize, &str)| ReviewedTarget {
            target: name.to_owned(),
            identity: None,
            drive: None,
            profile: None,
            file_made_ns: None,
            folder: folder_of(number, name),
        };
        ReviewRecord {
            schema: REVIEW_SCHEMA.to_owned(),
            version: "0".to_owned(),
            started: None,
            plan_name: plan_name.to_owned(),
            plan: String::new(),
            seed: 1,
            label: None,
            note: None,
            hides_serial: false,
            meter: None,
            targets: [(1, "a"), (2, "b")].map(target).to_vec(),
            steps: Vec::new(),
        }
    }

    /// A drive with these figures of reads, and one of long writes.
    fn drive(reads: &[f64], writes: f64, is_settled: bool) -> ReviewedDrive {
        let read = |(place, number): (usize, &f64)| {
            let figure = KeyFigure::new(format!("read {place}"), Quantity::Iops, Better::High, Some(*number));
            figure.map(|figure| figure.speaks_of(FigureUse::ReadsAndShortWrites))
        };
        let latency = KeyFigure::new("p99.99", Quantity::Nanoseconds, Better::Low, Some(writes));
        let latency = latency.map(|one| one.speaks_of(FigureUse::LongRandomWrites).if_settled(is_settled));
        let figures = reads.iter().enumerate().map(read).chain([latency]).flatten().collect();
        ReviewedDrive { figures, ..ReviewedDrive::default() }
    }

    #[test]
    fn the_best_is_the_one_that_is_better_than_all_others() {
        let drives = [drive(&[1.0, 5.0, 7.0], 3.0, true), drive(&[2.0, 5.0], 4.0, true)];
        assert_eq!(best_of("read 0", &drives), ComparedFigure::Best(1));
        assert_eq!(best_of("read 1", &drives), ComparedFigure::Equal);
        assert_eq!(best_of("read 2", &drives), ComparedFigure::Not, "only one drive has it");
        assert_eq!(best_of("p99.99", &drives), ComparedFigure::Best(0), "the shorter time");
        let drives = [drive(&[], 3.0, true), drive(&[], 4.0, false)];
        assert_eq!(best_of("p99.99", &drives), ComparedFigure::Not, "one of them had not settled");
    }

    #[test]
    fn each_use_has_its_answer_and_none_is_given_before_rates_have_settled() {
        let drives = [drive(&[1.0, 5.0, 2.0], 3.0, true), drive(&[2.0, 5.0, 1.0], 4.0, true)];
        assert_eq!(
            answers(&record("standard"), &drives),
            [
                "For reads and short writes, as on a desktop, a has the best value in 1 of the 3 figures that are compared \
                 (read 2), b in 1 (read 0).",
                "For random writes that go on, as on a server, a has the best value in the only figure that is compared \
                 (p99.99).",
            ]
        );
        let drives = [drive(&[3.0, 6.0], 3.0, true), drive(&[2.0, 5.0], 4.0, false)];
        assert_eq!(
            answers(&record("short"), &drives),
            [
                "For reads and short writes, as on a desktop, a has the best value in both figures that are compared \
                 (read 0; read 1).",
                "For random writes that go on, as on a server, no drive is named the better one: steady state of random writes \
                 is not shown for b; the plan standard writes for longer.",
            ]
        );
    }
}
