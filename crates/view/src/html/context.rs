//! What blocks have to know of the page around them, and the names of elements, by which links and the page's program find
//! them.

use maud::{Markup, html};

use super::looks::Looks;
use crate::{Page, View};

/// What a block has to know of the page around it.
pub(super) struct Context<'a> {
    pub view: &'a View,
    /// The name of the view in links.
    pub anchor: &'a str,
    pub looks: &'a Looks<'a>,
    /// The level of the headings of charts.
    pub heading: u8,
}

impl Context<'_> {
    /// The mark of a subject, where several are told apart.
    pub(super) fn mark(&self, subject: Option<usize>) -> Markup {
        let subject = subject.and_then(|place| self.view.subjects.get(place));
        html! { @if let Some(subject) = subject { (self.looks.mark(&subject.label)) } }
    }
}

/// A name for each view, unique on the page: that of its kind, with a number from the second one of a kind on.
pub(super) fn anchors(page: &Page) -> Vec<String> {
    let names: Vec<&str> = page.views.iter().map(|view| view.name).collect();
    let earlier = |place: usize| names[..place].iter().filter(|name| **name == names[place]).count();
    let anchor = |place: usize| match earlier(place) {
        0 => names[place].to_owned(),
        earlier => format!("{}-{}", names[place], earlier + 1),
    };
    (0..names.len()).map(anchor).collect()
}

/// The name of the element that holds a catalogue, or that a chart is drawn into.
pub(super) fn place(anchor: &str, id: &str) -> String {
    format!("{anchor}-{id}")
}
