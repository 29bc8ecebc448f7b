//! Rust sources as the rules see them: parsed, with every name in them, and without what is compiled for tests alone.

mod facts;
mod parsed;
mod product;
mod resolved;
mod walk;
mod workspace;

pub use facts::Form;
pub use resolved::Reference;
pub use workspace::{Krate, Module, Workspace};
