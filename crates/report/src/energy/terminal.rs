//! Energy on the terminal.

use std::fmt::Write as _;

use drivelab_record::{EnergyDocument, EstimateDocument, IdleDocument};

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
    let _ = writeln!(text, "  readings    {}", meter.readings());
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

fn idle_line(idle: &IdleDocument, style: TerminalStyle) -> String {
    let mut text = figure(idle.watts, "W", style);
    if let (Some(before), Some(after)) = (idle.before_watts, idle.after_watts) {
        // Adding nothing takes the sign from what is rounded to nothing.
        let drift = (idle.drift_watts.unwrap_or(0.0) * 1e3).round() / 1e3 + 0.0;
        let _ = write!(text, " ({:.3} W before, {:.3} W after: {drift:+.3} W)", before.value, after.value);
    }
    text
}

/// A figure with its unit.
pub(super) fn figure(estimate: EstimateDocument, unit: &str, style: TerminalStyle) -> String {
    let text = estimate.text(unit);
    if style.ascii { text.replace('±', "+-") } else { text }
}
