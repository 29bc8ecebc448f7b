//! What is shown of comparisons of paths.

mod tables;

use std::collections::BTreeSet;

use drivelab_view::chart::{Axis, Colours, Scale, Series, Shape, Size};
use drivelab_view::format::{bytes, percent, rate};
use drivelab_view::{Block, Chart, Quantity, Section, Tone, Verdict, View};

use self::tables::{MeasuredFigure, RATE, TIME};
use super::{DataPath, PathCell, PathLeftOut, Paths, PathsFindings, ProcessorShares};
use crate::{Comparison, MeanOverRuns, shown};

pub(super) fn view(results: &Comparison<'_, Paths>) -> View {
    let mut sections = vec![Section::summary(None, head(results))];
    sections.push(Section::summary(Some("Rate and time for each file"), tables::blocks(results)));
    sections.push(Section::full("Rate and time by file size", both(results)));
    sections.extend(tables::time(results).map(|table| Section::summary(Some("Where the time goes"), table)));
    let processors = processors(results).into_iter().chain(tables::processors(results)).flatten();
    let processors: Vec<Block> = processors.collect();
    sections.extend((!processors.is_empty()).then(|| Section::full("Processors", processors)));
    sections.push(Section::full("Runs", tables::runs(results)));
    shown::view(results, sections)
}

fn head(results: &Comparison<'_, Paths>) -> Vec<Block> {
    let mut blocks = shown::verdicts(results, |one| judge(one.place, &one.findings));
    blocks.extend(results.first().map(|kept| Block::Text(method(&kept.findings))));
    blocks
}

/// Files of a length, as the head of a row.
fn files_of(file_bytes: u64) -> String {
    format!("{} files", bytes(file_bytes as f64))
}

/// The lengths of files that any of the results has, in ascending order.
fn lengths(results: &Comparison<'_, Paths>) -> BTreeSet<u64> {
    results.iter().flat_map(|kept| kept.findings.file_lengths()).collect()
}

/// The paths that any of the results has, from the longest to the shortest.
fn paths(results: &Comparison<'_, Paths>) -> Vec<DataPath> {
    let has = |path: &DataPath| results.iter().any(|kept| kept.findings.paths().contains(path));
    DataPath::ALL.into_iter().filter(has).collect()
}

fn judge(subject: usize, found: &PathsFindings) -> Verdict {
    let mut verdict = Verdict::on(subject, Tone::Neutral, &mark(found), sentence(found));
    verdict.details.extend(left_out(found));
    verdict
}

fn longest(found: &PathsFindings) -> Option<u64> {
    found.file_lengths().last().copied()
}

fn mark(found: &PathsFindings) -> String {
    match (found.paths().as_slice(), longest(found).and_then(|length| found.fastest(length))) {
        ([], _) => "Nothing measured".to_owned(),
        ([_], _) => "One path".to_owned(),
        (_, Some(path)) => format!("Fastest: {}", path.word()),
        (_, None) => "No fastest shown".to_owned(),
    }
}

/// The answer in a sentence: of the longest files, whose rate says most of a path.
fn sentence(found: &PathsFindings) -> String {
    let Some(length) = longest(found) else {
        return "Nothing was measured: the comparison ended before its first cell.".to_owned();
    };
    let mut cells: Vec<&PathCell> = found.cells.iter().filter(|cell| cell.file_bytes == length).collect();
    cells.sort_by(|one, other| other.rate_mb_s.mean.total_cmp(&one.rate_mb_s.mean));
    let files = format!("Files of {}", bytes(length as f64));
    match (cells.as_slice(), found.fastest(length)) {
        ([], _) => String::new(),
        ([only], _) => {
            format!("{files} are written at {} MB/s by the {} path.", mean(only), only.path.word())
        }
        ([first, others @ ..], Some(fastest)) => {
            let others: Vec<String> = others.iter().map(|cell| share_of(first, cell)).collect();
            format!(
                "{files} are written fastest by the {} path, at {} MB/s; {}.",
                fastest.word(),
                mean(first),
                others.join(", ")
            )
        }
        (cells, None) => {
            let rates: Vec<String> =
                cells.iter().map(|cell| format!("{} {} MB/s", cell.path.word(), mean(cell))).collect();
            format!(
                "No path is shown to be the fastest for files of {}: {}.",
                bytes(length as f64),
                rates.join(", ")
            )
        }
    }
}

fn mean(cell: &PathCell) -> String {
    rate(cell.rate_mb_s.mean)
}

fn share_of(first: &PathCell, cell: &PathCell) -> String {
    let share = percent(cell.rate_mb_s.mean / first.rate_mb_s.mean);
    format!("{} reaches {share} of that", cell.path.word())
}

/// The paths that were left out, together where the reason is the same.
fn left_out(found: &PathsFindings) -> Vec<String> {
    let mut groups: Vec<(Vec<DataPath>, &str)> = Vec::new();
    for PathLeftOut { path, why } in &found.paths_left_out {
        match groups.iter_mut().find(|(_, known)| *known == why) {
            Some((paths, _)) => paths.push(*path),
            None => groups.push((vec![*path], why)),
        }
    }
    let sentence = |(paths, why): (Vec<DataPath>, &str)| {
        let words: Vec<&str> = paths.into_iter().map(DataPath::word).collect();
        format!("Left out: {} ({why}).", words.join(", "))
    };
    groups.into_iter().map(sentence).collect()
}

/// How it was measured, the same for all results.
fn method(found: &PathsFindings) -> String {
    let request = bytes(found.request_bytes as f64);
    format!(
        "Every path writes the same data in requests of {request} at most, in random order within blocks of runs. A path counts \
         as the fastest where its 95 % interval over runs (Student's t) lies above those of all others."
    )
}

/// Both charts, with a frame for each result.
pub fn both(results: &Comparison<'_, Paths>) -> Vec<Block> {
    let rates = chart(results, "rate-by-file-size", &RATE, Scale::Linear);
    let times = chart(results, "time-by-file-size", &TIME, Scale::Log);
    vec![Block::Chart(rates), Block::Chart(times)]
}

/// What the processors did while files were written by each path; nothing where that is not known, as on a simulated drive.
pub fn processors(results: &Comparison<'_, Paths>) -> Option<Vec<Block>> {
    let share = |label| Axis::new(label, Quantity::Share, Scale::Linear);
    let title = ("processors-by-file-size", "Processors busy by file size");
    let busy = shares(results, title, share("Processors busy"), ProcessorShares::busy);
    let title = ("io-wait-by-file-size", "Processors idle in I/O wait by file size");
    let iowait = shares(results, title, share("I/O wait"), |shares| shares.iowait);
    (!busy.is_empty()).then(|| vec![Block::Chart(busy), Block::Chart(iowait)])
}

/// A share of the processors' time while each cell was written.
fn shares(
    results: &Comparison<'_, Paths>,
    titles: (&str, &str),
    up: Axis,
    of: fn(&ProcessorShares) -> f64,
) -> Chart {
    let mut chart = frame(results, titles, up);
    for (subject, path, cells) in cells(results) {
        let during = cells.iter().filter_map(|cell| Some((cell, cell.processors.as_ref()?.during)));
        let points = during.map(|(cell, shares)| (cell.file_bytes as f64, of(&shares)));
        let series = Series::of_points(path.word(), subject, Shape::DottedLine, points);
        if !series.ys.is_empty() {
            chart.series.push(series);
        }
    }
    chart
        .notes
        .push("Shares of the time of all processors of the machine while files were written.".to_owned());
    chart
}

fn chart(results: &Comparison<'_, Paths>, id: &str, measured: &MeasuredFigure, scale: Scale) -> Chart {
    let MeasuredFigure { name, quantity, of, unit, .. } = *measured;
    let title = format!("{name} by file size");
    let mut chart = frame(results, (id, &title), Axis::new(name, quantity, scale));
    for (subject, path, cells) in cells(results) {
        let points = cells.iter().map(|cell| (cell.file_bytes as f64, of(cell).mean * unit));
        let mut series = Series::of_points(path.word(), subject, Shape::DottedLine, points);
        series.spread = Some(MeanOverRuns::spread(cells.iter().map(|cell| (of(cell), unit))));
        chart.series.push(series);
    }
    chart.notes.push("Bars: 95 % intervals over runs.".to_owned());
    chart
}

/// A chart over the lengths of files without anything in it.
fn frame(results: &Comparison<'_, Paths>, (id, title): (&str, &str), up: Axis) -> Chart {
    let marks = lengths(results).into_iter().map(|length| length as f64).collect();
    let across = Axis::new("Length of a file", Quantity::Bytes, Scale::Log).marked_at(marks);
    let mut chart = Chart::new(id, title, vec![across], up);
    (chart.colours, chart.size) = (Colours::OfNames, Size::Small);
    chart
}

/// The cells of each path of each result, with the place of the result.
fn cells<'a>(results: &'a Comparison<'_, Paths>) -> Vec<(usize, DataPath, Vec<&'a PathCell>)> {
    let of_path = |path: DataPath| {
        results.iter().map(move |one| {
            (one.place, path, one.findings.cells.iter().filter(|cell| cell.path == path).collect::<Vec<_>>())
        })
    };
    let mut found: Vec<_> = paths(results).into_iter().flat_map(of_path).collect();
    found.retain(|(_, _, cells)| !cells.is_empty());
    found.sort_by_key(|(subject, ..)| *subject);
    found
}
