//! What blocks have to know of the page around them.

use maud::{Markup, html};

use super::looks::Looks;
use crate::View;

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
