//! The document `drivelab.energy/1`.

use drivelab_block::EnergyAccount;
use drivelab_stats::{Baseline, Estimate, NoPower, PowerKind, PowerWindow, TaskEnergy, battery_minutes};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{EnergyReport, IdlePower, Stretch};

/// The name and version of the document.
pub const ENERGY_SCHEMA: &str = "drivelab.energy/1";

/// Where a smaller part of the readings was made in time, the reader is told.
const LEAST_TRIED: f64 = 0.95;

/// What a task took. Figures are left out where the meter said too little; `withheld` says why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnergyDocument {
    /// [`ENERGY_SCHEMA`].
    pub schema: String,
    /// The meter.
    pub meter: MeterDocument,
    /// The drive or file that was tested.
    pub target: Option<String>,
    /// How long the task lasted; of several runs their mean.
    pub duration_s: f64,
    /// Over how many runs the figures are means; absent where they are those of one run.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub runs: u64,
    /// The mean time over several runs with its interval; absent where the figures are those of one run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_duration_s: Option<EstimateDocument>,
    /// The power without it.
    pub idle: Option<IdleDocument>,
    /// The mean power.
    pub watts: Option<EstimateDocument>,
    /// All of the energy.
    pub joules: Option<EstimateDocument>,
    /// The energy above idle.
    pub joules_above_idle: Option<EstimateDocument>,
    /// Bytes that were moved.
    pub bytes: Option<u64>,
    /// All of the energy for each decimal gigabyte.
    pub joules_per_gb: Option<EstimateDocument>,
    /// The energy above idle for each decimal gigabyte.
    pub joules_above_idle_per_gb: Option<EstimateDocument>,
    /// I/Os for each joule of all of the energy, which are IOPS for each watt of the mean power; absent where I/Os are not
    /// counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ios_per_joule: Option<EstimateDocument>,
    /// The capacity of a battery.
    pub battery_wh: Option<f64>,
    /// How long it lasts at the mean power.
    pub battery_minutes: Option<EstimateDocument>,
    /// What a simulated drive knows of its own energy.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub account: Option<EnergyAccount>,
    /// Why figures are left out.
    pub withheld: Option<String>,
    /// What the reader has to know.
    pub notices: Vec<String>,
}

/// A figure and its standard uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimateDocument {
    /// The figure.
    pub value: f64,
    /// Its standard uncertainty, without the meter's own accuracy; none where that is not known, since the meter said nothing
    /// new.
    pub error: Option<f64>,
    /// The 95 % interval of a mean over runs, by Student's t; absent of a figure of one run, whose interval is twice the
    /// standard uncertainty on both sides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<EstimateEnds>,
}

/// The ends of a 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimateEnds {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A meter during a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MeterDocument {
    /// Its name on the command line.
    pub name: String,
    /// What an instrument calls itself.
    pub identity: Option<String>,
    /// What its figures are of.
    pub measures: String,
    /// The voltage of the supply, where the meter is an ammeter, whose current is multiplied with it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub volts: Option<f64>,
    /// Readings that were due.
    pub due: u64,
    /// Readings that were taken.
    pub taken: u64,
    /// Readings that were not tried, since the one before took too long.
    pub missed: u64,
    /// Readings that gave no figure, by reason.
    pub wrong: Vec<WrongReadingsDocument>,
    /// Whether it was given up before the end, since it gave nothing any more.
    pub given_up: bool,
}

/// Readings of one kind that gave no figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WrongReadingsDocument {
    /// What was wrong with them.
    pub kind: String,
    /// How many.
    pub count: u64,
    /// The first of them in words.
    pub first: String,
}

/// The power while nothing is done.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct IdleDocument {
    /// The mean of before and after.
    pub watts: EstimateDocument,
    /// Before the task.
    pub before_watts: Option<EstimateDocument>,
    /// After it.
    pub after_watts: Option<EstimateDocument>,
    /// After less before.
    pub drift_watts: Option<f64>,
}

impl From<Estimate> for EstimateDocument {
    fn from(estimate: Estimate) -> EstimateDocument {
        EstimateDocument {
            value: estimate.value,
            error: Some(estimate.error).filter(|error| error.is_finite()),
            interval: None,
        }
    }
}

/// Of a mean over runs, a quarter of its interval is taken as its standard uncertainty: twice this is the half of the interval,
/// which a mean over few runs needs more than twice its standard error for.
impl From<EstimateDocument> for Estimate {
    fn from(estimate: EstimateDocument) -> Estimate {
        let of_interval = estimate.interval.map(|ends| (ends.high - ends.low) / 4.0);
        Estimate { value: estimate.value, error: of_interval.or(estimate.error).unwrap_or(f64::NAN) }
    }
}

impl EstimateDocument {
    /// A figure that is known exactly.
    pub fn exact(value: f64) -> EstimateDocument {
        EstimateDocument { value, error: Some(0.0), interval: None }
    }

    /// The same in another unit, of which it has `factor` times as many, or `factor` of each.
    #[must_use]
    pub fn times(self, factor: f64) -> EstimateDocument {
        let ends = |ends: EstimateEnds| EstimateEnds { low: ends.low * factor, high: ends.high * factor };
        EstimateDocument {
            value: self.value * factor,
            error: self.error.map(|error| error * factor),
            interval: self.interval.map(ends),
        }
    }
}

fn one() -> u64 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_one(count: &u64) -> bool {
    *count == 1
}

impl EnergyDocument {
    /// The document of a task beside a meter.
    pub fn from_report(report: &EnergyReport) -> EnergyDocument {
        let mut notices = report.notices.clone();
        let (baseline, idle) = match report.idle {
            IdlePower::Known(watts) => known(watts),
            IdlePower::Measured(before, after) => measured(report, before, after, &mut notices),
        };
        let (task, withheld) = match task_energy(report, baseline.as_ref(), &mut notices) {
            Ok(task) => (Some(task), None),
            Err(why) => (None, Some(why)),
        };
        let MeterDocument { due, missed, .. } = report.meter;
        let tried = due.saturating_sub(missed);
        if withheld.is_none() && (tried as f64) < LEAST_TRIED * due as f64 {
            notices.push(format!(
                "Only {tried} of {due} readings were made in time: the power between them is taken to run straight."
            ));
        }
        let shown = |estimate: Option<Estimate>| estimate.map(EstimateDocument::from);
        let joules = task.map(|task| task.joules);
        let above = task.and_then(|task| task.above_idle);
        let per_gigabyte = |joules: Option<Estimate>| shown(joules?.per_gigabyte(report.bytes?));
        let minutes = || battery_minutes(report.battery_wh?, task?.watts);
        EnergyDocument {
            schema: ENERGY_SCHEMA.to_owned(),
            meter: report.meter.clone(),
            target: report.target.clone(),
            duration_s: report.task.to_s - report.task.from_s,
            runs: 1,
            mean_duration_s: None,
            idle,
            watts: shown(task.map(|task| task.watts)),
            joules: shown(joules),
            joules_above_idle: shown(above),
            bytes: report.bytes,
            joules_per_gb: per_gigabyte(joules),
            joules_above_idle_per_gb: per_gigabyte(above),
            ios_per_joule: shown(joules.and_then(|joules| joules.ios_per_joule(report.ios?))),
            battery_wh: report.battery_wh,
            battery_minutes: shown(minutes()),
            account: report.account,
            withheld,
            notices,
        }
    }
}

/// The energy of the task, or in words why it is withheld.
fn task_energy(
    report: &EnergyReport,
    baseline: Option<&Baseline>,
    notices: &mut Vec<String>,
) -> Result<TaskEnergy, String> {
    let found = told(report, report.task, report.track.window(report.task.from_s, report.task.to_s));
    let window = found.map_err(|why| format!("During the task {why}: its energy is not known."))?;
    let task = TaskEnergy::from_window(&window, baseline);
    if task.watts.value <= 0.0 {
        return Err(format!(
            "The mean power was {:.3} W: nothing draws that, the meter may be connected the wrong way round.",
            task.watts.value
        ));
    }
    if window.covered < 0.999 {
        let missing = percent(1.0 - window.covered);
        notices.push(format!(
            "The power of {missing} of the task's time is not known: it is taken for the mean."
        ));
    }
    let stood_still = report.track.kind != PowerKind::Joules && window.stood_still();
    if stood_still && report.account.is_none() {
        notices.push(
            "The reading of the meter hardly changed during the task: the error of the energy does not contain how slow the \
             meter is, and the meter may have stopped."
                .to_owned(),
        );
    }
    if task.above_idle.is_some_and(|above| above.value <= 2.0 * above.error) {
        notices.push(
            "Whether the task took more than the idle power is not shown by this meter in this time."
                .to_owned(),
        );
    }
    Ok(task)
}

fn known(watts: f64) -> (Option<Baseline>, Option<IdleDocument>) {
    let baseline = Baseline::known(watts);
    let idle = IdleDocument {
        watts: baseline.watts.into(),
        before_watts: None,
        after_watts: None,
        drift_watts: None,
    };
    (Some(baseline), Some(idle))
}

fn measured(
    report: &EnergyReport,
    before: Stretch,
    after: Option<Stretch>,
    notices: &mut Vec<String>,
) -> (Option<Baseline>, Option<IdleDocument>) {
    let before = match idle_of(report, before) {
        Ok(window) => window,
        Err(why) => {
            notices.push(format!("Before the task {why}: the energy above idle is not known."));
            return (None, None);
        }
    };
    let after = after.map(|after| idle_of(report, after));
    match &after {
        None => notices.push("The idle power after the task was not measured.".to_owned()),
        Some(Err(why)) => notices.push(format!("After the task {why}: the idle power is that of before.")),
        Some(Ok(_)) => {}
    }
    let after = after.and_then(Result::ok);
    let idle_mean = |window: &PowerWindow| Estimate { value: window.mean_watts, error: window.steady_error };
    let baseline = Baseline::between(&before, after.as_ref());
    if before.stood_still() || after.as_ref().is_some_and(PowerWindow::stood_still) {
        let text = "The reading of the meter hardly changed while nothing was done: the error of the idle power does not \
                    contain the meter's resolution, nor how slow it is.";
        notices.push(text.to_owned());
    }
    let idle = IdleDocument {
        watts: baseline.watts.into(),
        before_watts: Some(idle_mean(&before).into()),
        after_watts: after.as_ref().map(|after| idle_mean(after).into()),
        drift_watts: baseline.drift_watts,
    };
    (Some(baseline), Some(idle))
}

/// The idle time, of which nothing is to be told by a reading of the task.
fn idle_of(report: &EnergyReport, stretch: Stretch) -> Result<PowerWindow, String> {
    told(report, stretch, report.track.window_within(stretch.from_s, stretch.to_s))
}

/// The window, or in words why there is none.
fn told(
    report: &EnergyReport,
    stretch: Stretch,
    found: Result<PowerWindow, NoPower>,
) -> Result<PowerWindow, String> {
    let seconds = stretch.to_s - stretch.from_s;
    let is_counter = report.track.kind == PowerKind::Joules;
    // A meter that never says anything new does not tell how far it may be off.
    let known = |error: f64| if error > 0.0 || is_counter { error } else { f64::NAN };
    let told = found.map(|window| PowerWindow {
        steady_error: known(window.steady_error),
        moving_error: known(window.moving_error),
        ..window
    });
    told.map_err(|why| match why {
        NoPower::FewReadings(count) => {
            let what = match (is_counter, count) {
                (true, 1) => "step of the counter",
                (true, _) => "steps of the counter",
                (false, 1) => "reading",
                (false, _) => "readings",
            };
            format!("the meter gave {count} {what} in {seconds:.1} s")
        }
        NoPower::NotCovered(part) => {
            format!("the meter told the power of {} of {seconds:.1} s only", percent(part))
        }
    })
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}
