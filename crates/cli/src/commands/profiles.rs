//! `drivelab profiles`.

use std::fmt::Write as _;

use drivelab_sim::{Spec, keys, shipped_profiles};

use super::output;
use crate::exit::{Ending, Failure};

/// The widest line.
const WIDTH: usize = 100;

/// Lists the simulated drives and the keys that can be overridden.
pub fn main() -> Result<Ending, Failure> {
    let mut text = String::from(
        "Simulated drives (sim:PROFILE, sim:FILE.toml; keys as in sim:PROFILE?KEY=VALUE&KEY=VALUE)\n\n",
    );
    for name in shipped_profiles() {
        let profile = Spec::parse(name)?;
        let size = profile.user_capacity().to_string();
        entry(&mut text, &format!("  {name:<12} {size:>9}  "), profile.description());
    }
    text += "\nKeys\n\n";
    for key in keys() {
        let range = if key.range.is_empty() { String::new() } else { format!(", {}", key.range) };
        let what = format!("{} ({}{range})", key.doc, key.unit);
        entry(&mut text, &format!("  {:<22} ", key.name), &what);
    }
    output::print(&text)
}

/// Adds a head and what is said of it, as many lines as it takes, each below the first.
fn entry(text: &mut String, head: &str, what: &str) {
    let margin = head.chars().count();
    let mut column = margin;
    text.push_str(head);
    for (number, word) in what.split_whitespace().enumerate() {
        let length = word.chars().count();
        if number > 0 && column + 1 + length > WIDTH {
            let _ = write!(text, "\n{:margin$}", "");
            column = margin;
        } else if number > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}
