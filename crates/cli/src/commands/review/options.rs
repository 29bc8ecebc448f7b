//! Whether the options of a plan are those of its tests.

use std::ffi::OsString;

use clap::{CommandFactory as _, Parser as _};
use drivelab_review::{PlanStep, ReviewPlan, most_alike};
use drivelab_runner::Failure;

use crate::args::Cli;

/// Options that the review gives to each test itself.
const OF_REVIEW: [&str; 16] = [
    "assume-unused",
    "destroy-data",
    "dry-run",
    "file-size",
    "help",
    "hide-serial",
    "ignore-health",
    "json",
    "label",
    "note",
    "output",
    "report",
    "resume",
    "seed",
    "serial",
    "temperature-limit",
];

/// Says which step has an option that its test lacks, or a value that the option does not take, and what to write instead.
pub fn check(name: &str, plan: &ReviewPlan) -> Result<(), Failure> {
    let complaints =
        (1..).zip(&plan.steps).filter_map(|(place, step)| complaint(step).map(|why| (place, step, why)));
    Failure::all(complaints.map(|(place, step, why)| {
        Failure::Usage(format!("{name}: step {place} ({}): {why}", step.test.name()))
    }))
}

fn complaint(step: &PlanStep) -> Option<String> {
    let cli = Cli::command();
    let command = cli.find_subcommand(step.test.name())?;
    let known: Vec<&str> = command.get_arguments().filter_map(clap::Arg::get_long).collect();
    for (option, _) in &step.options {
        let option = option.as_str();
        if OF_REVIEW.contains(&option) {
            return Some(format!(
                "{option} is the review's own: leave it out, and give it to drivelab review"
            ));
        }
        if Some(option) != step.test.argument() && !known.contains(&option) {
            let own = known.iter().copied().filter(|known| !OF_REVIEW.contains(known));
            let hint = most_alike(option, own).map_or_else(
                || format!("`drivelab {} --help` lists those that there are", step.test.name()),
                |alike| format!("did you mean {alike}?"),
            );
            return Some(format!("there is no option {option}: {hint}"));
        }
    }
    let arguments = step.arguments("sim:consistent").into_iter().map(OsString::from);
    let parsed = Cli::try_parse_from([OsString::from("drivelab")].into_iter().chain(arguments));
    parsed.err().map(|error| first_paragraph(&error.to_string()))
}

/// What is wrong, without the usage that follows it.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use drivelab_review::ShippedPlan;

    use super::*;

    fn complaint_of(text: &str) -> String {
        let plan = ReviewPlan::parse(text).expect("a plan");
        check("mine.toml", &plan).expect_err("a wrong option").to_string()
    }

    #[test]
    fn every_shipped_plan_has_options_that_there_are() {
        for plan in ShippedPlan::ALL {
            check(plan.name(), &plan.plan()).expect("options of its tests");
        }
    }

    #[test]
    fn a_wrong_option_is_named_with_the_one_that_was_meant() {
        let wrong = |option: &str| complaint_of(&format!("[[step]]\ntest = \"consistency\"\n{option}\n"));
        let error = wrong("durration = \"1s\"");
        assert_eq!(
            error,
            "mine.toml: step 1 (consistency): there is no option durration: did you mean duration?"
        );
        assert!(wrong("zzz = 1").contains("`drivelab consistency --help` lists"));
        assert!(wrong("seed = 1").contains("the review's own"));
        let error = wrong("duration = \"soon\"");
        assert!(error.contains("--duration") && error.contains("soon") && !error.contains('\n'), "{error}");
    }
}
