//! Under which conditions the results were made: what they share once, what differs for each.

use maud::{Markup, html};

use super::cells;
use super::context::Context;
use super::verdicts::unbroken;
use crate::Conditions;
use crate::conditions::ConditionRow;

/// More rows than these are shown when they are asked for.
const SHOWN_ROWS: usize = 14;

pub(super) fn conditions(context: &Context, conditions: &Conditions) -> Markup {
    let (differing, shared): (Vec<_>, Vec<_>) =
        conditions.rows().into_iter().partition(ConditionRow::differs);
    let count = conditions.of_subjects.len();
    let summary = match count {
        1 => format!("All {} conditions", shared.len()),
        2 => format!("The {} conditions that both have in common", shared.len()),
        _ => format!("The {} conditions that all {count} have in common", shared.len()),
    };
    html! {
        @if !differing.is_empty() { (differences(context, &differing)) }
        @if shared.len() > SHOWN_ROWS {
            details class="fold" { summary { (summary) } (list(&shared)) }
        } @else if !shared.is_empty() {
            @if count > 1 { p class="lead" { (summary) } }
            (list(&shared))
        }
    }
}

/// What all subjects share, a list for each group.
fn list(rows: &[ConditionRow]) -> Markup {
    html! {
        div class="lists conditions" {
            @for group in rows.chunk_by(|one, next| one.group == next.group) {
                (cells::list(group[0].group, group.iter().map(|row| (row.name, html! { (unbroken(&row.shared())) }))))
            }
        }
    }
}

fn differences(context: &Context, rows: &[ConditionRow]) -> Markup {
    html! {
        div class="scroller" tabindex="0" role="region" aria-label="Conditions that differ" {
            table class="differing" {
                caption { "Conditions that differ" }
                thead {
                    tr {
                        th scope="col" {}
                        @for (place, subject) in context.view.subjects.iter().enumerate() {
                            th scope="col" { (context.mark(Some(place))) (subject.label) }
                        }
                    }
                }
                @for group in rows.chunk_by(|one, next| one.group == next.group) {
                    tbody {
                        @for row in group {
                            tr {
                                th scope="row" { span class="differs" title="differs" { "≠" } span class="name" { (row.name) }
                                    small { (row.group) } }
                                @for value in &row.values { td class="words" { (unbroken(value.unwrap_or("-"))) } }
                            }
                        }
                    }
                }
            }
        }
    }
}
