//! What renderers show of a page.

mod csv;
mod pages;
