//! Figures of energy as lines of a run's conditions.

use std::fmt::Write as _;

use super::{EnergyDocument, EstimateDocument, MeterDocument};
use crate::Condition;

impl EnergyDocument {
    /// The figures as lines of a run's conditions.
    pub fn conditions(&self) -> Vec<Condition> {
        let line = |name: &str, value: String| Condition::new("Energy", name, value);
        let mut lines = vec![line("Meter", format!("{}, {}", self.meter.name, self.meter.measures))];
        lines.push(line("Readings", self.meter.readings()));
        if self.runs > 1 {
            lines.push(line("Runs", format!("means over {}, with 95 % intervals in brackets", self.runs)));
        }
        let figures = [
            ("Idle power", self.idle.map(|idle| idle.watts), "W"),
            ("Mean power", self.watts, "W"),
            ("Energy", self.joules, "J"),
            ("Energy above idle", self.joules_above_idle, "J"),
            ("Energy a GB", self.joules_per_gb, "J/GB"),
            ("Energy a GB above idle", self.joules_above_idle_per_gb, "J/GB"),
            ("I/Os a joule", self.ios_per_joule, "IOPS/W"),
            ("Battery lasts", self.battery_minutes, "min"),
        ];
        let known = figures.into_iter().filter_map(|(name, value, unit)| Some((name, value?, unit)));
        lines.extend(known.map(|(name, value, unit)| line(name, value.text(unit))));
        lines
    }
}

impl MeterDocument {
    /// How many of the readings that were due gave a figure, and what became of the others.
    pub fn readings(&self) -> String {
        let mut text = format!("{} of {}", self.taken, self.due);
        if self.missed > 0 {
            let _ = write!(text, ", {} missed", self.missed);
        }
        for wrong in &self.wrong {
            let _ = write!(text, ", {} {}", wrong.count, wrong.kind);
        }
        if self.given_up {
            text += ", given up before the end";
        }
        text
    }
}

impl EstimateDocument {
    /// The figure with its unit, and with as many digits as its error bears: two digits of the error. A mean over runs has its
    /// 95 % interval in brackets.
    pub fn text(self, unit: &str) -> String {
        let EstimateDocument { value, error, interval } = self;
        let known = error.filter(|error| *error > 0.0);
        let half = interval.map(|ends| (ends.high - ends.low) / 2.0).filter(|half| *half > 0.0);
        let places = decimals(half.or(known).unwrap_or(value.abs() / 1e3));
        let shown = |value: f64| {
            let shown = format!("{value:.places$}");
            // What is rounded to nothing has no sign.
            if shown.parse() == Ok(0.0) { shown.trim_start_matches('-').to_owned() } else { shown }
        };
        let value = shown(value);
        if let Some(ends) = interval {
            return format!("{value} {unit} ({} to {})", shown(ends.low), shown(ends.high));
        }
        match (known, error) {
            (Some(error), _) => format!("{value} ± {error:.places$} {unit}"),
            (None, Some(_)) => format!("{value} {unit}"),
            (None, None) => format!("{value} {unit} (error not known)"),
        }
    }
}

/// Decimals that show two digits of `size`, six at most.
fn decimals(size: f64) -> usize {
    let exponent = if size > 0.0 { size.log10().floor() } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 6")]
    let places = (1.0 - exponent).clamp(0.0, 6.0) as usize;
    places
}

#[cfg(test)]
mod tests {
    use super::super::EstimateEnds;
    use super::*;

    #[test]
    fn a_figure_has_the_digits_that_its_error_bears() {
        let shown = |value, error| EstimateDocument { value, error: Some(error), interval: None }.text("J");
        assert_eq!(shown(123.456_78, 0.012_3), "123.457 ± 0.012 J");
        assert_eq!(shown(123_456.7, 321.0), "123457 ± 321 J");
        assert_eq!(shown(5.0, 0.0), "5.0000 J");
        let of = EstimateDocument { value: 5.0, error: None, interval: None };
        assert_eq!(of.text("J"), "5.0000 J (error not known)");
        assert_eq!(shown(0.0, 0.0), "0.0 J");
        assert_eq!(shown(-0.000_1, 0.1), "0.00 ± 0.10 J");
        let ends = EstimateEnds { low: 4.79, high: 5.21 };
        let mean = EstimateDocument { value: 5.0, error: Some(0.1), interval: Some(ends) };
        assert_eq!(mean.text("J"), "5.00 J (4.79 to 5.21)");
    }
}
