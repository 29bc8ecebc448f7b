//! Energy on the terminal.

use std::fmt::Write as _;

use super::document::{EnergyDocument, EstimateDocument, IdleDocument, MeterDocument};
use crate::condition::Condition;
use crate::format::bytes;
use crate::terminal::TerminalStyle;

/// The summary of a task beside a meter.
pub fn energy_terminal(document: &EnergyDocument, style: TerminalStyle) -> String {
    let mut text = String::new();
    if let Some(command) = &document.command {
        let _ = writeln!(text, "{}", style.clean(&command.join(" ")));
    }
    text += &energy_summary(document, style);
    text
}

impl EnergyDocument {
    /// The figures as lines of a run's conditions.
    pub fn conditions(&self) -> Vec<Condition> {
        let style = TerminalStyle::default();
        let line = |name: &str, value: String| Condition {
            group: "Energy".to_owned(),
            name: name.to_owned(),
            value,
        };
        let mut lines = vec![line("Meter", format!("{}, {}", self.meter.name, self.meter.measures))];
        lines.push(line("Readings", readings(&self.meter)));
        let figures = [
            ("Idle power", self.idle.map(|idle| idle.watts), "W"),
            ("Mean power", self.watts, "W"),
            ("Energy", self.joules, "J"),
            ("Energy above idle", self.joules_above_idle, "J"),
            ("Energy a GB", self.joules_per_gb, "J/GB"),
            ("Energy a GB above idle", self.joules_above_idle_per_gb, "J/GB"),
            ("Battery lasts", self.battery_minutes, "min"),
        ];
        let known = figures.into_iter().filter_map(|(name, value, unit)| Some((name, value?, unit)));
        lines.extend(known.map(|(name, value, unit)| line(name, figure(value, unit, style))));
        lines
    }
}

/// The lines of a summary that tell of energy, for one that tells of other things too.
pub fn energy_summary(document: &EnergyDocument, style: TerminalStyle) -> String {
    let mut text = String::new();
    let meter = &document.meter;
    let identity = meter.identity.as_ref().map_or_else(String::new, |name| format!(" ({name})"));
    let _ = writeln!(
        text,
        "  meter       {}, {}",
        style.clean(&format!("{}{identity}", meter.name)),
        meter.measures
    );
    let _ = writeln!(text, "  readings    {}", readings(meter));
    if let Some(idle) = &document.idle {
        let _ = writeln!(text, "  idle        {}", idle_line(idle, style));
    }
    let mut line = |name: &str, estimate: Option<EstimateDocument>, unit: &str, more: &str| {
        if let Some(estimate) = estimate {
            let _ = writeln!(text, "  {name:<11} {}{more}", figure(estimate, unit, style));
        }
    };
    let lasted = format!(" over {:.1} s", document.duration_s);
    line("power", document.watts, "W", &lasted);
    line("energy", document.joules, "J", "");
    line("above idle", document.joules_above_idle, "J", "");
    let moved = document.bytes.map_or_else(String::new, |moved| format!(" of {}", bytes(moved)));
    line("a GB", document.joules_per_gb, "J/GB", &moved);
    line("", document.joules_above_idle_per_gb, "J/GB", " above idle");
    let capacity =
        document.battery_wh.map_or_else(String::new, |hours| format!(" of {hours} Wh at this power"));
    line("battery", document.battery_minutes, "min", &capacity);
    if let Some(why) = &document.withheld {
        let _ = writeln!(text, "  {}", style.clean(why));
    }
    if document.command.is_some() && document.exit_code != Some(0) {
        let how = document.exit_code.map_or("a signal".to_owned(), |code| format!("exit code {code}"));
        let _ = writeln!(text, "  The command ended with {how}.");
    }
    text
}

fn readings(meter: &MeterDocument) -> String {
    let mut text = format!("{} of {}", meter.taken, meter.due);
    if meter.missed > 0 {
        let _ = write!(text, ", {} missed", meter.missed);
    }
    for wrong in &meter.wrong {
        let _ = write!(text, ", {} {}", wrong.count, wrong.kind);
    }
    if meter.given_up {
        text += ", given up before the end";
    }
    text
}

fn idle_line(idle: &IdleDocument, style: TerminalStyle) -> String {
    let mut text = figure(idle.watts, "W", style);
    if let (Some(before), Some(after)) = (idle.before_watts, idle.after_watts) {
        // Adding nothing takes the sign from what is rounded to nothing.
        let drift = (idle.drift_watts.unwrap_or(0.0) * 1e3).round() / 1e3 + 0.0;
        let _ = write!(text, " ({:.3} W before, {:.3} W after: {drift:+.3} W)", before.value, after.value);
    }
    text
}

/// A figure with as many digits as its error bears: two digits of the error.
pub(super) fn figure(estimate: EstimateDocument, unit: &str, style: TerminalStyle) -> String {
    let sign = if style.ascii { "+-" } else { "±" };
    let EstimateDocument { value, error } = estimate;
    let known = error.filter(|error| *error > 0.0);
    let places = decimals(known.unwrap_or(value.abs() / 1e3));
    let shown = format!("{value:.places$}");
    // What is rounded to nothing has no sign.
    let value = if shown.parse() == Ok(0.0) { shown.trim_start_matches('-') } else { &shown };
    match (known, error) {
        (Some(error), _) => format!("{value} {sign} {error:.places$} {unit}"),
        (None, Some(_)) => format!("{value} {unit}"),
        (None, None) => format!("{value} {unit} (error not known)"),
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
    use super::*;

    #[test]
    fn a_figure_has_the_digits_that_its_error_bears() {
        let shown = |value, error| {
            figure(EstimateDocument { value, error: Some(error) }, "J", TerminalStyle::default())
        };
        assert_eq!(shown(123.456_78, 0.012_3), "123.457 ± 0.012 J");
        assert_eq!(shown(123_456.7, 321.0), "123457 ± 321 J");
        assert_eq!(shown(5.0, 0.0), "5.0000 J");
        let of = EstimateDocument { value: 5.0, error: None };
        assert_eq!(figure(of, "J", TerminalStyle::default()), "5.0000 J (error not known)");
        assert_eq!(shown(-0.000_1, 0.1), "0.00 ± 0.10 J");
    }
}
