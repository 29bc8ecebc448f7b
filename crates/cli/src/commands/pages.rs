//! Pages that are there already.

use std::io::Read as _;
use std::path::Path;

use drivelab_files::open_regular;
use drivelab_runner::output;
use drivelab_view::format::shell_word;
use drivelab_view::views_mark;

/// Within how many bytes of a page its mark stands.
const HEAD: u64 = 4096;

/// Whether a file is a page with this view alone, such as `index`.
pub fn is_page_of(page: &Path, view: &str) -> bool {
    let mut head = Vec::new();
    let read = open_regular(page).and_then(|file| file.take(HEAD).read_to_end(&mut head));
    read.is_ok() && String::from_utf8_lossy(&head).contains(&views_mark(&[view]))
}

/// Says that a page has the name from before: to make it again, all records are read.
pub fn say_outdated(page: &Path, folder: &Path) {
    output::say(format_args!(
        "{} still has the name from before: `drivelab report {}` makes it again, which reads all records",
        page.display(),
        shell_word(&folder.to_string_lossy())
    ));
}
