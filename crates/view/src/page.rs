//! A page, and the views that it consists of.

use crate::{Block, Subject};

/// Everything that is shown of some results: one view for each kind of result among them.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// A name or a sentence, such as "Performance consistency of two drives".
    pub title: String,
    /// The views in the order in which they are shown.
    pub views: Vec<View>,
}

/// What one kind of result shows of one result, or of several that it compares.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// A name or a sentence: the title of the page where this is its only view, else the title of a part of it.
    pub title: String,
    /// The kind of result in words, such as "performance consistency".
    pub kind: String,
    /// The kind as it is spelled in commands and file names, such as `consistency`.
    pub name: &'static str,
    /// What is compared, in the order of the figures' values; one for a result that stands alone.
    pub subjects: Vec<Subject>,
    /// The sections in the order in which they are shown; the first one holds the answer.
    pub sections: Vec<Section>,
}

/// Blocks under one heading.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// The heading; none for the first section of a view, which stands below the view's title.
    pub heading: Option<String>,
    /// Where the section is shown.
    pub detail: Detail,
    /// What it holds.
    pub blocks: Vec<Block>,
}

/// Where a section is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Everywhere, the summary on the terminal included.
    Summary,
    /// On the page, in Markdown and in CSV files, but not in the summary on the terminal.
    Full,
}

impl Page {
    /// A page of one view, which gives it its title.
    pub fn of(view: View) -> Page {
        Page { title: view.title.clone(), views: vec![view] }
    }
}

impl Section {
    /// A section that every renderer shows.
    pub fn summary(heading: Option<&str>, blocks: Vec<Block>) -> Section {
        Section { heading: heading.map(str::to_owned), detail: Detail::Summary, blocks }
    }

    /// A section that the summary on the terminal leaves out.
    pub fn full(heading: &str, blocks: Vec<Block>) -> Section {
        Section { heading: Some(heading.to_owned()), detail: Detail::Full, blocks }
    }
}
