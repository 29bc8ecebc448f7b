//! A line of progress on stderr: rewritten in place on a terminal, and printed anew every minute elsewhere.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::printable::printable;
use crate::{ParentProgress, output};

/// How often the line is rewritten on a terminal.
const ON_TERMINAL: Duration = Duration::from_millis(200);
/// How often it is printed where stderr is a file or a pipe.
const ELSEWHERE: Duration = Duration::from_secs(60);

/// A line of progress. Messages that are printed meanwhile stand above it.
#[derive(Debug)]
pub struct ProgressLine {
    /// The bar of the library.
    pub bar: ProgressBar,
    prefix: String,
    parent: Option<ParentProgress>,
    /// The highest share of the work until now: what is shown of the parent never goes back.
    highest: f64,
    every: Duration,
    shown_at: Instant,
}

impl ProgressLine {
    /// A line that begins with `prefix`, of `steps` steps, in a template of the library `indicatif`. What the work is a part of
    /// comes before that.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn new(
        prefix: &str,
        steps: Option<u64>,
        template: &str,
        parent: Option<&ParentProgress>,
    ) -> ProgressLine {
        let (target, every) = if std::io::stderr().is_terminal() {
            (ProgressDrawTarget::stderr(), ON_TERMINAL)
        } else {
            (ProgressDrawTarget::hidden(), ELSEWHERE)
        };
        let bar = ProgressBar::with_draw_target(steps, target);
        let style = ProgressStyle::with_template(template);
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        let (prefix, parent) = (prefix.to_owned(), parent.cloned());
        let mut line = ProgressLine { bar, prefix, parent, highest: 0.0, every, shown_at: Instant::now() };
        let prefix = line.prefix_at(0.0);
        line.bar.set_prefix(prefix);
        output::set_line(&line.bar);
        line
    }

    /// What the line begins with, where this share of the work is done: first what the command is a part of.
    fn prefix_at(&mut self, done: f64) -> String {
        self.highest = self.highest.max(done);
        let parent = self.parent.as_ref().map(|parent| format!("{}  ", parent.in_words(self.highest)));
        printable(&format!("{}{}", parent.unwrap_or_default(), self.prefix)).into_owned()
    }

    /// Whether it is time to show the line again; the next time is counted from then on.
    #[expect(clippy::disallowed_methods, reason = "a person watches in wall time")]
    pub fn is_due(&mut self) -> bool {
        let is_due = self.shown_at.elapsed() >= self.every;
        if is_due {
            self.shown_at = Instant::now();
        }
        is_due
    }

    /// Shows how far the work is: `steps` of all, and what goes on. Where stderr is no terminal, this prints a line.
    pub fn show(&mut self, steps: u64, message: String) {
        let all = self.bar.length().filter(|all| *all > 0);
        let prefix = self.prefix_at(all.map_or(0.0, |all| steps as f64 / all as f64));
        if self.bar.is_hidden() {
            let share = all.map(|all| steps * 100 / all);
            let share = share.map(|share| format!(", {share} %")).unwrap_or_default();
            say!("{prefix}  {message}{share}");
        } else {
            self.bar.set_prefix(prefix);
            self.bar.set_message(message);
            self.bar.set_position(steps);
        }
    }

    /// Takes the line away.
    pub fn clear(&self) {
        self.bar.finish_and_clear();
    }
}
