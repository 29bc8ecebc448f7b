//! Writes a sample report of made-up drives: `sample OUT.html [four|one|eight|odd|long]`.
//!
//! The page's own tests run over it. With a folder as OUT (a path that ends with a slash), pictures, CSV and
//! JSON are written there too.

mod drives;
mod runs;

use std::path::Path;
use std::process::ExitCode;
use std::{env, fs, io};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let Some(out) = arguments.first() else {
        eprintln!("usage: sample OUT.html [four|one|eight|odd|long]");
        return ExitCode::from(2);
    };
    let kind = arguments.get(1).map_or("four", String::as_str);
    match write(out, kind) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{out}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn write(out: &str, kind: &str) -> io::Result<()> {
    let phases = runs::phases(kind);
    let comparison = runs::comparison(&phases);
    let style =
        drivelab_report::TerminalStyle { colour: env::var_os("NO_COLOR").is_none(), ..Default::default() };
    print!("{}", drivelab_report::terminal(&comparison, style));
    if !out.ends_with('/') {
        return fs::write(out, drivelab_report::html(&comparison));
    }
    let folder = Path::new(out);
    fs::create_dir_all(folder)?;
    fs::write(folder.join("report.html"), drivelab_report::html(&comparison))?;
    for (name, text) in
        drivelab_report::svg_pictures(&comparison).into_iter().chain(drivelab_report::csv(&comparison))
    {
        fs::write(folder.join(name), text)?;
    }
    for (name, pixels) in drivelab_report::png_pictures(&comparison).map_err(io::Error::other)? {
        fs::write(folder.join(name), pixels)?;
    }
    let document = drivelab_report::ConsistencyDocument::of(&comparison);
    fs::write(folder.join("consistency.json"), serde_json::to_vec_pretty(&document)?)
}
