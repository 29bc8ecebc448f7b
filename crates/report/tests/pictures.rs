//! Still pictures: there are all of them, and the words in them do not depend on the machine's fonts.

mod support;

use drivelab_analysis::LoopKind;
use drivelab_block::Nanos;
use drivelab_report::{csv, png_pictures, svg_pictures};

#[test]
fn every_picture_is_there_with_its_data_beside_it() {
    let phase = support::phase(&support::falling(), LoopKind::Open);
    let comparison = support::comparison([support::run("Granite G400", &phase, Nanos::from_secs(30))]);
    let names: Vec<String> = svg_pictures(&comparison).into_iter().map(|(name, _)| name).collect();
    let wanted = [
        "01-granite-g400-25pc-whole-log.svg",
        "01-granite-g400-25pc-steady-log.svg",
        "01-granite-g400-25pc-steady-linear.svg",
        "01-granite-g400-25pc-heat.svg",
        "exceedance.svg",
    ];
    assert_eq!(names, wanted);
    let tables: Vec<String> =
        csv(&comparison).into_iter().map(|(name, _)| name.replace(".csv", "")).collect();
    for name in names {
        assert!(tables.iter().any(|table| name.starts_with(table)), "{name} has no table");
    }
}

#[test]
fn pixels_hold_words_without_a_font_of_the_machine() {
    let nothing = support::nothing(LoopKind::Closed);
    let comparison = support::comparison([support::run("Empty", &nothing, Nanos::ZERO)]);
    let pictures = png_pictures(&comparison).expect("every picture can be drawn");
    assert_eq!(pictures.len(), 5);
    let (_, png) = &pictures[0];
    assert!(png.starts_with(b"\x89PNG"));
    let pixels = resvg::tiny_skia::Pixmap::decode_png(png).expect("it is a PNG");
    // The title stands in the upper left: an empty strip there would mean that no font was found.
    let is_ink = |x, y| pixels.pixel(x, y).is_some_and(|pixel| pixel.red() < 100);
    let ink = (20..400).flat_map(|x| (20..60).map(move |y| (x, y))).filter(|(x, y)| is_ink(*x, *y)).count();
    assert!(ink > 500, "{ink} dark pixels");
}
