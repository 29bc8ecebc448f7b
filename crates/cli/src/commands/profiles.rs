//! `drivelab profiles`.

use std::fmt::Write as _;

use drivelab_sim::{Spec, keys, shipped_profiles};

use super::output;
use crate::exit::{Ending, Failure};

/// Lists the simulated drives and the keys that can be overridden.
pub fn main() -> Result<Ending, Failure> {
    let mut text = String::from(
        "Simulated drives (sim:PROFILE, sim:FILE.toml; keys as in sim:PROFILE?KEY=VALUE&KEY=VALUE)\n\n",
    );
    for name in shipped_profiles() {
        let profile = Spec::parse(name)?;
        let size = profile.user_capacity().to_string();
        let _ = writeln!(text, "  {name:<12} {size:>9}  {}", profile.description());
    }
    text += "\nKeys\n\n";
    for key in keys() {
        let range = if key.range.is_empty() { String::new() } else { format!(", {}", key.range) };
        let _ = writeln!(text, "  {:<22} {} ({}{range})", key.name, key.doc, key.unit);
    }
    output::print(&text)
}
