//! What a result shows, as a list of blocks, and the renderers of such lists.
//!
//! Each kind of result makes a [`View`] of its results: sections of [`Block`]s whose figures are typed [`Value`]s, not
//! text. Every renderer shows the same blocks, so that a figure has the same name, unit and digits on the page, on the
//! terminal, in Markdown and in a CSV file. A [`Page`] holds the views of one or several kinds of results.
//!
//! The crate is pure: it reads no clock and no file, touches no device and prints nothing.

#![forbid(unsafe_code)]

mod bins;
mod catalogue;
mod cell_text;
pub mod chart;
mod conditions;
mod csv;
mod figures;
pub mod format;
mod html;
mod markdown;
mod page;
mod palette;
mod png;
mod subject;
mod svg;
mod table;
mod terminal;
mod value;
mod verdict;

pub use catalogue::{Catalogue, CatalogueCell, CatalogueRow, CatalogueSource, Curve};
pub use chart::Chart;
pub use conditions::Conditions;
pub use csv::csv;
pub use drivelab_documents::{Condition, Notice, Severity};
pub use figures::{Figure, FigureUse, Figures, KeyFigure, Ranking};
pub use format::times_as_fast;
pub use html::{PAGE_MARK, html, views_mark};
pub use markdown::markdown;
pub use page::{Block, Detail, FileStart, Fold, Page, Section, View};
pub use png::{PNG_MARK, png};
pub use subject::{Facet, Subject};
pub use svg::{SVG_MARK, svg};
pub use table::{Cell, Column, Columns, IntoCell, Row, Shading, Table};
pub use terminal::{TerminalStyle, terminal};
pub use value::{Better, Bound, Quantity, Value};
pub use verdict::{About, Tone, Verdict};
