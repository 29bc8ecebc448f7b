//! Pages that are left as they are although the name of their result has changed.

use std::path::Path;

use drivelab_runner::output;
use drivelab_view::format::shell_word;

/// Says that a page has the name from before: to make it again, all records are read.
pub fn say_outdated(page: &Path, folder: &Path) {
    output::say(format_args!(
        "{} still has the name from before: `drivelab report {}` makes it again, which reads all records",
        page.display(),
        shell_word(&folder.to_string_lossy())
    ));
}
