//! What a result comes to, in words.

use drivelab_documents::Notice;

/// What one result comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The place of the result among the view's subjects; none where the verdict concerns all of them.
    pub subject: Option<usize>,
    /// Whether the reader would be glad of it.
    pub tone: Tone,
    /// The verdict in one to four words, such as "Steady" or "Not shown".
    pub mark: String,
    /// The sentence that answers the user's question, with its figures.
    pub sentence: String,
    /// What that sentence is about.
    pub about: About,
    /// Further sentences, each a paragraph of its own.
    pub details: Vec<String>,
    /// What takes from the figures of this result alone; what all results share is a block of its own.
    pub notices: Vec<Notice>,
}

/// What the sentence of a verdict is about: of a drive on which I/Os failed it is read in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Figures of the I/Os that succeeded.
    Figures,
    /// Something that is as true if others failed, such as what was read back, or why something is not shown.
    Findings,
    /// That there are no figures, since no I/O succeeded.
    Nothing,
}

/// Whether a reader would be glad of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// What one hopes for was shown.
    Good,
    /// What one hopes for was not shown, and neither was its opposite.
    Undecided,
    /// A weakness was shown.
    Bad,
    /// A fact that is neither good nor bad.
    Neutral,
}

impl Verdict {
    /// A verdict on one subject, without details and notices; its sentence is one of figures.
    pub fn on(subject: usize, tone: Tone, mark: &str, sentence: impl Into<String>) -> Verdict {
        Verdict {
            subject: Some(subject),
            tone,
            mark: mark.to_owned(),
            sentence: sentence.into(),
            about: About::Figures,
            details: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// The verdict with a sentence about something else.
    #[must_use]
    pub fn about(self, about: About) -> Verdict {
        Verdict { about, ..self }
    }
}
