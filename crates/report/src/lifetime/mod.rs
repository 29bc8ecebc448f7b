//! What was ever written to drives.

mod document;
mod lines;
mod page;
mod since;
mod terminal;

pub use document::{
    Ext4Document, LIFETIME_SCHEMA, LifetimeDocument, LifetimeDrive, RatedDocument, SinceDocument,
    WrittenDocument,
};
pub use page::lifetime_html;
pub use since::{ext4_untold, since};
pub use terminal::lifetime_terminal;
