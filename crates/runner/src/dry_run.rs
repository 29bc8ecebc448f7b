//! What a dry run says.

use drivelab_block::{ByteCount, Nanos};
use drivelab_kinds::{Outline, PlanDocument, PlannedTime};

use crate::{Ending, Failure, MeterOptions, PlannedTest, output};

const NO_SIZE: &str = "the file is not there: its size has to be given with --file-size";

impl PlannedTest {
    /// The plan for a target whose result has no other name.
    pub fn new(target: &str, outline: Option<Outline>) -> PlannedTest {
        PlannedTest { target: target.to_owned(), label: target.to_owned(), outline }
    }

    /// The plan with the idle times that a meter takes before and after it.
    #[must_use]
    pub fn with_meter(mut self, meter: &MeterOptions) -> PlannedTest {
        if let Some(time) = self.outline.as_mut().and_then(|outline| outline.time.as_mut()) {
            time.timed = time.timed + meter.idle_time();
        }
        self
    }

    fn lines(&self) -> String {
        let sentences = self.outline.as_ref().map_or_else(|| vec![NO_SIZE.to_owned()], in_words);
        let lines: Vec<String> =
            sentences.iter().map(|sentence| format!("{}: {sentence}\n", self.label)).collect();
        lines.concat()
    }
}

/// Says what would be done, and then all that stands against doing it. As documents the plans are handed over, for who prints
/// them or adds them up.
///
/// # Errors
/// Where anything stands against it, as the run would end.
pub fn dry_run(
    planned: &[PlannedTest],
    json: bool,
    complaints: impl IntoIterator<Item = Failure>,
) -> Result<Ending, Failure> {
    let allowed = Failure::all(complaints);
    if json {
        let known = planned.iter().filter(|one| one.outline.is_some());
        return allowed.map(|()| Ending::Planned(known.cloned().collect()));
    }
    output::print(&planned.iter().map(PlannedTest::lines).collect::<String>())?;
    allowed?;
    output::print(output::NOTHING_DONE)
}

/// Prints plans as documents.
pub fn print_plans(plans: &[PlannedTest]) -> Result<Ending, Failure> {
    let document = |one: &PlannedTest| Some(PlanDocument::from_outline(&one.target, one.outline.as_ref()?));
    output::print_json_of_each(&plans.iter().filter_map(document).collect::<Vec<_>>())
}

/// How long a test takes, such as `it takes at most 33.3 min`; none where that is nothing.
pub fn time_in_words(time: PlannedTime, it_takes: &str) -> Option<String> {
    let timed = (time.timed > Nanos::ZERO).then(|| format!("at most {}", output::long_time(time.timed)));
    let unpaced = time.unpaced;
    let at_rate = (unpaced.get() > 0).then(|| {
        format!(
            "the time in which {unpaced} are moved ({} at 500 MB/s)",
            output::long_time(
                PlannedTime { unpaced, ..PlannedTime::default() }.at(PlannedTime::ASSUMED_RATE)
            )
        )
    });
    let recorded = (time.recorded > Nanos::ZERO).then(|| {
        let recorded = output::long_time(time.recorded);
        format!("{recorded} where the drive answers as fast as that of the trace")
    });
    let read_back = (time.read_back > Nanos::ZERO)
        .then(|| format!("about {} to read back what was written", output::long_time(time.read_back)));
    let parts: Vec<String> = timed.into_iter().chain(at_rate).chain(recorded).chain(read_back).collect();
    (!parts.is_empty()).then(|| format!("{it_takes} {}", parts.join(", and ")))
}

fn in_words(outline: &Outline) -> Vec<String> {
    let mut sentences = outline.sentences.clone();
    let written = outline.written.filter(|written| *written > ByteCount::new(0));
    sentences.extend(written.map(|written| format!("{written} would be written")));
    sentences.extend(outline.time.and_then(|time| time_in_words(time, "it would take")));
    sentences
}
