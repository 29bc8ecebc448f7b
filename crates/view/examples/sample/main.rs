//! Writes a page that has every kind of block, shape, axis and switch: `cargo run -p drivelab-view --example sample -- FILE`.
//! The tests of the page's program drive it in a browser.

mod catalogue;
mod charts;
mod compared;
mod shapes;
mod single;

use std::process::ExitCode;

use drivelab_view::{Page, html};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("Name the file to write: sample FILE [catalogue|compared|single|many|all]");
        return ExitCode::FAILURE;
    };
    let kind = arguments.next().and_then(|kind| kind.into_string().ok()).unwrap_or_else(|| "all".to_owned());
    let page = match kind.as_str() {
        "compared" => Page::from_view(compared::view(4)),
        "catalogue" => Page::from_view(catalogue::view(500)),
        "single" => Page::from_view(single::view()),
        "many" => Page::from_view(compared::view(12)),
        _ => Page {
            title: "Every kind of block on one page".to_owned(),
            views: vec![compared::view(4), single::view(), shapes::view()],
        },
    };
    match std::fs::write(&path, html(&page)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{} cannot be written: {error}", path.display());
            ExitCode::FAILURE
        }
    }
}
