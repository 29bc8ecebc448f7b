//! The meter of a review: which steps read it, and what stands against it.

use clap::{Command, CommandFactory as _};
use drivelab_review::{PlanStep, ReviewMeter, ReviewPlan, ReviewedTarget};
use drivelab_runner::{Failure, KINDS, MeterOptions, TargetName, check_meter};

use super::Review;
use crate::args::Cli;

/// The meter that is kept in the record of a review; none where none was named.
///
/// # Errors
/// It is no meter of the targets, or no step takes one.
pub fn of_review(
    options: &MeterOptions,
    plan: &ReviewPlan,
    targets: &[ReviewedTarget],
) -> Result<Option<ReviewMeter>, Failure> {
    let names = targets.iter().map(|target| TargetName::parse(&target.target));
    check_meter(options, &names.collect::<Result<Vec<_>, _>>()?)?;
    let Some(spec) = &options.meter else { return Ok(None) };
    let cli = Cli::command();
    let takes_it = |step: &PlanStep| {
        let is_open = !step.names(ReviewMeter::OPTION);
        is_open && targets.iter().any(|target| takes_meter(&cli, step, target))
    };
    if !plan.steps.iter().any(takes_it) {
        let text =
            format!("--meter {spec}: no step of the plan would read it on these targets: leave it out");
        return Err(Failure::Usage(text));
    }
    Ok(Some(ReviewMeter {
        name: spec.to_string(),
        volts: options.volts,
        baseline_ns: options.baseline.get(),
        battery_wh: options.battery,
    }))
}

/// The options by which the meter of a review is read during a step on a target; none where the test takes none, or the step has
/// a meter of its own.
pub fn arguments(review: &Review, step: &PlanStep, target: usize) -> Vec<String> {
    let reviewed = &review.record.targets[target];
    match &review.record.meter {
        Some(meter) if takes_meter(&Cli::command(), step, reviewed) => step.meter_arguments(meter),
        _ => Vec::new(),
    }
}

/// Whether the command of a step has the option. On a simulated drive it has to show that drive's own account as well.
fn takes_meter(cli: &Command, step: &PlanStep, target: &ReviewedTarget) -> bool {
    let name = step.test.name();
    let has_option = cli.find_subcommand(name).is_some_and(|command| {
        command.get_arguments().any(|argument| argument.get_long() == Some(ReviewMeter::OPTION))
    });
    let is_simulated = target.identity.is_none();
    has_option && (!is_simulated || KINDS.iter().any(|kind| kind.name == name && kind.shows_simulated_energy))
}
