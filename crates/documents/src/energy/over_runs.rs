//! The energy of a task that was done several times: means over its runs.

use drivelab_stats::MeanInterval;

use super::{EnergyDocument, EstimateDocument, EstimateEnds, IdleDocument};

impl EnergyDocument {
    /// The energy of a task by several runs of it: means over those that `is_counted` takes by their place and whose energy is
    /// known, each with the standard error of the mean and its 95 % interval by Student's t. Of one such run it is that run's,
    /// and where no run is counted, the first one's. `None` where there is no run.
    pub fn over_runs(runs: &[EnergyDocument], is_counted: impl Fn(usize) -> bool) -> Option<EnergyDocument> {
        if let [one] = runs {
            return Some(one.clone());
        }
        let counted = runs.iter().enumerate().filter(|(place, _)| is_counted(*place));
        let known: Vec<&EnergyDocument> =
            counted.map(|(_, run)| run).filter(|run| run.joules.is_some()).collect();
        let first = known
            .first()
            .copied()
            .or_else(|| runs.iter().find(|run| run.withheld.is_some()))
            .or_else(|| runs.first())?;
        let notices = notices(runs, !known.is_empty());
        if known.len() < 2 {
            return Some(EnergyDocument { notices, ..first.clone() });
        }
        let mean = |of: fn(&EnergyDocument) -> Option<EstimateDocument>| mean_of(&known, of);
        let durations: Vec<f64> = known.iter().map(|run| run.duration_s).collect();
        let duration = MeanInterval::from_values(&durations)?;
        Some(EnergyDocument {
            duration_s: duration.mean,
            runs: duration.count,
            mean_duration_s: Some(EstimateDocument::from(duration)),
            idle: idle(&known),
            watts: mean(|run| run.watts),
            joules: mean(|run| run.joules),
            joules_above_idle: mean(|run| run.joules_above_idle),
            joules_per_gb: mean(|run| run.joules_per_gb),
            joules_above_idle_per_gb: mean(|run| run.joules_above_idle_per_gb),
            ios_per_joule: mean(|run| run.ios_per_joule),
            battery_minutes: mean(|run| run.battery_minutes),
            account: None,
            notices,
            ..first.clone()
        })
    }

    /// The time of the task; over several runs with its interval.
    pub fn duration(&self) -> EstimateDocument {
        self.mean_duration_s.unwrap_or_else(|| EstimateDocument::exact(self.duration_s))
    }
}

impl From<MeanInterval> for EstimateDocument {
    fn from(found: MeanInterval) -> EstimateDocument {
        let ends = |half: f64| EstimateEnds { low: found.mean - half, high: found.mean + half };
        EstimateDocument {
            value: found.mean,
            error: found.standard_error(),
            interval: found.half_width.map(ends),
        }
    }
}

/// The mean of a figure over the runs that have it; of one that has it, that run's.
fn mean_of(
    runs: &[&EnergyDocument],
    of: fn(&EnergyDocument) -> Option<EstimateDocument>,
) -> Option<EstimateDocument> {
    let found: Vec<EstimateDocument> = runs.iter().filter_map(|run| of(run)).collect();
    if let [one] = found[..] {
        return Some(one);
    }
    let values: Vec<f64> = found.iter().map(|one| one.value).collect();
    MeanInterval::from_values(&values).map(EstimateDocument::from)
}

/// The mean idle power over the runs; before the first and after the last.
fn idle(runs: &[&EnergyDocument]) -> Option<IdleDocument> {
    let watts = mean_of(runs, |run| Some(run.idle?.watts))?;
    let before_watts = runs.first().and_then(|run| run.idle?.before_watts);
    let after_watts = runs.last().and_then(|run| run.idle?.after_watts);
    let drift_watts = before_watts.zip(after_watts).map(|(before, after)| after.value - before.value);
    Some(IdleDocument { watts, before_watts, after_watts, drift_watts })
}

/// What the reader has to know of the runs, with the number of the run unless it holds for all of them; among it why the energy
/// of some is not known, where that of others is.
fn notices(runs: &[EnergyDocument], is_any_known: bool) -> Vec<String> {
    let of_run = |run: &EnergyDocument| -> Vec<String> {
        let withheld = run.withheld.iter().filter(|_| is_any_known);
        run.notices.iter().chain(withheld).cloned().collect()
    };
    let of_runs: Vec<Vec<String>> = runs.iter().map(of_run).collect();
    let in_all = |text: &String| of_runs.iter().all(|run| run.contains(text));
    let mut notices: Vec<String> = of_runs[0].iter().filter(|text| in_all(text)).cloned().collect();
    for (number, run) in (1..).zip(&of_runs) {
        let own = run.iter().filter(|text| !in_all(text));
        notices.extend(own.map(|text| format!("Run {number}: {text}")));
    }
    notices
}
