//! A page, and the views that it consists of.

use std::collections::BTreeSet;

use drivelab_documents::Notice;

use crate::format::counted;
use crate::subject::one_of_several;
use crate::{Catalogue, Chart, Conditions, Figures, Subject, Table, Verdict};

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

/// Up to this number of verdicts have their sentences among the contents of a page.
const SENTENCES_MAX: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The only one, to which the title of the page belongs.
    Alone,
    /// The summary of the others, to which the title of the page belongs, and whose answers are those of the page.
    Summary,
    /// One of several.
    Member,
}

pub(crate) fn verdicts<'a>(blocks: impl IntoIterator<Item = &'a Block>) -> impl Iterator<Item = &'a Verdict> {
    blocks.into_iter().filter_map(|block| match block {
        Block::Verdict(verdict) => Some(verdict),
        _ => None,
    })
}

impl Page {
    /// A page of one view, which gives it its title.
    pub fn from_view(view: View) -> Page {
        Page { title: view.title.clone(), views: vec![view] }
    }

    pub(crate) fn role(&self, view: &View) -> Role {
        match self.views.len() {
            1 => Role::Alone,
            _ if view.title == self.title => Role::Summary,
            _ => Role::Member,
        }
    }

    /// The views whose answers stand before all of them: where none is the summary of the others, each.
    pub(crate) fn answering(&self) -> impl Iterator<Item = &View> {
        let are_alike = self.views.iter().all(|view| self.role(view) == Role::Member);
        self.views.iter().filter(move |_| are_alike)
    }
}

impl View {
    /// All blocks in their order, a fold before those that it folds away.
    pub(crate) fn blocks(&self) -> Vec<&Block> {
        fn add<'a>(blocks: &'a [Block], all: &mut Vec<&'a Block>) {
            for block in blocks {
                all.push(block);
                if let Block::Fold(fold) = block {
                    add(&fold.blocks, all);
                }
            }
        }
        let mut all = Vec::new();
        self.sections.iter().for_each(|section| add(&section.blocks, &mut all));
        all
    }

    /// All charts, those that are folded away included.
    pub fn charts(&self) -> impl Iterator<Item = &Chart> {
        self.blocks().into_iter().filter_map(|block| match block {
            Block::Chart(chart) => Some(chart),
            _ => None,
        })
    }

    /// The answer of the view, a sentence or more: what compares all results, or else the verdict of each.
    pub fn answers(&self) -> Vec<String> {
        let first = self.sections.first().map_or(&[][..], |section| &section.blocks);
        let leading = first.iter().take_while(|block| !matches!(block, Block::Verdict(_)));
        let texts = leading.filter_map(|block| match block {
            Block::Text(text) => Some(text.clone()),
            _ => None,
        });
        let comparing: Vec<String> = texts.collect();
        if !comparing.is_empty() {
            return comparing;
        }
        let verdicts: Vec<&Verdict> = verdicts(first).collect();
        // The sentences of many results are read where they stand; here it is enough to know which is which.
        match verdicts.len() {
            0..=SENTENCES_MAX => verdicts.iter().map(|verdict| self.judged(verdict)).collect(),
            _ => vec![self.marked(&verdicts)],
        }
    }

    /// Many verdicts, each mark once with the labels of its subjects, or for all of them. A subject may have several verdicts.
    fn marked(&self, verdicts: &[&Verdict]) -> String {
        let mut marks: Vec<(&str, BTreeSet<usize>)> = Vec::new();
        for verdict in verdicts {
            match marks.iter_mut().find(|(mark, _)| *mark == verdict.mark) {
                Some((_, subjects)) => subjects.extend(verdict.subject),
                None => marks.push((&verdict.mark, verdict.subject.into_iter().collect())),
            }
        }
        let sentence = |(mark, subjects): &(&str, BTreeSet<usize>)| match subjects.len() {
            0 => format!("{mark}."),
            2 if self.subjects.len() == 2 => format!("{mark}: both results."),
            many if many == self.subjects.len() => format!("{mark}: all {} results.", counted(many)),
            _ => {
                let labels = subjects.iter().filter_map(|subject| self.subjects.get(*subject));
                let labels: Vec<&str> = labels.map(|subject| subject.label.as_str()).collect();
                format!("{mark}: {}.", labels.join("; "))
            }
        };
        marks.iter().map(sentence).collect::<Vec<_>>().join(" ")
    }

    /// A verdict in one line, with the label of its subject where there are several.
    fn judged(&self, verdict: &Verdict) -> String {
        let answer = format!("{}: {}", verdict.mark, verdict.sentence);
        match one_of_several(&self.subjects, verdict.subject) {
            Some(subject) => format!("{}: {answer}", subject.label),
            None => answer,
        }
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

/// What the files of one kind have in common, and no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStart {
    /// What each of them begins with.
    pub start: &'static [u8],
    /// What is among its first bytes, too; empty if the start alone is enough.
    pub part: &'static [u8],
}

/// One thing that is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A paragraph of plain sentences.
    Text(String),
    /// What one result comes to, with the notices that take from it.
    Verdict(Verdict),
    /// Figures of one result, or of several that are compared.
    Figures(Figures),
    /// Any other table.
    Table(Table),
    /// A table of many things, of which a reader chooses.
    Catalogue(Catalogue),
    /// A picture of values, which are also its table.
    Chart(Chart),
    /// What the reader has to know before believing the figures.
    Notices(Vec<Notice>),
    /// Under which conditions the results were made.
    Conditions(Conditions),
    /// Blocks that a page shows when they are asked for.
    Fold(Fold),
}

/// Blocks that a page shows when they are asked for; the summary on the terminal leaves them out.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// What is folded away, such as "All 56 cells".
    pub summary: String,
    /// The blocks.
    pub blocks: Vec<Block>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tone;

    #[test]
    fn a_mark_of_many_verdicts_names_each_subject_once_or_all_of_them() {
        let subjects = ["one", "two", "three"].map(|label| Subject::new(label, ""));
        let answer = |marks: &[(&str, usize)]| {
            let verdict = |(mark, subject): &(&str, usize)| {
                let sentence = String::new();
                Block::Verdict(Verdict::on(*subject, Tone::Good, mark, sentence))
            };
            let blocks = marks.iter().map(verdict).collect();
            let (title, kind, subjects) = (String::new(), String::new(), subjects.to_vec());
            let view =
                View { title, kind, name: "kind", subjects, sections: vec![Section::summary(None, blocks)] };
            view.answers().concat()
        };
        assert_eq!(
            answer(&[("Yes", 0), ("Yes", 1), ("No", 1), ("Yes", 2)]),
            "Yes: all three results. No: two."
        );
        assert_eq!(answer(&[("Yes", 0), ("Yes", 0), ("No", 1), ("No", 2)]), "Yes: one. No: two; three.");
    }
}
