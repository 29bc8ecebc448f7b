//! The page of a fleet: what many drives and machines did, and which drives a user should look at.

mod tables;

use std::collections::BTreeSet;

use drivelab_documents::Notice;
use drivelab_export::fleet::{FleetFindings, PeerRow, SlowerRow};
use drivelab_view::format::{by_number, capitalised, count, digits, nanos, things};
use drivelab_view::{Block, Fold, Section, Table, Tone, Verdict, View};

/// How many drives are named in the sentence; the tables have all of them.
const NAMED: usize = 3;
/// How many things that are left out are named on the page; the document has all of them.
const LEFT_OUT_SHOWN: usize = 20;

/// The view of a fleet that was exported to a folder of this name.
pub fn view(found: &FleetFindings, name: &str) -> View {
    let about = format!(
        "{name}: {} on {}, {}.",
        things(found.drives, "drive"),
        things(found.hosts, "host"),
        things(found.results, "result")
    );
    let mut first = vec![Block::Verdict(verdict(found)), Block::Text(about)];
    if !found.left_out.is_empty() {
        first.push(Block::Notices(left_out(&found.left_out)));
    }
    if !found.notes.is_empty() {
        let notes = found.notes.iter().take(LEFT_OUT_SHOWN);
        first.push(Block::Notices(
            notes.map(|note| Notice::warning(format!("{}.", capitalised(note)))).collect(),
        ));
    }
    let mut sections = vec![Section::summary(None, first)];
    let mut add = |heading: &str, table: Table| {
        if !table.rows.is_empty() {
            sections.push(Section::summary(Some(heading), vec![Block::Table(table)]));
        }
    };
    add("Drives unlike the others of their model", tables::outside_peers(found));
    add("Drives that got slower", tables::slower(found));
    add("Service times by model", tables::percentiles(found));
    add("Writes to the flash", tables::amplification(found));
    let folded = [
        ("Largest shares of slow I/Os", "All rows", tables::slowest(found)),
        ("Hours of the day", "All hours", tables::hours(found)),
        ("Results", "All results", tables::reviews(found)),
    ];
    let folded = folded.into_iter().filter(|(_, _, table)| !table.rows.is_empty());
    sections.extend(folded.map(|(heading, summary, table)| {
        let summary = format!("{summary} ({})", count(table.rows.len() as f64));
        Section::full(heading, vec![Block::Fold(Fold { summary, blocks: vec![Block::Table(table)] })])
    }));
    let title = match found.drives {
        1 => "Fleet of one drive".to_owned(),
        drives => format!("Fleet of {} drives", count(drives as f64)),
    };
    View { title, kind: "fleet".to_owned(), name: "fleet", subjects: Vec::new(), sections }
}

fn left_out(sentences: &[String]) -> Vec<Notice> {
    let shown = sentences.iter().take(LEFT_OUT_SHOWN).map(|why| Notice::warning(format!("Left out: {why}.")));
    let more = sentences.len().saturating_sub(LEFT_OUT_SHOWN) as u64;
    let more = (more > 0)
        .then(|| Notice::warning(format!("Left out: {} that --json names.", things(more, "more item"))));
    shown.chain(more).collect()
}

/// Which drives are outside of their peers or got slower.
fn verdict(found: &FleetFindings) -> Verdict {
    let outside: BTreeSet<&str> = found.outside_peers.iter().map(|row| row.drive.as_str()).collect();
    let slower: BTreeSet<&str> = found.slower_drives.iter().map(|row| row.drive.as_str()).collect();
    let to_look_at = outside.union(&slower).count() as u64;
    let is_compared = found.compared_with_peers > 0 || found.compared_in_time > 0;
    let (tone, mark) = match to_look_at {
        0 if is_compared => (Tone::Good, "None found".to_owned()),
        0 => (Tone::Undecided, "Not compared".to_owned()),
        some => (Tone::Bad, format!("Look at {}", things(some, "drive"))),
    };
    let sentence = [peers(found, outside.len() as u64), time(found, slower.len() as u64)].join(" ");
    Verdict { subject: None, details: details(found), ..Verdict::on(0, tone, &mark, sentence) }
}

fn peers(found: &FleetFindings, outside: u64) -> String {
    match (found.compared_with_peers, outside) {
        (0, _) => "No drive was compared with others of its model: that takes five drives of one model with 1,000 I/Os each."
            .to_owned(),
        (compared, 0) => format!("None of {} is unlike the others of its model.", drives(compared)),
        (compared, outside) => {
            let (are, named) = (by_number(outside, "is", "are"), named(&found.outside_peers, |row| &row.drive, outside_in_words));
            format!("{outside} of {} {are} unlike the others of the same model: {named}.", drives(compared))
        }
    }
}

fn time(found: &FleetFindings, slower: u64) -> String {
    match (found.compared_in_time, slower) {
        (0, _) => "No drive was compared with itself: that takes 10,000 reads in the last 7 days of its data and as many before."
            .to_owned(),
        (1, 0) => "The one drive that could be compared did not get slower in the last 7 days of its data.".to_owned(),
        (compared, 0) => format!("None of {} got slower in the last 7 days of its data.", drives(compared)),
        (compared, slower) => {
            let named = named(&found.slower_drives, |row| &row.drive, slower_in_words);
            format!("{slower} of {} got slower in the last 7 days of data: {named}.", drives(compared))
        }
    }
}

fn drives(compared: u64) -> String {
    format!("{} that could be compared", things(compared, "drive"))
}

/// The first drives in words, each once.
fn named<R>(rows: &[R], drive: impl Fn(&R) -> &str, in_words: impl Fn(&R) -> String) -> String {
    let mut seen = BTreeSet::new();
    let all: Vec<&R> = rows.iter().filter(|row| seen.insert(drive(row).to_owned())).collect();
    let mut words: Vec<String> = all.iter().take(NAMED).map(|row| in_words(row)).collect();
    if all.len() > NAMED {
        words.push(format!("{} more below", all.len() - NAMED));
    }
    words.join("; ")
}

fn outside_in_words(row: &PeerRow) -> String {
    format!(
        "{} of {} ({}), mean of {} {} instead of {}",
        row.drive,
        row.host,
        row.drive_model,
        row.operation.plural(),
        nanos(row.mean_us * 1e3),
        nanos(row.median_us * 1e3)
    )
}

fn slower_in_words(row: &SlowerRow) -> String {
    format!(
        "{} of {}, p99 of reads {} after {}, {} times as long",
        row.drive,
        row.host,
        nanos(row.p99_last_7_days_us * 1e3),
        nanos(row.p99_before_us * 1e3),
        digits(row.ratio)
    )
}

/// What these comparisons cannot tell.
fn details(found: &FleetFindings) -> Vec<String> {
    let is_found = !found.outside_peers.is_empty() || !found.slower_drives.is_empty();
    let text = "A drive that does another work than its peers, or than before, differs from them, too: look at what its \
                machine does before you replace it.";
    is_found.then(|| text.to_owned()).into_iter().collect()
}
