//! The colours of still pictures: those of the page in daylight.

/// Text.
pub(crate) const INK: &str = "#16191d";
/// Text of less weight, and lines that mean something.
pub(crate) const MUTED: &str = "#5a626b";
/// Lines of the grid.
pub(crate) const LINE: &str = "#e4e5e3";
/// What failed.
pub(crate) const ALERT: &str = "#b3261e";
/// The family that is bundled for pictures comes first, then whatever the reader's system has.
pub(crate) const FONT: &str = "DejaVu Sans, system-ui, sans-serif";

const RUNS: [&str; 8] =
    ["#0b66b3", "#c4460f", "#0a7a5c", "#8b3c91", "#96660a", "#0b8ba8", "#bb2364", "#4a5563"];
const HEAT: [[f64; 3]; 5] = [
    [201.0, 230.0, 189.0],
    [116.0, 198.0, 184.0],
    [36.0, 137.0, 189.0],
    [35.0, 80.0, 159.0],
    [10.0, 28.0, 85.0],
];

/// The colour of a run, by its place in the comparison.
pub(crate) fn run(index: usize) -> &'static str {
    RUNS[index % RUNS.len()]
}

/// Steps of the scale of a heat map.
pub(crate) const SHADES: usize = 24;

/// A colour of the heat map's scale, from few (0) to many.
pub(crate) fn shade(step: usize) -> String {
    let along = step.min(SHADES - 1) as f64 / (SHADES - 1) as f64 * (HEAT.len() - 1) as f64;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 4")]
    let stop = (along as usize).min(HEAT.len() - 2);
    let mixed = |channel: usize| {
        let (from, to) = (HEAT[stop][channel], HEAT[stop + 1][channel]);
        (from + (to - from) * (along - stop as f64)).round()
    };
    format!("rgb({},{},{})", mixed(0), mixed(1), mixed(2))
}
