//! What is compared: runs, drives, traces.

/// One of several results that are compared, or the only one. Its place in a view's list is its place in every list of
/// values; its colour and its mark are those of its label on the whole page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// A short name that tells it from the others, such as "MX200, 25 % over-provisioning".
    pub label: String,
    /// What it is, in one line: model, capacity, what was asked for as far as the label does not say it.
    pub about: String,
    /// When and where it was measured, and what the user remarks on it: a line each.
    pub origin: Vec<String>,
    /// By what the page switches between subjects. All subjects of a view have the same facets in the same order.
    pub facets: Vec<Facet>,
}

/// A property by which a page switches between subjects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// The name of the property, such as "Drive".
    pub name: String,
    /// Its value, such as "MX200 (14501234)".
    pub value: String,
}

/// The subject at a place, where there are several that have to be told apart.
pub(crate) fn one_of_several(subjects: &[Subject], place: Option<usize>) -> Option<&Subject> {
    place.and_then(|place| subjects.get(place)).filter(|_| subjects.len() > 1)
}

impl Subject {
    /// A subject without facets.
    pub fn new(label: impl Into<String>, about: impl Into<String>) -> Subject {
        Subject { label: label.into(), about: about.into(), origin: Vec::new(), facets: Vec::new() }
    }

    /// Label and description in one line, without what is the title of its view.
    pub(crate) fn in_line(&self, title: &str) -> String {
        let parts = [self.label.as_str(), self.about.as_str()];
        let parts = parts.into_iter().filter(|part| !part.is_empty() && *part != title);
        parts.collect::<Vec<_>>().join(", ")
    }

    /// The subject with one more facet.
    #[must_use]
    pub fn with_facet(mut self, name: &str, value: impl Into<String>) -> Subject {
        self.facets.push(Facet { name: name.to_owned(), value: value.into() });
        self
    }
}
