//! What is shown of traces.

mod addresses;
mod course;
mod days;
mod dispersion;
mod figures;
mod latency;
mod tables;
mod time;
mod verdict;
mod waiting;
mod why;

use drivelab_documents::{ClockTime, Notice};
use drivelab_view::chart::{Axis, Colours, Scale, Series};
use drivelab_view::format::{bytes, count, nanos, things};
use drivelab_view::{Block, Chart, Quantity, Section, Subject, View};

use super::part::moment;
use super::{AnalysedTrace, TraceFindings};

/// What is shown of one trace, or of several that are compared at one threshold. The course over time is drawn where the
/// analysis followed it.
pub fn view(shown: &[AnalysedTrace]) -> View {
    let mut head: Vec<Block> = figures::faster(shown).map(Block::Text).into_iter().collect();
    head.extend(shown.iter().enumerate().map(verdict::verdict));
    let sentence = shown.iter().find_map(|one| one.found.slow_ios.threshold_sentence(shown.len() > 1));
    head.extend(sentence.map(|text| Block::Notices(vec![Notice::note(text)])));
    let axes = time::axes(shown);
    let mut sections = vec![Section::summary(None, head)];
    sections.extend(waiting::parties(shown));
    sections.extend(section("Hours and days", days::blocks(shown)));
    sections.extend(waiting::spells(shown));
    sections.extend(tables::waits(shown));
    sections.push(Section::summary(Some("Figures"), figures::figures(shown)));
    sections.extend(section("Service times", latency::service(shown)));
    sections.extend(section("Response times", latency::response(shown)));
    sections.extend(section("The course of the load", course::charts(shown, &axes)));
    sections.extend(section("Addresses", addresses::charts(shown, &axes)));
    sections.extend(section("Are slow I/Os clustered?", dispersion::charts(shown)));
    sections.extend(tables::worst_waits(shown));
    sections.extend(waiting::processes(shown));
    sections.extend(tables::devices(shown));
    sections.extend(waiting::streams(shown));
    sections.extend(tables::sizes(shown));
    let title = match shown {
        [one] => format!("Trace {}", one.found.trace),
        several => format!("Comparison of {} traces", count(several.len() as f64)),
    };
    View { title, kind: "trace".to_owned(), name: "trace", subjects: subjects(shown), sections }
}

fn subjects(shown: &[AnalysedTrace]) -> Vec<Subject> {
    let subject = |one: &AnalysedTrace| {
        let found = &one.found;
        let (requests, moved) = (found.requests.sum(), found.bytes.sum());
        let about = format!(
            "{}, {} of {} in {}",
            found.source,
            things(requests, "request"),
            bytes(moved as f64),
            span(found.span_ns)
        );
        let shown = found
            .stretch
            .map(|stretch| format!("Only I/Os that were issued {} are shown", stretch.in_words()));
        Subject {
            origin: origin(found).into_iter().chain(shown).collect(),
            ..Subject::new(found.trace.clone(), about)
        }
    };
    shown.iter().map(subject).collect()
}

/// When and where it was recorded, and by which version; none of a run on a simulated drive, which has no date.
fn origin(found: &TraceFindings) -> Option<String> {
    let (began, version) = (found.began.map(ClockTime::in_words), &found.version);
    let is_run = found.phases.is_some();
    match (began, &found.machine) {
        (Some(began), Some(machine)) => {
            let what = if is_run { "Measured" } else { "Recorded" };
            Some(format!("{what} {began} on {machine} by drivelab {version}"))
        }
        (Some(began), None) => Some(format!("Begins {began}, imported by drivelab {version}")),
        (None, _) if is_run => None,
        (None, _) => Some(format!("The source has no clock time; imported by drivelab {version}")),
    }
}

fn section(heading: &str, blocks: Vec<Block>) -> Option<Section> {
    (!blocks.is_empty()).then(|| Section::full(heading, blocks))
}

/// A span of time: up to two hours in seconds or less, longer ones in hours or days.
fn span(value: u64) -> String {
    match value as f64 / 3.6e12 {
        hours if hours < 2.0 => nanos(value as f64),
        hours if hours < 48.0 => format!("{hours:.1} hours"),
        hours => format!("{:.1} days", hours / 24.0),
    }
}

/// A chart of reads and writes: of one trace in colours of their own, of several in those of the traces.
fn chart(shown: &[AnalysedTrace], (id, title): (&str, &str), across: Vec<Axis>, up: Axis) -> Chart {
    let mut chart = Chart::new(id, title, across, up);
    chart.colours = if shown.len() == 1 { Colours::OfNames } else { Colours::OfSubjects };
    chart
}

/// The chart as a block, where there is anything in it.
fn drawn(mut chart: Chart, about: &str) -> Option<Block> {
    about.clone_into(&mut chart.about);
    (!chart.is_empty()).then_some(Block::Chart(chart))
}

/// Adds a series, unless it is empty.
fn add(chart: &mut Chart, series: Series) {
    if !series.ys.is_empty() {
        chart.series.push(series);
    }
}

fn times(label: &str) -> Axis {
    Axis::new(label, Quantity::Nanoseconds, Scale::Log)
}
