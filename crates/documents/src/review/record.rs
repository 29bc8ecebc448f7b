//! `review.json`: what of a review is done.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::manifest::parse_document;
use crate::{Drive, Started};
use drivelab_files::write_whole;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::review::ReviewPlan;

/// The schema of `review.json`.
pub const REVIEW_SCHEMA: &str = "drivelab.review/1";

const FILE: &str = "review.json";
/// The record until it is whole.
const PARTIAL: &str = "review.json.partial";

/// A review: what is to be done, of which targets, and what of it is done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewRecord {
    /// Always [`REVIEW_SCHEMA`].
    pub schema: String,
    /// The version of drivelab that began it.
    pub version: String,
    /// When and where it began; null of simulated drives alone, whose reviews are equal on every machine.
    pub started: Option<Started>,
    /// The name of the plan: `short`, `standard`, `full`, or that of its file.
    pub plan_name: String,
    /// The plan, as TOML.
    pub plan: String,
    /// The seed of every random draw.
    pub seed: u64,
    /// What the user calls it; null where nothing was said.
    pub label: Option<String>,
    /// What the user remarks on it; null where nothing was said.
    pub note: Option<String>,
    /// Whether pages and documents leave out serial numbers.
    pub hides_serial: bool,
    /// The meter that is read during the tests that take one; absent where none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meter: Option<ReviewMeter>,
    /// The targets, which are tested one after the other.
    pub targets: Vec<ReviewedTarget>,
    /// Every step of each target, in the order in which they are run.
    pub steps: Vec<StepRecord>,
}

/// How the power is measured during the tests of a review.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewMeter {
    /// The meter, as `--meter` has it.
    pub name: String,
    /// The voltage of an ammeter; null of other meters.
    pub volts: Option<f64>,
    /// The idle time before and after each test, in nanoseconds.
    pub baseline_ns: u64,
    /// The capacity of a battery in watt-hours, whose life is shown; null where none was given.
    pub battery_wh: Option<f64>,
}

/// A target of a review.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewedTarget {
    /// The target as it was typed.
    pub target: String,
    /// Which drive or file it is, in words; null of a simulated drive.
    pub identity: Option<String>,
    /// The drive, so that the review goes on with no other; absent of every other target, and where an earlier version began the
    /// review, which kept the words alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<Drive>,
    /// What tells the parameters of a simulated drive from others, whose profile is a file; absent of every other target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// When a file was made that was there at first, or that the first test on it has made, in nanoseconds since 1970: one that
    /// replaced it is another file. Absent of every other target, and where the file system does not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_made_ns: Option<u64>,
    /// Its folder, below that of the review.
    pub folder: String,
}

/// A step of a review on one target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepRecord {
    /// The place of its target in the list of targets.
    pub target: usize,
    /// The place of its step in the plan.
    pub step: usize,
    /// The test.
    pub test: String,
    /// Its folder, below that of the review.
    pub folder: String,
    /// Why it is left out on this target, in a sentence without its final stop; null where it is not.
    pub left_out: Option<String>,
    /// How it ended; null before that.
    pub ended: Option<EndedStep>,
}

impl StepRecord {
    /// Whether it is still to be done.
    pub fn is_open(&self) -> bool {
        self.left_out.is_none() && self.ended.is_none()
    }
}

/// How a step ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EndedStep {
    /// The exit code of its test: 0 success, 1 the test's own check failed, 2 usage, 3 device or environment, 4 refused.
    pub exit_code: u8,
    /// Why it failed, where it did.
    pub why: Option<String>,
}

impl EndedStep {
    /// Whether it did not come to its end: the machine or the drive did not let it, which is no finding.
    pub fn has_stopped(&self) -> bool {
        self.exit_code > 1 || self.why.is_some()
    }
}

/// Whether the folder is that of a review.
pub fn is_review_folder(path: &Path) -> bool {
    path.join(FILE).is_file()
}

impl ReviewRecord {
    /// The steps of a plan on targets, none of which has begun.
    pub fn steps_of(plan: &ReviewPlan, targets: &[ReviewedTarget]) -> Vec<StepRecord> {
        let of_target = |(place, target): (usize, &ReviewedTarget)| {
            let is_simulated = target.identity.is_none();
            let folder = target.folder.clone();
            plan.steps.iter().enumerate().map(move |(step, planned)| StepRecord {
                target: place,
                step,
                test: planned.test.word().to_owned(),
                folder: format!("{folder}/{:02}-{}", step + 1, planned.test.word()),
                left_out: planned.test.not_simulated().filter(|_| is_simulated).map(str::to_owned),
                ended: None,
            })
        };
        targets.iter().enumerate().flat_map(of_target).collect()
    }

    /// Reads the record of a review.
    ///
    /// # Errors
    /// The folder is no review, or its record is damaged, of another version, or does not fit its plan: a sentence says what to
    /// do.
    pub fn read(folder: &Path) -> Result<(ReviewRecord, ReviewPlan), String> {
        let path = folder.join(FILE);
        let wrong = |why: String| format!("{}: {why}", path.display());
        let text =
            drivelab_files::read(&path, drivelab_files::DOCUMENT).map_err(|error| match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory => format!(
                    "{} is no folder of a review (it has no {FILE}): name the folder that --output named",
                    folder.display()
                ),
                _ => wrong(error.to_string()),
            })?;
        let damaged = |why: String| wrong(format!("damaged ({why}): put back a whole copy"));
        let record: ReviewRecord = parse_document(&text, REVIEW_SCHEMA, "began the review").map_err(wrong)?;
        let plan = ReviewPlan::parse(&record.plan).map_err(damaged)?;
        // Folders are removed and made by this record: it says nothing else than what a review of this plan says.
        let expected = ReviewRecord::steps_of(&plan, &record.targets);
        let as_planned = |step: &StepRecord| StepRecord { ended: None, left_out: None, ..step.clone() };
        let has_own_folders = (1..)
            .zip(&record.targets)
            .all(|(number, target)| target.folder == folder_of(number, &target.target));
        if !has_own_folders || record.steps.iter().map(as_planned).ne(expected.iter().map(as_planned)) {
            return Err(damaged("its steps are not those of its plan".to_owned()));
        }
        Ok((record, plan))
    }

    /// Removes what a review has left in its folder that was killed before its record was whole for the first time.
    pub fn clear_unfinished(folder: &Path) {
        if !is_review_folder(folder) {
            // Where it is not there, or cannot be removed, the folder is looked at as any other.
            let _ = fs::remove_file(folder.join(PARTIAL));
        }
    }

    /// Writes the record into the folder of its review, in one step that survives a power cut.
    ///
    /// # Errors
    /// The system refuses: the file, and its error.
    pub fn write(&self, folder: &Path) -> Result<(), String> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(self).map_err(io::Error::from);
        let written = text.and_then(|text| write_whole(&path, format!("{text}\n").as_bytes()));
        written.map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Takes steps for not done that failed for another reason than what they found: the machine or the drive did not let them
    /// come to their end.
    pub fn forget_what_failed(&mut self) {
        for step in
            self.steps.iter_mut().filter(|step| step.ended.as_ref().is_some_and(EndedStep::has_stopped))
        {
            step.ended = None;
        }
    }

    /// The place of the first step that has not ended and is not left out; none where all are done.
    pub fn next(&self) -> Option<usize> {
        self.steps.iter().position(StepRecord::is_open)
    }
}

/// The folder of a target below that of its review: its place, and what is left of its name in letters and digits.
pub fn folder_of(number: usize, target: &str) -> String {
    let letters = target.chars().map(|one| if one.is_ascii_alphanumeric() { one } else { '-' });
    let words: Vec<String> =
        letters.collect::<String>().split('-').filter(|word| !word.is_empty()).map(str::to_owned).collect();
    let name: String = words.join("-").chars().take(40).collect();
    format!("{number:02}-{}", name.trim_end_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::ShippedPlan;

    fn record() -> ReviewRecord {
        let plan = ShippedPlan::Short.plan();
        let target = |number, target: &str, identity: Option<&str>| ReviewedTarget {
            target: target.to_owned(),
            identity: identity.map(str::to_owned),
            drive: None,
            profile: None,
            file_made_ns: None,
            folder: folder_of(number, target),
        };
        let targets = vec![target(1, "sim:sm2246en?size=1GiB", None), target(2, "/dev/sdb", Some("X 1"))];
        ReviewRecord {
            schema: REVIEW_SCHEMA.to_owned(),
            version: "0".to_owned(),
            started: None,
            plan_name: "short".to_owned(),
            plan: ShippedPlan::Short.text().to_owned(),
            seed: 1,
            label: None,
            note: None,
            hides_serial: false,
            meter: None,
            steps: ReviewRecord::steps_of(&plan, &targets),
            targets,
        }
    }

    #[test]
    fn a_record_is_read_as_it_was_written_and_knows_what_is_next() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut record = record();
        assert_eq!(record.next(), Some(1), "lifetime is left out on a simulated drive");
        assert_eq!(record.steps[1].folder, "01-sim-sm2246en-size-1GiB/02-consistency");
        record.steps[1].ended = Some(EndedStep { exit_code: 0, why: None });
        record.write(folder.path()).expect("written");
        let (read, plan) = ReviewRecord::read(folder.path()).expect("a review");
        assert_eq!((&read, read.next()), (&record, Some(2)));
        assert_eq!(plan, ShippedPlan::Short.plan());
    }

    #[test]
    fn a_record_that_was_never_whole_is_no_reason_to_refuse_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(PARTIAL), "{").expect("a part");
        ReviewRecord::clear_unfinished(folder.path());
        assert!(fs::read_dir(folder.path()).expect("a folder").next().is_none());
    }

    #[test]
    fn what_was_edited_or_is_of_another_version_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = ReviewRecord::read(folder.path()).expect_err("nothing is there");
        assert!(error.contains("no folder of a review"), "{error}");
        record().write(folder.path()).expect("written");
        let path = folder.path().join(FILE);
        let text = fs::read_to_string(&path).expect("a record");
        for (from, to, expected) in [
            ("drivelab.review/1", "drivelab.review/9", "drivelab.review/9"),
            ("02-consistency", "../../etc", "not those of its plan"),
            ("01-sim-sm2246en", "../01-sim-sm2246en", "not those of its plan"),
            ("\"seed\": 1", "\"seed\": -1", "damaged"),
            ("test = \\\"stalls\\\"", "test = \\\"stols\\\"", "damaged"),
        ] {
            assert!(text.contains(from), "{from}");
            fs::write(&path, text.replace(from, to)).expect("edited");
            let error = ReviewRecord::read(folder.path()).expect_err(to);
            assert!(error.contains(expected), "{to}: {error}");
        }
    }
}
