//! What stands against the steps of a review, each reason once.

use drivelab_review::StepRecord;
use drivelab_runner::Failure;

use super::Review;

/// What stands against steps.
#[derive(Default)]
pub struct Complaints(Vec<Complaint>);

/// A reason, and the steps that it stands against.
struct Complaint {
    target: usize,
    /// Whether it is one of safety, which names the drive.
    is_refusal: bool,
    why: String,
    /// The place of the first of them in the plan, from 0, and its test.
    first: (usize, String),
    /// How many there are.
    steps: usize,
}

impl Complaints {
    /// Adds the reasons of a test, a line each. One that stands against several steps on a target is one complaint.
    pub fn add(&mut self, step: &StepRecord, failure: &Failure) {
        let (target, is_refusal) = (step.target, matches!(failure, Failure::Refused(_)));
        for why in failure.to_string().lines() {
            let is_same = |known: &&mut Complaint| {
                (known.target, known.is_refusal, known.why.as_str()) == (target, is_refusal, why)
            };
            match self.0.iter_mut().find(is_same) {
                Some(known) => known.steps += 1,
                None => self.0.push(Complaint {
                    target,
                    is_refusal,
                    why: why.to_owned(),
                    first: (step.step, step.test.clone()),
                    steps: 1,
                }),
            }
        }
    }

    /// The failures, a line each.
    pub fn failures(self, review: &Review) -> Vec<Failure> {
        let failure = |complaint: Complaint| {
            let Complaint { target, is_refusal, why, first: (place, test), steps } = complaint;
            if is_refusal {
                return Failure::Refused(why);
            }
            let target = &review.record.targets[target].target;
            Failure::Usage(match steps {
                1 if why.contains(target.as_str()) => format!("step {} ({test}): {why}", place + 1),
                1 => format!("step {} ({test}) on {target}: {why}", place + 1),
                _ if why.contains(target.as_str()) => why,
                _ => format!("{target}: {why}"),
            })
        };
        self.0.into_iter().map(failure).collect()
    }
}
