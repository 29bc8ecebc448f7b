//! What is shown of the energy of commands.

use drivelab_documents::{EnergyDocument, EstimateDocument};
use drivelab_stats::share_saved;
use drivelab_view::format::{bytes, counted, digits, percent};
use drivelab_view::{About, Block, Columns, Quantity, Row, Section, Tone, Verdict, View, times_as_fast};

use super::{Energy, EnergyRatios, EnergyRun, RatioOverRuns};
use crate::estimate::estimate;
use crate::{ComparedResult, Comparison, shown};

/// A share whose error is larger than this says nothing: one of the energies is not told from none.
pub(super) const LARGEST_ERROR: f64 = 0.5;

pub(super) fn view(compared: &Comparison<'_, Energy>) -> View {
    let mut sections = vec![Section::summary(None, head(compared))];
    sections.extend(shown::energy(compared));
    sections.extend(runs(compared));
    sections.extend(shown::power(compared));
    sections.extend(shown::machine_but_power(compared));
    sections.push(shown::conditions(compared));
    let title = match &**compared {
        [one] => format!("Energy of {}", one.run.label),
        several => format!("Energy of {} commands", counted(several.len())),
    };
    shown::titled(compared, title, sections)
}

fn head(compared: &Comparison<'_, Energy>) -> Vec<Block> {
    let mut sentences = Vec::new();
    if let [first, second] = &**compared
        && let Some((one, other)) = first.energy.as_ref().zip(second.energy.as_ref())
    {
        let ratios =
            EnergyRatios::compare(&first.findings, &second.findings, !moved_other_amounts(one, other));
        match ratios.and_then(|ratios| ratios.time) {
            Some(time) => sentences.push(time.speed_sentence(first.label(), second.label())),
            None => sentences.extend(speeds(compared)),
        }
        sentences.extend(savings((first.label(), one), (second.label(), other), ratios.as_ref()));
    } else {
        sentences.extend(speeds(compared));
    }
    let mut blocks: Vec<Block> = sentences.into_iter().map(Block::Text).collect();
    blocks.extend(shown::verdicts(compared, |one| verdict(one.place, one.energy.as_ref())));
    blocks
}

/// How many times the fastest result is as fast as each other one, in sentences; none where they are not ranked.
fn speeds(compared: &Comparison<'_, Energy>) -> Vec<String> {
    if !compared.is_ranked() {
        return Vec::new();
    }
    let known = compared.iter().filter_map(|one| Some((one, one.energy.as_ref()?)));
    let mut known: Vec<(&ComparedResult<'_, Energy>, &EnergyDocument)> = known.collect();
    if known.iter().all(|(_, energy)| energy.runs == 1) {
        let rates = known.iter().map(|(one, energy)| (1.0 / energy.duration_s, one.label()));
        return times_as_fast("this task", rates).into_iter().collect();
    }
    known.sort_by(|one, other| one.1.duration_s.total_cmp(&other.1.duration_s));
    let Some(((fastest, least), others)) = known.split_first() else { return Vec::new() };
    let sentence = |(one, energy): &(&ComparedResult<'_, Energy>, &EnergyDocument)| {
        let (first, label) = (fastest.label(), one.label());
        let ratios = EnergyRatios::compare(&fastest.findings, &one.findings, true);
        ratios.and_then(|ratios| ratios.time).map_or_else(
            || {
                let times = digits(energy.duration_s / least.duration_s);
                format!("{first} is {times} times as fast as {label}, of which one was measured once.")
            },
            |time| time.speed_sentence(first, label),
        )
    };
    others.iter().map(sentence).collect()
}

pub(super) fn verdict(subject: usize, energy: Option<&EnergyDocument>) -> Verdict {
    let Some(energy) = energy else {
        return Verdict::on(subject, Tone::Undecided, "Not known", "No meter was read to the end.")
            .about(About::Findings);
    };
    let (Some(watts), Some(joules)) = (energy.watts, energy.joules) else {
        let why = energy.withheld.clone().unwrap_or_else(|| "The energy is not known.".to_owned());
        return Verdict::on(subject, Tone::Undecided, "Not known", why).about(About::Findings);
    };
    let mut sentence = if energy.runs > 1 {
        let (runs, time) = (energy.runs, energy.duration().text("s"));
        format!(
            "In {runs} runs the task took {} and {time} in the mean, {}",
            joules.text("J"),
            watts.text("W")
        )
    } else {
        format!(
            "The task took {} in {}, {} on average",
            joules.text("J"),
            Quantity::Seconds.text(energy.duration_s),
            watts.text("W")
        )
    };
    if let Some(above) = energy.joules_above_idle {
        sentence = format!("{sentence}; {} of that is above idle", above.text("J"));
    }
    if let Some((moved, each)) = energy.bytes.zip(energy.joules_per_gb) {
        let each_time = if energy.runs > 1 { " each time" } else { "" };
        sentence =
            format!("{sentence}; it moved {}{each_time} at {}", bytes(moved as f64), each.text("J/GB"));
    }
    if let Some((hours, minutes)) = energy.battery_wh.zip(energy.battery_minutes) {
        let battery = format!("a battery of {} Wh lasts {}", digits(hours), minutes.text("min"));
        sentence = format!("{sentence}; {battery} at this power");
    }
    // The energy is that of the whole task.
    let mut verdict = Verdict::on(subject, Tone::Neutral, "Measured", sentence + ".").about(About::Findings);
    let errors = if energy.runs > 1 {
        "In brackets are 95 % intervals of means over runs (Student's t)"
    } else {
        "Errors are standard uncertainties of sampling and of the idle power"
    };
    verdict.details.push(format!(
        "Meter: {}, {}; {} readings. {errors}; the meter's own accuracy is in none of them.",
        energy.meter.name,
        energy.meter.measures,
        energy.meter.readings()
    ));
    verdict
}

/// How much less the first takes than the second, a sentence for each way of counting, as far as the errors carry it; where both
/// were run several times, as a ratio with its interval.
pub(super) fn savings<'a>(
    (first, one): (&'a str, &'a EnergyDocument),
    (second, other): (&'a str, &'a EnergyDocument),
    ratios: Option<&'a EnergyRatios>,
) -> impl Iterator<Item = String> + 'a {
    type Counted = (
        &'static str,
        fn(&EnergyDocument) -> Option<EstimateDocument>,
        fn(&EnergyRatios) -> Option<RatioOverRuns>,
        bool,
    );
    const WAYS: [Counted; 3] = [
        ("energy", |energy| energy.joules, |ratios| ratios.joules, true),
        ("energy above idle", |energy| energy.joules_above_idle, |ratios| ratios.joules_above_idle, true),
        ("energy for each gigabyte", |energy| energy.joules_per_gb, |ratios| ratios.joules_per_gb, false),
    ];
    let is_same_work = !moved_other_amounts(one, other);
    WAYS.into_iter().filter_map(move |(what, of, ratio_of, needs_same_work)| {
        if let Some(ratio) = ratios.and_then(ratio_of) {
            return Some(ratio.energy_sentence(what, first, second));
        }
        let share = saved(of(one)?, of(other)?).filter(|_| is_same_work || !needs_same_work)?;
        let way = if share.value >= 0.0 { "less" } else { "more" };
        let size = EstimateDocument { value: share.value.abs(), ..share }.times(100.0);
        let Some(error) = share.error else {
            let size = percent(share.value.abs());
            return Some(format!(
                "By the readings alone, whose error is not known, {first} takes {size} {way} {what} than {second}."
            ));
        };
        // Beyond twice as much, a factor is easier to read than a share of more than a hundred percent.
        if share.value < -1.0 && share.value.abs() >= 2.0 * error {
            let times = EstimateDocument { value: 1.0 - share.value, ..share }.text("times");
            return Some(format!("{first} takes {times} as much {what} as {second}."));
        }
        let size = size.text("%");
        Some(if share.value.abs() >= 2.0 * error {
            format!("{first} takes {size} {way} {what} than {second}.")
        } else {
            format!("No difference in the {what} of {first} and {second} is shown: the first took {size} {way}.")
        })
    })
}

/// The share of the second energy that the first saves; none where its error is too large.
pub(super) fn saved(first: EstimateDocument, second: EstimateDocument) -> Option<EstimateDocument> {
    let share = share_saved(first.into(), second.into()).map(EstimateDocument::from);
    share.filter(|share| share.error.is_none_or(|error| error < LARGEST_ERROR))
}

/// Whether they are known to have done different work, so that one that took less of it saved nothing.
pub(super) fn moved_other_amounts(first: &EnergyDocument, second: &EnergyDocument) -> bool {
    first.bytes.zip(second.bytes).is_some_and(|(first, second)| first != second)
}

/// The runs of the results that have several; nothing where none has.
fn runs(compared: &Comparison<'_, Energy>) -> Option<Section> {
    let found = |quantity, of: Option<EstimateDocument>| of.map(|of| estimate(quantity, of));
    let (watts, joules, per_gb) = (Quantity::Watts, Quantity::Joules, Quantity::JoulesPerGigabyte);
    let columns = Columns::<EnergyRun>::new()
        .with("Time", Quantity::Seconds, |run| run.duration_s)
        .with("Mean power", watts, |run| found(watts, run.watts))
        .with("Energy", joules, |run| found(joules, run.joules))
        .with("Energy above idle", joules, |run| found(joules, run.joules_above_idle))
        .with("Energy per gigabyte", per_gb, |run| found(per_gb, run.joules_per_gb));
    let mut table = columns.table("runs", "What each run took", "Run");
    for one in compared.iter() {
        let rows = (1..).zip(&one.findings.runs);
        table.rows.extend(rows.map(|(number, run)| Row {
            subject: None,
            ..one.grouped_row(head_of_run(number, run), columns.cells(run))
        }));
    }
    if table.rows.is_empty() {
        return None;
    }
    table.leave_out_empty_columns();
    let note = "Behind ± stands twice the standard uncertainty of the run.";
    table.notes.push(note.to_owned());
    Some(Section::summary(Some("Runs"), vec![Block::Table(table)]))
}

fn head_of_run(number: usize, run: &EnergyRun) -> String {
    match run.exit_code {
        Some(0) if run.joules.is_none() => format!("{number} (energy not known, in no mean)"),
        Some(0) => number.to_string(),
        Some(code) => format!("{number} (exit code {code}, in no mean)"),
        None => format!("{number} (ended by a signal, in no mean)"),
    }
}
