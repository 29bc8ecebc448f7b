//! Charts as still pictures.

mod canvas;
mod frame;
mod heat;
mod landmarks;
mod legend;
mod marks;
mod panels;
mod picture;
mod plane;
mod scale;
mod series;
mod ticks;
mod words;

pub use picture::svg;

use crate::FileStart;

/// What every picture in a file begins with.
const FILE_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!-- Made by drivelab -->\n";

/// What every picture in a file begins with, by which a picture of this program is known; and what else it has in it: nothing.
pub const SVG_MARK: FileStart = FileStart { start: FILE_START.as_bytes(), part: b"" };
