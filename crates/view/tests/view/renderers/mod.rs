//! What the terminal, Markdown and CSV show of a page.

mod csv;
mod markdown;
mod pages;
#[path = "../../../examples/summary/samples.rs"]
mod samples;
mod terminal;
