//! What was ever written to drives.

mod document;
mod since;
mod terminal;

pub use document::{
    Ext4Document, LIFETIME_SCHEMA, LifetimeDocument, LifetimeDrive, RatedDocument, SinceDocument,
    WrittenDocument,
};
pub use since::since;
pub use terminal::lifetime_terminal;
