//! Which path is the fastest.

use drivelab_view::format::{bytes, percent, rate};
use drivelab_view::{Tone, Verdict};

use super::super::{DataPath, PathCell, PathLeftOut, PathsFindings};

/// The verdict of one result.
pub fn judge(subject: usize, found: &PathsFindings) -> Verdict {
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
pub fn method(found: &PathsFindings) -> String {
    let request = bytes(found.request_bytes as f64);
    format!(
        "Every path writes the same data in requests of {request} at most, in random order within blocks of runs. A path counts \
         as the fastest where its 95 % interval over runs (Student's t) lies above those of all others."
    )
}
