//! Every kind of block as markup.

use maud::{Markup, html};

use super::catalogue::{catalogue, chart};
use super::conditions::conditions;
use super::context::Context;
use super::figures::figures;
use super::table::table;
use super::verdicts::{notices, unbroken, verdicts};
use crate::Block;
use crate::chart::Size;
use crate::page;

/// Blocks in their order; verdicts, and small charts, that follow each other stand next to each other.
pub(super) fn blocks(context: &Context, all: &[Block]) -> Markup {
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
