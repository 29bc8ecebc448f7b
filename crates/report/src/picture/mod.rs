//! Still pictures: every graph of the page as SVG and PNG, on the same axes for all runs.

mod axis;
mod dots;
mod exceedance;
mod frame;
mod heat;
mod held;
mod ink;
mod raster;
mod scatter;

pub use raster::PictureError;

use crate::names::file_stem;
use crate::run::Comparison;
use held::HeldAxes;
use scatter::Part;

/// Every picture of a comparison as (file name, SVG): per run the rate of the whole run and of its steady
/// part on a logarithmic and on a linear scale, and the service time over time; for all runs together
/// the exceedance curves. The CSV beside each has the same stem, without the scale.
pub fn svg_pictures(comparison: &Comparison) -> Vec<(String, String)> {
    let axes = HeldAxes::of(comparison);
    let mut pictures = Vec::new();
    for (index, run) in comparison.runs.iter().enumerate() {
        let stem = file_stem(run, index);
        let rate = |x, y, part| scatter::picture(run, index, (x, y), part);
        let whole = rate(axes.time, axes.rate_log, Part::Whole);
        pictures.push((format!("{stem}-whole-log.svg"), whole));
        let steady = rate(axes.steady_time, axes.steady_log, Part::Judged);
        pictures.push((format!("{stem}-steady-log.svg"), steady));
        let linear = rate(axes.steady_time, axes.steady_linear, Part::Judged);
        pictures.push((format!("{stem}-steady-linear.svg"), linear));
        pictures.push((format!("{stem}-heat.svg"), heat::picture(run, &axes)));
    }
    pictures.push(("exceedance.svg".to_owned(), exceedance::picture(comparison, &axes)));
    pictures
}

/// The same pictures as (file name, PNG), at twice the size.
///
/// # Errors
///
/// Where a picture cannot be drawn, which would be a defect of this crate.
pub fn png_pictures(comparison: &Comparison) -> Result<Vec<(String, Vec<u8>)>, PictureError> {
    pixels(svg_pictures(comparison))
}

/// Pictures as (file name, PNG), at twice their size.
pub(crate) fn pixels(pictures: Vec<(String, String)>) -> Result<Vec<(String, Vec<u8>)>, PictureError> {
    let rasteriser = raster::Rasteriser::new();
    let png = |(name, svg): (String, String)| {
        let pixels = rasteriser.png(&svg)?;
        Ok((name.replace(".svg", ".png"), pixels))
    };
    pictures.into_iter().map(png).collect()
}

/// Every run's whole course in one picture, for a page without scripts.
pub(crate) fn small_multiples(comparison: &Comparison) -> String {
    let axes = HeldAxes::of(comparison);
    scatter::small_multiples(comparison, (axes.time, axes.rate_log))
}
