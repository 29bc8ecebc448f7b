//! Whether the options of a plan are those of its tests.

use clap::{Arg, Command, FromArgMatches as _};
use drivelab_documents::review::{PlanStep, ReviewPlan, most_alike};
use drivelab_runner::{Failure, usage};

use crate::args::{self, Cli};

/// Options of the review that its steps have, too: a meter of their own, and the endurance that a lifetime is compared with.
const OF_BOTH: [&str; 5] = ["baseline", "battery", "meter", "rated-tbw", "volts"];
/// Options of tests that do not go with a step: it prints nothing, and keeps its result in the folder of the review.
const OF_NO_STEP: [&str; 4] = ["fio-json", "help", "report", "verify-after-crash"];

/// Says which step has an option that its test lacks, or a value that the option does not take, and what to write instead.
pub fn check(name: &str, plan: &ReviewPlan, cli: &mut Command) -> Result<(), Failure> {
    let complaints =
        (1..).zip(&plan.steps).filter_map(|(place, step)| complaint(cli, step).map(|why| (place, step, why)));
    Failure::all(
        complaints.map(|(place, step, why)| usage!("{name}: step {place} ({}): {why}", step.test.word())),
    )
}

fn complaint(cli: &mut Command, step: &PlanStep) -> Option<String> {
    let is_of_review = |option: &str| has_option(cli, "review", option) && !OF_BOTH.contains(&option);
    let command = cli.find_subcommand(step.test.word())?;
    let known: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
    for (option, _) in &step.options {
        let option = option.as_str();
        if is_of_review(option) {
            return Some(format!(
                "{option} is the review's own: leave it out, and give it to drivelab review"
            ));
        }
        if OF_NO_STEP.contains(&option) {
            return Some(format!("{option} does not go with a step of a review: leave it out"));
        }
        if Some(option) != step.test.argument() && !known.contains(&option) {
            let is_own = |known: &&str| !is_of_review(known) && !OF_NO_STEP.contains(known);
            let hint = most_alike(option, known.iter().copied().filter(is_own)).map_or_else(
                || format!("`drivelab {} --help` lists those that there are", step.test.word()),
                |alike| format!("did you mean {alike}?"),
            );
            return Some(format!("there is no option {option}: {hint}"));
        }
    }
    parse(cli, step.arguments("sim:consistent")).err()
}

/// The command that is typed with these words, or what is wrong with them in a sentence.
pub fn parse(cli: &mut Command, words: Vec<String>) -> Result<args::Command, String> {
    let matches = cli.try_get_matches_from_mut(["drivelab".to_owned()].into_iter().chain(words));
    let parsed = matches.and_then(|matches| Cli::from_arg_matches(&matches));
    let command = parsed.map_err(|error| first_paragraph(&error.to_string()))?.command;
    command.ok_or_else(|| "no command is named".to_owned())
}

fn has_option(cli: &Command, command: &str, option: &str) -> bool {
    let command = cli.find_subcommand(command);
    command.is_some_and(|command| command.get_arguments().any(|arg| arg.get_long() == Some(option)))
}

/// What is wrong with arguments, without the usage that follows it.
fn first_paragraph(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.trim().is_empty()).map(str::trim);
    lines.collect::<Vec<_>>().join(" ").trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;
    use drivelab_documents::review::ShippedPlan;

    use super::*;

    fn complaint_of(text: &str) -> String {
        let plan = ReviewPlan::parse(text).expect("a plan");
        check("mine.toml", &plan, &mut Cli::command()).expect_err("a wrong option").to_string()
    }

    #[test]
    fn every_shipped_plan_has_options_that_there_are() {
        for plan in ShippedPlan::ALL {
            check(plan.word(), &plan.plan(), &mut Cli::command()).expect("options of its tests");
        }
    }

    /// Whatever a review passes on to its tests is its own.
    #[test]
    fn every_option_of_the_review_that_a_test_has_is_refused_in_a_step() {
        let cli = Cli::command();
        let review = cli.find_subcommand("review").expect("the review");
        for option in review.get_arguments().filter_map(Arg::get_long).filter(|one| !OF_BOTH.contains(one)) {
            for test in ["load", "quick", "stalls", "matrix", "trim"] {
                if !has_option(&cli, test, option) {
                    continue;
                }
                let plan = format!("[[step]]\ntest = \"{test}\"\n{option} = \"1\"\n");
                assert!(complaint_of(&plan).contains("the review's own"), "{option} of {test}");
            }
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
        for own in ["seed = 1", "openmetrics = \"now.prom\"", "resume = \"x\"", "ignore-health = true"] {
            assert!(wrong(own).contains("the review's own"), "{own}: {}", wrong(own));
        }
        let load = |option: &str| complaint_of(&format!("[[step]]\ntest = \"load\"\n{option}\n"));
        for option in ["verify-after-crash = \"x\"", "fio-json = true"] {
            let (error, name) = (load(option), option.split(' ').next().expect("a name"));
            let expected =
                format!("mine.toml: step 1 (load): {name} does not go with a step of a review: leave it out");
            assert_eq!(error, expected);
        }
        let error = wrong("duration = \"soon\"");
        assert!(error.contains("--duration") && error.contains("soon") && !error.contains('\n'), "{error}");
    }
}
