//! Typed cells.

use maud::{Markup, html};

use super::verdicts::{tone, unbroken};
use crate::{Cell, Quantity, Value};

pub(super) struct CellLook {
    /// What the head of its column names.
    pub quantity: Quantity,
    pub is_best: bool,
    /// The length of the bar behind it, from 0 to 1.
    pub bar: Option<f64>,
}

/// The content of a cell below a head that names its unit.
pub(super) fn content(cell: &Cell, look: &CellLook) -> Markup {
    let is_best = look.is_best || matches!(cell, Cell::Best(_));
    html! {
        @match cell {
            Cell::Nothing => { span class="nothing" { "-" } }
            Cell::Text(words) => { (words) }
            Cell::Verdict(of, words) => { span class={ "word " (tone(*of)) } { (words) } }
            Cell::Value(value) | Cell::Best(value) => {
                @if let Some(share) = look.bar { (bar(share, is_best)) }
                @if is_best { span class="star" title="the best value" { "★" } }
                span class=(if is_best { "number best" } else { "number" }) { (number(value, look.quantity)) }
                (interval(value, look.quantity))
            }
        }
    }
}

pub(super) fn with_unit(value: &Value) -> Markup {
    html! { span class="number" { (value.text().replace(' ', "\u{a0}")) (few(value)) } (interval(value, value.quantity)) }
}

/// A number below a head: without its unit where the head names it.
fn number(value: &Value, head: Quantity) -> Markup {
    let is_named = value.quantity == head;
    let text = if is_named { value.bound.with_sign(head.bare(value.number)) } else { value.text() };
    html! { (text.replace(' ', "\u{a0}")) (few(value)) }
}

/// The sign of a percentile beyond which few I/Os lie.
fn few(value: &Value) -> Markup {
    html! {
        @if let Some(count) = value.few {
            span class="few" title={ (count) " I/Os lie beyond it" } { "*" }
        }
    }
}

fn interval(value: &Value, quantity: Quantity) -> Markup {
    html! {
        @if let Some(ends) = value.interval {
            " " small { (quantity.bare(ends.low)) " to " (quantity.bare(ends.high)) }
        }
    }
}

/// A bar behind a figure. Its length is an attribute, since the page's security policy admits no styles of elements.
fn bar(share: f64, is_best: bool) -> Markup {
    let width = format!("{:.1}", share.clamp(0.0, 1.0) * 100.0);
    html! {
        svg class=(if is_best { "bar of-best" } else { "bar" }) viewBox="0 0 100 1" preserveAspectRatio="none"
            aria-hidden="true" { rect width=(width) height="1" {} }
    }
}

/// What the cells of a column share.
pub(super) struct HtmlColumn {
    quantity: Quantity,
    /// Whether none of its cells holds a value.
    pub is_words: bool,
    /// The greatest value, of which bars behind the cells are shares; none where there are no bars.
    most: Option<f64>,
}

impl HtmlColumn {
    pub(super) fn from_cells<'a>(
        quantity: Quantity,
        cells: impl Iterator<Item = &'a Cell>,
        has_bars: bool,
    ) -> HtmlColumn {
        let numbers: Vec<f64> = cells.filter_map(Cell::value).map(|value| value.number).collect();
        let most = numbers.iter().copied().filter(|number| number.is_finite()).fold(0.0, f64::max);
        HtmlColumn { quantity, is_words: numbers.is_empty(), most: Some(most).filter(|_| has_bars) }
    }

    pub(super) fn head(&self, name: &str) -> Markup {
        column_head(name, self.quantity.unit().filter(|_| !self.is_words), self.is_words)
    }

    pub(super) fn class(&self) -> Option<&'static str> {
        self.is_words.then_some("words")
    }

    pub(super) fn look(&self, cell: &Cell, is_best: bool) -> CellLook {
        let number = cell.value().map(|value| value.number).filter(|number| number.is_finite());
        let bar = number.zip(self.most).filter(|(_, most)| *most > 0.0).map(|(number, most)| number / most);
        CellLook { quantity: self.quantity, is_best, bar }
    }
}

pub(super) fn column_head(name: &str, unit: Option<&str>, is_words: bool) -> Markup {
    // "IOPS" says its unit already.
    let unit = unit.filter(|unit| *unit != name);
    html! { th scope="col" class=[is_words.then_some("words")] { (name) @if let Some(unit) = unit { " " small { (unit) } } } }
}

pub(super) fn list<'a>(caption: &str, rows: impl Iterator<Item = (&'a str, Markup)>) -> Markup {
    html! {
        table class="list" {
            caption { (caption) }
            tbody { @for (name, value) in rows { tr { th scope="row" { (name) } td { (value) } } } }
        }
    }
}

/// What the signs in cells mean, as far as they occur.
pub(super) fn explanations<'a>(cells: impl Iterator<Item = &'a Cell>, has_best: bool) -> Markup {
    let (mut has_few, mut has_interval, mut has_best) = (false, false, has_best);
    for cell in cells {
        has_few |= cell.value().is_some_and(|value| value.few.is_some());
        has_interval |= cell.value().is_some_and(|value| value.interval.is_some());
        has_best |= matches!(cell, Cell::Best(_));
    }
    let mut sentences = Vec::new();
    if has_best {
        sentences.push("★ The best value.");
    }
    if has_interval {
        sentences.push("Small figures are the ends of the 95\u{a0}% confidence interval.");
    }
    if has_few {
        sentences.push("* Fewer than ten I/Os lie beyond this percentile.");
    }
    html! { @if !sentences.is_empty() { p class="fine" { (sentences.join(" ")) } } }
}

pub(super) fn notes(notes: &[String]) -> Markup {
    html! { @for note in notes { p class="fine" { (unbroken(note)) } } }
}
