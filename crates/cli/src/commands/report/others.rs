//! Folders of commands whose pages are not made anew.

use std::path::Path;

use drivelab_record::{RunFolder, is_run_folder};
use drivelab_runner::Failure;

/// What lies in a folder: the document, whose it is, and its page. Folders of an earlier version have no run.json.
const KEPT: [(&str, &str, &str); 4] = [
    ("energy.json", "the energy of a command of an earlier version", "report.html"),
    ("matrix.json", "a matrix of an earlier version", "matrix.html"),
    ("paths.json", "a comparison of paths of an earlier version", "report.html"),
    ("pts.json", "tests in rounds of an earlier version", "report.html"),
];

/// Why a folder is of no use to a report; `None` where it holds a run, or nothing that is known.
pub fn page_of(folder: &Path) -> Option<Failure> {
    let shown = folder.display();
    let (what, page) = match RunFolder::open(folder) {
        Ok(_) => return None,
        // A run whose manifest is damaged is one still; its energy may lie beside it.
        Err(_) if is_run_folder(folder) => return None,
        Err(_) => KEPT
            .iter()
            .find(|(file, ..)| folder.join(file).is_file())
            .map(|(_, what, page)| (*what, *page))?,
    };
    let page = folder.join(page);
    let mend = if page.is_file() {
        format!("whose page was made with it: open {}", page.display())
    } else {
        "and its page is not there: only the command itself makes it".to_owned()
    };
    Some(Failure::Usage(format!("{shown} holds {what}, {mend}")))
}
