//! The page's head and its first lines.

use std::fmt::Write as _;

use super::{Escaped, SCRIPT_HASH, STYLE, STYLE_HASH};
use crate::run::Comparison;

/// Opens the document up to its title.
pub(super) fn open(page: &mut String, comparison: &Comparison) {
    open_page(page, &comparison.title, &methods(comparison), SCRIPT_HASH);
}

/// Opens a document with this title, a line above it, and the hash of the one script that it admits.
pub(crate) fn open_page(page: &mut String, title: &str, kicker: &str, script_hash: &str) {
    let title = Escaped(title);
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\" class=\"still\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         script-src '{script_hash}'; \
         style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"drivelab\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n"
    );
    let _ = writeln!(
        page,
        "<header class=\"top wrap\"><div><p class=\"kicker\">{}</p><h1>{title}</h1></div>\
         <div id=\"theme\" class=\"theme\"></div></header>",
        Escaped(kicker)
    );
}

/// The methods of the runs, each once.
fn methods(comparison: &Comparison) -> String {
    let mut methods: Vec<&str> = Vec::new();
    for run in &comparison.runs {
        if !methods.contains(&run.method.as_str()) {
            methods.push(&run.method);
        }
    }
    format!("drivelab · {}", methods.join(", "))
}
