//! Pictures as pixels, with a font of their own: the same on a machine that has none.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::svg::svg;
use crate::{Chart, FileStart, Subject};

/// Pixels of the PNG for each pixel of the SVG: sharp on dense screens and in print.
const DENSITY: f32 = 1.25;
/// A picture that would have more pixels than this is drawn smaller.
const PIXELS_MAX: f32 = 60e6;
/// What has no pixels, or more than memory holds.
const NO_SIZE: &str = "the picture has no size that can be drawn";
const FAMILY: &str = "DejaVu Sans";

/// The signature of a PNG file, and the chunk that comes first (IHDR).
const HEADER_BYTES: usize = 8 + 25;
/// A chunk that names the program: its length, its kind, `Software`, the name and its CRC-32 (PNG specification, 11.3.4.3).
const SOFTWARE: &[u8; 29] = b"\x00\x00\x00\x11tEXtSoftware\x00drivelab\xcc\xe8\x97\x0e";

/// What every PNG file begins with, and what the first bytes of one of this program have in them.
pub const PNG_MARK: FileStart = FileStart { start: b"\x89PNG\r\n\x1a\n", part: SOFTWARE };

/// Loading the fonts once serves many pictures.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family(FAMILY);
    Arc::new(fonts)
});

/// The chart as a PNG file, 2,000 pixels wide if it takes the whole width of a page.
///
/// # Errors
///
/// Where the picture cannot be drawn, which would be a defect of this crate, or memory does not suffice.
pub fn png(chart: &Chart, subjects: &[Subject]) -> Result<Vec<u8>, String> {
    let options =
        Options { font_family: FAMILY.to_owned(), fontdb: Arc::clone(&FONTS), ..Options::default() };
    let tree = Tree::from_str(&svg(chart, subjects), &options)
        .map_err(|error| format!("the picture cannot be read: {error}"))?;
    let area = tree.size().width() * tree.size().height();
    let density = DENSITY.min((PIXELS_MAX / area).sqrt());
    let size = tree.size().to_int_size().scale_by(density).ok_or(NO_SIZE)?;
    let mut pixels = Pixmap::new(size.width(), size.height()).ok_or(NO_SIZE)?;
    resvg::render(&tree, Transform::from_scale(density, density), &mut pixels.as_mut());
    let mut file =
        pixels.encode_png().map_err(|error| format!("the picture cannot be written as PNG: {error}"))?;
    file.splice(HEADER_BYTES..HEADER_BYTES, *SOFTWARE);
    Ok(file)
}
