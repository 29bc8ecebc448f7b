//! Renderers: pages, terminal, Markdown, CSV, pictures.

mod pictures;
mod renderers;
