//! Dots and their places.

use std::fmt::Write as _;

/// Dots as one path of points with round ends, which is the shortest way to write thousands.
pub(crate) fn path_of_dots(
    svg: &mut String,
    places: impl Iterator<Item = (f64, f64)>,
    width: f64,
    colour: &str,
) {
    let mut path = String::new();
    for (x, y) in places {
        let _ = write!(path, "M{} {}h0", tenth(x), tenth(y));
    }
    if !path.is_empty() {
        let _ = writeln!(
            svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-opacity=\".8\" \
             stroke-width=\"{width}\" stroke-linecap=\"round\"/>"
        );
    }
}

/// A coordinate with one decimal, and without it where that is zero.
pub(crate) fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}
