//! The page of a fleet: what many drives and machines did, and which drives a user should look at.

mod answer;
mod tables;

use drivelab_export::fleet::FleetFindings;
use drivelab_record::{Notice, Severity};
use drivelab_view::format::{capitalised, count, things};
use drivelab_view::{Block, Fold, Section, Table, View};

use crate::Inspection;

/// How many things that are left out are named on the page; the document has all of them.
const LEFT_OUT_SHOWN: usize = 20;

impl Inspection for FleetFindings {
    const NAME: &'static str = "fleet";
    const VERSION: u32 = 1;
}

/// The view of a fleet that was exported to a folder of this name.
pub fn view(found: &FleetFindings, name: &str) -> View {
    let about = format!(
        "{name}: {} on {}, {}.",
        things(found.drives, "drive"),
        things(found.hosts, "host"),
        things(found.results, "result")
    );
    let mut first = vec![Block::Verdict(answer::verdict(found)), Block::Text(about)];
    if !found.left_out.is_empty() {
        first.push(Block::Notices(left_out(&found.left_out)));
    }
    if !found.notes.is_empty() {
        let notes = found.notes.iter().take(LEFT_OUT_SHOWN);
        first.push(Block::Notices(notes.map(|note| warning(format!("{}.", capitalised(note)))).collect()));
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

fn warning(text: String) -> Notice {
    Notice { severity: Severity::Warning, text }
}

fn left_out(sentences: &[String]) -> Vec<Notice> {
    let shown = sentences.iter().take(LEFT_OUT_SHOWN).map(|why| warning(format!("Left out: {why}.")));
    let more = sentences.len().saturating_sub(LEFT_OUT_SHOWN) as u64;
    let more =
        (more > 0).then(|| warning(format!("Left out: {} that --json names.", things(more, "more item"))));
    shown.chain(more).collect()
}
