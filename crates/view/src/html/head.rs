//! The page's head and its first lines.

use maud::{Markup, PreEscaped, html};

use crate::Page;
use crate::format::each_once;

const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/style.css"));
/// The hashes by which the page's security policy admits its script and its style sheet and nothing else.
const SCRIPT_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/page.js.sha256"));
const STYLE_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/style.css.sha256"));

/// What the head of a page of these views holds, within its first thousand bytes: by this a program knows what page it has.
pub fn views_mark(names: &[&str]) -> String {
    html! { meta name="drivelab-views" content=(names.join(" ")); }.into_string()
}

pub(super) fn head(page: &Page) -> Markup {
    let views: Vec<&str> = page.views.iter().map(|view| view.name).collect();
    let policy = format!(
        "default-src 'none'; script-src '{SCRIPT_HASH}'; style-src '{STYLE_HASH}'; base-uri 'none'; form-action 'none'"
    );
    html! {
        head {
            meta charset="utf-8";
            meta http-equiv="Content-Security-Policy" content=(policy);
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta name="generator" content="drivelab";
            (PreEscaped(views_mark(&views)))
            title { (page.title) }
            style { (PreEscaped(STYLE)) }
        }
    }
}

/// The kinds of results, the title, and the place of the choice between light and dark.
pub(super) fn top(page: &Page) -> Markup {
    let kinds = each_once(page.views.iter().map(|view| view.kind.as_str()));
    html! {
        header class="top wrap" {
            div {
                p class="kicker" { "drivelab · " (kinds.join(", ")) }
                h1 { (page.title) }
            }
            div id="theme" class="theme" {}
        }
    }
}
