//! What is shown of traces, and the schemas of documents.

mod schemas;
mod trace_pages;
mod why_slow;
