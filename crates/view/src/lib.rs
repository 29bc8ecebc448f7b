//! What a result shows, as a list of blocks, and the renderers of such lists.
//!
//! Each kind of result makes a [`View`] of its results: sections of [`Block`]s whose figures are typed [`Value`]s, not
//! text. Every renderer shows the same blocks, so that a figure has the same name, unit and digits on the page, on the
//! terminal, in Markdown and in a CSV file. A [`Page`] holds the views of one or several kinds of results.
//!
//! The crate is pure: it reads no clock and no file, touches no device and prints nothing.

#![forbid(unsafe_code)]

mod bins;
mod block;
mod catalogue;
mod cell_text;
pub mod chart;
mod columns;
mod conditions;
mod csv;
mod faster;
mod figures;
mod file_start;
pub mod format;
mod html;
mod key_figure;
mod markdown;
mod page;
pub mod palette;
mod png;
mod subject;
mod svg;
mod table;
mod terminal;
mod value;
mod verdict;

pub use block::{Block, Fold};
pub use catalogue::{Catalogue, CatalogueCell, CatalogueRow, CatalogueSource, Curve};
pub use chart::Chart;
pub use columns::{Columns, IntoCell};
pub use conditions::Conditions;
pub use csv::csv;
pub use drivelab_record::{Condition, Notice, Severity};
pub use faster::times_as_fast;
pub use figures::{Figure, Figures, Ranking};
pub use file_start::FileStart;
pub use html::{PAGE_MARK, html, views_mark};
pub use key_figure::{FigureUse, KeyFigure};
pub use markdown::markdown;
pub use page::{Detail, Page, Section, View};
pub use png::{PNG_MARK, PictureError, png};
pub use subject::{Facet, Subject};
pub use svg::{Background, SVG_MARK, SvgStyle, svg};
pub use table::{Cell, Column, Row, Shading, Table};
pub use terminal::{TerminalStyle, terminal};
pub use value::{Better, Bound, Interval, Quantity, Value};
pub use verdict::{About, Tone, Verdict};
