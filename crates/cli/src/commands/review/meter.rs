//! The meter of a review: which steps read it, and what stands against it.

use drivelab_review::{PlanStep, ReviewMeter, ReviewPlan, ReviewedTarget};
use drivelab_runner::{Failure, KINDS, MeterOptions, TargetName, check_meter};

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
    if !plan.steps.iter().any(|step| targets.iter().any(|target| is_read(step, target))) {
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

/// Whether the meter of a review is read during a step on a target: its test takes one, and the step has none of its own. On a
/// simulated drive it has to show that drive's own account as well.
pub fn is_read(step: &PlanStep, target: &ReviewedTarget) -> bool {
    let is_simulated = target.identity.is_none();
    let shows_account =
        || KINDS.iter().any(|kind| kind.name == step.test.name() && kind.shows_simulated_energy);
    step.test.is_run() && !step.names("meter") && (!is_simulated || shows_account())
}
