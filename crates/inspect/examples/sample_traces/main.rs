//! Writes a page of made-up traces: `sample_traces OUT.html [trace|traces|untimed|rude]`. The tests of the pages' program run
//! over it.

mod traces;

use std::process::ExitCode;
use std::{env, fs};

use drivelab_inspect::trace::view;
use drivelab_view::{Page, html};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let kind = arguments.get(1).map_or("trace", String::as_str);
    let (Some(out), Some(traces)) = (arguments.first(), traces::of_kind(kind)) else {
        eprintln!("usage: sample_traces OUT.html [trace|traces|untimed|rude]");
        return ExitCode::from(2);
    };
    match fs::write(out, html(&Page::from_view(view(&traces::judged(&traces))))) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{out}: {error}");
            ExitCode::FAILURE
        }
    }
}
