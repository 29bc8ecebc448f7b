//! The page: one file that needs nothing else, neither a network nor, for its text and tables, a script.

mod catalogue;
mod cells;
mod conditions;
mod context;
mod document;
mod table;
mod verdicts;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::chart::Size;
use crate::format::each_once;
use crate::page::{self, Role};
use crate::{Block, FileStart, Page, Section, View};
use catalogue::{catalogue, chart};
use conditions::conditions;
use context::{Context, Looks};
use table::{figures, table};
use verdicts::{notices, unbroken, verdicts};

/// The page's own program, bundled by the build.
const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/page.js"));

const STYLE: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/style.css"));
/// The hashes by which the page's security policy admits its script and its style sheet and nothing else.
const SCRIPT_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/page.js.sha256"));
const STYLE_HASH: &str = include_str!(concat!(env!("OUT_DIR"), "/page/dist/style.css.sha256"));

/// The version of the program that makes the page, which may be another than the one that measured.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What every page begins with, and what its first bytes have in them: by these a page of this program is known.
pub const PAGE_MARK: FileStart = FileStart {
    start: b"<!DOCTYPE html><html lang=\"en\"",
    part: b"<meta name=\"generator\" content=\"drivelab\">",
};

/// The whole page as one HTML file. Its program draws the charts from the document that the page carries.
pub fn html(page: &Page) -> String {
    let looks = Looks::of_page(page);
    let document = embedded(&document::document(page, &looks));
    let anchors = context::anchors(page);
    let markup = html! {
        (DOCTYPE)
        html lang="en" class="still" {
            (head(page))
            body {
                (top(page))
                main class="wrap" {
                    @for (view, anchor) in page.views.iter().zip(&anchors) {
                        @if page.role(view) == Role::Summary { (lead(view, anchor, &looks)) }
                    }
                    @if page.views.len() > 1 { (contents(page, &anchors)) }
                    @for (view, anchor) in page.views.iter().zip(&anchors) {
                        (one_view(view, anchor, &looks, page.role(view)))
                    }
                }
                footer class="wrap" { p { "Made by drivelab " (VERSION) ". The page is this one file and needs no network." } }
                script type="application/json" id="page-document" { (PreEscaped(document)) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    markup.into_string()
}

/// What the head of a page of these views holds, within its first thousand bytes: by this a program knows what page it has.
pub fn views_mark(names: &[&str]) -> String {
    html! { meta name="drivelab-views" content=(names.join(" ")); }.into_string()
}

fn head(page: &Page) -> Markup {
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
fn top(page: &Page) -> Markup {
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

/// A document as JSON that can stand inside a script element: no `<` is left in it.
fn embedded(document: &document::Document) -> String {
    let json = serde_json::to_string(document).expect("columns and strings always become JSON");
    json.replace('<', "\\u003c").replace('\u{2028}', "\\u2028").replace('\u{2029}', "\\u2029")
}

/// The answer of the view that sums up the others, which stands before their contents.
fn lead(view: &View, anchor: &str, looks: &Looks) -> Markup {
    let context = Context { view, anchor, looks, heading: 3 };
    html! {
        section class="view" { section class="part" { (blocks(&context, leading_texts(view))) } }
    }
}

fn leading_texts(view: &View) -> &[Block] {
    let first = view.sections.first().map_or(&[][..], |section| &section.blocks);
    let texts = first.iter().take_while(|block| matches!(block, Block::Text(_)));
    &first[..texts.count()]
}

fn contents(page: &Page, anchors: &[String]) -> Markup {
    html! {
        nav class="contents" aria-label="Contents" {
            ol {
                @for (view, anchor) in page.views.iter().zip(anchors) {
                    li {
                        // The answers of the summary stand above the contents, and its title is that of the page.
                        @if page.role(view) == Role::Summary {
                            a href={ "#" (anchor) } { "Summary" }
                        } @else {
                            a href={ "#" (anchor) } { (view.title) }
                            @for answer in view.answers() { p { (answer) } }
                        }
                        span class="headings" {
                            @for (number, section) in view.sections.iter().enumerate() {
                                @if let Some(heading) = &section.heading {
                                    a href={ "#" (section_anchor(anchor, number)) } { (heading) } " "
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn section_anchor(anchor: &str, number: usize) -> String {
    format!("{anchor}-section-{}", number + 1)
}

fn one_view(view: &View, anchor: &str, looks: &Looks, role: Role) -> Markup {
    let is_titled = role != Role::Member;
    let said = if role == Role::Summary { leading_texts(view).len() } else { 0 };
    let context = Context { view, anchor, looks, heading: if is_titled { 3 } else { 4 } };
    // The switches of subjects stand above the first chart, and stay in sight from there on.
    let first_chart = view.sections.iter().position(|section| section.blocks.iter().any(has_chart));
    html! {
        section class="view" id=(anchor) {
            @if !is_titled {
                header class="view-head" { p class="kicker" { (view.kind) } h2 { (view.title) } }
            }
            @for (number, section) in view.sections.iter().enumerate() {
                @if Some(number) == first_chart { div class="switches" hidden {} }
                (one_section(&context, section, &section_anchor(anchor, number), if number == 0 { said } else { 0 }))
            }
        }
    }
}

fn has_chart(block: &Block) -> bool {
    match block {
        Block::Chart(_) => true,
        Block::Fold(fold) => fold.blocks.iter().any(has_chart),
        _ => false,
    }
}

/// A section without the blocks that were said before.
fn one_section(context: &Context, section: &Section, anchor: &str, said: usize) -> Markup {
    html! {
        section class="part" id=(anchor) {
            @if let Some(heading) = &section.heading {
                @if context.heading == 3 { h2 { (heading) } } @else { h3 { (heading) } }
            }
            (blocks(context, &section.blocks[said..]))
        }
    }
}

/// Blocks in their order; verdicts, and small charts, that follow each other stand next to each other.
fn blocks(context: &Context, all: &[Block]) -> Markup {
    html! { @for run in all.chunk_by(stand_together) { (together(context, run)) } }
}

fn stand_together(one: &Block, next: &Block) -> bool {
    match (one, next) {
        (Block::Verdict(_), Block::Verdict(_)) => true,
        (Block::Chart(one), Block::Chart(next)) => one.size == Size::Small && next.size == Size::Small,
        _ => false,
    }
}

fn together(context: &Context, run: &[Block]) -> Markup {
    let cards: Vec<_> = page::verdicts(run).collect();
    html! {
        @if !cards.is_empty() {
            (verdicts(context, &cards))
        } @else if run.len() > 1 {
            div class="charts" { @for block in run { (one(context, block)) } }
        } @else {
            @for block in run { (one(context, block)) }
        }
    }
}

fn one(context: &Context, block: &Block) -> Markup {
    match block {
        Block::Text(text) => html! { p class="text" { (unbroken(text)) } },
        Block::Verdict(verdict) => verdicts(context, &[verdict]),
        Block::Figures(of) => figures(context, of),
        Block::Table(of) => table(context, of),
        Block::Catalogue(of) => catalogue(context, of),
        Block::Chart(of) => chart(context, of),
        Block::Notices(all) => notices(all),
        Block::Conditions(of) => conditions(context, of),
        Block::Fold(fold) => html! {
            details class="fold" {
                summary { (fold.summary) }
                div class="folded" { (blocks(context, &fold.blocks)) }
            }
        },
    }
}

#[cfg(test)]
mod tests;
