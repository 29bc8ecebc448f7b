//! Pictures as pixels, with a font of their own: the same on a machine that has none.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

/// Pixels of the PNG for each pixel of the SVG: sharp on dense screens and in print.
const DENSITY: f32 = 2.0;
const FAMILY: &str = "DejaVu Sans";

/// Why a picture could not be made into pixels.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// The SVG is not one.
    #[error("the picture cannot be read: {0}")]
    Svg(String),
    /// It has no pixels, or more than memory holds.
    #[error("the picture has no size that can be drawn")]
    Size,
    /// The pixels could not be written as PNG.
    #[error("the picture cannot be written as PNG: {0}")]
    Png(String),
}

/// Draws SVG pictures; loading the font once serves many.
pub(super) struct Rasteriser {
    options: Options<'static>,
}

impl Rasteriser {
    pub fn new() -> Rasteriser {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family(FAMILY);
        let options =
            Options { font_family: FAMILY.to_owned(), fontdb: Arc::new(fonts), ..Options::default() };
        Rasteriser { options }
    }

    /// The picture as PNG, at twice its size.
    pub fn png(&self, svg: &str) -> Result<Vec<u8>, PictureError> {
        let tree =
            Tree::from_str(svg, &self.options).map_err(|error| PictureError::Svg(error.to_string()))?;
        let size = tree.size().to_int_size().scale_by(DENSITY).ok_or(PictureError::Size)?;
        let mut pixels = Pixmap::new(size.width(), size.height()).ok_or(PictureError::Size)?;
        resvg::render(&tree, Transform::from_scale(DENSITY, DENSITY), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| PictureError::Png(error.to_string()))
    }
}
