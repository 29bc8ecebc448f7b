//! What a result comes to, in words.

use drivelab_record::Notice;

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
    /// Further sentences, each a paragraph of its own.
    pub details: Vec<String>,
    /// What takes from the figures of this result alone; what all results share is a block of its own.
    pub notices: Vec<Notice>,
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
    /// A verdict on one subject, without details and notices.
    pub fn on(subject: usize, tone: Tone, mark: &str, sentence: impl Into<String>) -> Verdict {
        Verdict {
            subject: Some(subject),
            tone,
            mark: mark.to_owned(),
            sentence: sentence.into(),
            details: Vec::new(),
            notices: Vec::new(),
        }
    }
}
