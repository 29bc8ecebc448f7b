//! The energy of a task, beside the idle machine or drive.

use super::track::PowerWindow;

/// A figure with its standard uncertainty, in the same unit. The meter's own accuracy is in none of them: only its
/// maker knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The figure.
    pub value: f64,
    /// Its standard uncertainty.
    pub error: f64,
}

/// What is drawn while nothing is done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The mean of what was drawn before and after, in watts.
    pub watts: Estimate,
    /// After less before, in watts; none where only one of them is known.
    pub drift_watts: Option<f64>,
}

impl Baseline {
    /// The idle power by what was drawn before and after the task.
    ///
    /// Its uncertainty is that of both means, and what it may have moved by meanwhile: anywhere between the two is as
    /// likely, a rectangle of the width of the drift (GUM 4.3.7): `u^2 = (u1^2 + u2^2) / 4 + drift^2 / 12`.
    pub fn between(before: &PowerWindow, after: Option<&PowerWindow>) -> Baseline {
        let Some(after) = after else {
            let watts = Estimate { value: before.mean_watts, error: before.steady_error };
            return Baseline { watts, drift_watts: None };
        };
        let drift = after.mean_watts - before.mean_watts;
        let squares = (before.steady_error.powi(2) + after.steady_error.powi(2)) / 4.0 + drift * drift / 12.0;
        let value = f64::midpoint(before.mean_watts, after.mean_watts);
        Baseline { watts: Estimate { value, error: squares.sqrt() }, drift_watts: Some(drift) }
    }

    /// An idle power that is known, in watts: a simulated drive's.
    pub fn known(watts: f64) -> Baseline {
        Baseline { watts: Estimate { value: watts, error: 0.0 }, drift_watts: None }
    }
}

/// What a task took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TaskEnergy {
    /// How long it lasted, in seconds.
    pub seconds: f64,
    /// The mean power, in watts.
    pub watts: Estimate,
    /// All of its energy, in joules.
    pub joules: Estimate,
    /// The energy above idle, in joules; none where the idle power is not known.
    pub above_idle: Option<Estimate>,
}

impl TaskEnergy {
    /// The energy of a task: E = P T with the error of sampling, and above idle E - P(idle) T with the errors of both in
    /// quadrature, `u^2 = u(E)^2 + (T u(P(idle)))^2`.
    pub fn from_window(window: &PowerWindow, idle: Option<&Baseline>) -> TaskEnergy {
        let seconds = window.seconds;
        let watts = Estimate { value: window.mean_watts, error: window.moving_error };
        let joules = Estimate { value: watts.value * seconds, error: watts.error * seconds };
        let above_idle = idle.map(|idle| Estimate {
            value: joules.value - idle.watts.value * seconds,
            error: joules.error.hypot(idle.watts.error * seconds),
        });
        TaskEnergy { seconds, watts, joules, above_idle }
    }
}

impl Estimate {
    /// The same for each decimal gigabyte of `bytes`; `None` where nothing was moved.
    pub fn per_gigabyte(self, bytes: u64) -> Option<Estimate> {
        let gigabytes = bytes as f64 / 1e9;
        let of = Estimate { value: self.value / gigabytes, error: self.error / gigabytes };
        (bytes > 0).then_some(of)
    }

    /// I/Os for each joule of this energy: IOPS for each watt of its mean power. `None` where there was no I/O, or no energy.
    pub fn ios_per_joule(self, ios: u64) -> Option<Estimate> {
        let each = ios as f64 / self.value;
        let of = Estimate { value: each, error: each * self.error / self.value };
        (ios > 0 && self.value > 0.0).then_some(of)
    }
}

/// How many minutes a battery of `watt_hours` feeds what draws `watts`; `None` where that is nothing.
pub fn battery_minutes(watt_hours: f64, watts: Estimate) -> Option<Estimate> {
    let minutes = watt_hours * 60.0 / watts.value;
    let of = Estimate { value: minutes, error: minutes * watts.error / watts.value };
    (watts.value > 0.0 && minutes.is_finite()).then_some(of)
}

/// The share of `reference` that `other` saves, `1 - other / reference`; negative where it takes more. The relative
/// errors add up in quadrature. `None` where the reference is nothing.
pub fn share_saved(other: Estimate, reference: Estimate) -> Option<Estimate> {
    let ratio = other.value / reference.value;
    let error = (other.error / reference.value).hypot(ratio * reference.error / reference.value);
    (reference.value > 0.0 && ratio.is_finite()).then_some(Estimate { value: 1.0 - ratio, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(seconds: f64, mean_watts: f64, error: f64) -> PowerWindow {
        PowerWindow {
            seconds,
            mean_watts,
            steady_error: error,
            moving_error: error,
            readings: 100,
            distinct: 100,
            covered: 1.0,
        }
    }

    fn close(found: Estimate, value: f64, error: f64) {
        assert!((found.value - value).abs() < 1e-9 && (found.error - error).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn energy_above_idle_carries_the_errors_of_both() {
        let idle = Baseline::between(&window(10.0, 2.0, 0.03), Some(&window(10.0, 2.0, 0.04)));
        close(idle.watts, 2.0, 0.025);
        let task = TaskEnergy::from_window(&window(100.0, 5.0, 0.06), Some(&idle));
        close(task.joules, 500.0, 6.0);
        // sqrt(6^2 + (100 x 0.025)^2) = 6.5
        close(task.above_idle.expect("idle is known"), 300.0, 6.5);
        close(task.joules.per_gigabyte(50_000_000_000).expect("bytes"), 10.0, 0.12);
        assert_eq!(task.joules.per_gigabyte(0), None);
        assert_eq!(TaskEnergy::from_window(&window(1.0, 5.0, 0.0), None).above_idle, None);
    }

    #[test]
    fn a_baseline_that_drifts_is_as_uncertain_as_its_drift() {
        let idle = Baseline::between(&window(10.0, 1.0, 0.0), Some(&window(10.0, 2.2, 0.0)));
        close(idle.watts, 1.6, 1.2 / 12f64.sqrt());
        assert!((idle.drift_watts.expect("both") - 1.2).abs() < 1e-12);
        let before = Baseline::between(&window(10.0, 1.0, 0.1), None);
        assert_eq!((before.watts.error, before.drift_watts), (0.1, None));
    }

    #[test]
    fn minutes_and_shares_are_those_of_the_textbook() {
        let watts = Estimate { value: 10.0, error: 0.5 };
        close(battery_minutes(50.0, watts).expect("it draws"), 300.0, 15.0);
        assert_eq!(battery_minutes(50.0, Estimate { value: 0.0, error: 0.0 }), None);
        let (less, more) = (Estimate { value: 60.0, error: 3.0 }, Estimate { value: 100.0, error: 4.0 });
        // 0.6 x sqrt(0.05^2 + 0.04^2)
        close(share_saved(less, more).expect("a reference"), 0.4, 0.6 * 0.05f64.hypot(0.04));
        close(
            share_saved(more, less).expect("a reference"),
            1.0 - 100.0 / 60.0,
            100.0 / 60.0 * 0.05f64.hypot(0.04),
        );
        assert_eq!(share_saved(more, Estimate { value: 0.0, error: 1.0 }), None);
    }
}
