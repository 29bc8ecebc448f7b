//! `drivelab index`: every result below some folders, a row a drive.

mod link;
mod read;

use std::path::{Path, PathBuf};

use drivelab_inspect::InspectionDocument;
use drivelab_inspect::index::{Index, IndexFindings, view};
use drivelab_runner::{Ending, Failure, Outputs, check_page};
use drivelab_view::Page;

use crate::args::IndexArgs;
use crate::commands::found_folders::FoundFolders;
use crate::commands::own_page::is_page_of;
use link::PageLinks;

/// The page in the folder that is named alone.
const PAGE: &str = "index.html";

/// Makes the index. What cannot be read is named, and the rest is shown.
pub fn main(args: &IndexArgs) -> Result<Ending, Failure> {
    let page = page_of(args)?;
    let found = FoundFolders::below(&args.folders)?;
    let links = PageLinks::from(page.as_deref());
    let index = index_of(found, &links);
    if index.results() == 0 {
        let text =
            "there is no result in it: name a folder below which -o or --output made folders of results";
        let named: Vec<String> = args.folders.iter().map(|folder| folder.display().to_string()).collect();
        let all = std::iter::once(format!("{}: {text}", named.join(", "))).chain(index.left_out);
        return Err(Failure::Usage(all.collect::<Vec<_>>().join("\n")));
    }
    let outputs = Outputs {
        page: page.as_deref(),
        own_page: page.as_deref().filter(|_| args.report.is_none()),
        csv: args.csv.as_deref(),
        markdown: args.markdown,
        json: args.json.is_asked(),
        ..Outputs::default()
    };
    outputs.make(
        &Page::from_view(view(&index)),
        &[InspectionDocument::new(IndexFindings::from_index(&index))],
    )?;
    Ok(if index.left_out.is_empty() { Ending::Passed } else { Ending::CheckFailed })
}

/// Where the page is written; nowhere where several folders are named and no page is. It replaces no page but an index.
fn page_of(args: &IndexArgs) -> Result<Option<PathBuf>, Failure> {
    let own = match args.folders.as_slice() {
        [folder] => Some(folder.join(PAGE)),
        _ => None,
    };
    let page = args.report.clone().or(own);
    if let Some(page) = &page {
        check_page(page, is_page_of(page, "index").then_some(page.as_path()))?;
    }
    Ok(page)
}

fn index_of(found: FoundFolders, links: &PageLinks) -> Index {
    let FoundFolders { runs, boots, traces, mut left_out } = found;
    let mut results = Vec::new();
    let mut take = |read: Result<_, Failure>| match read {
        Ok(result) => results.push(result),
        Err(failure) => left_out.push(failure.to_string()),
    };
    runs.iter().for_each(|folder| take(read::run(folder, links)));
    boots.iter().for_each(|folder| take(read::boot(folder, links)));
    let mut read_traces = Vec::new();
    for folder in &traces {
        match read::trace(folder, links) {
            Ok(trace) => read_traces.push(trace),
            Err(failure) => left_out.push(failure.to_string()),
        }
    }
    Index::new(&results, read_traces, left_out)
}

/// A path as it is shown.
fn shown(path: &Path) -> String {
    path.display().to_string()
}
