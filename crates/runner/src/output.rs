//! What a command prints, and the documents it writes. Only here is anything printed: whatever comes from
//! outside is made fit for a terminal on its way through.

use std::fs;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::os::unix::fs::FileTypeExt as _;
use std::path::Path;
use std::sync::Mutex;

use drivelab_block::Nanos;
use drivelab_view::{Page, terminal};
use indicatif::ProgressBar;
use serde::Serialize;

use crate::printable::{PrintableJson, printable};
use crate::{Ending, Failure};

/// The end of a dry run that found nothing to refuse.
pub const NOTHING_DONE: &str = "Nothing was done (--dry-run).\n";

/// A time that is planned with: `45 s`, `12 min`, `3.5 h`.
pub fn long_time(time: Nanos) -> String {
    drivelab_view::format::long_time(time.as_secs_f64())
}

/// Prints text. A reader that went away (`| head`) is no error.
pub fn print(text: &str) -> Result<Ending, Failure> {
    print_as_it_is(&printable(text))
}

/// Prints the summary of a page, whose colours are its own: the view has cleaned all names in it.
pub fn print_page(page: &Page) -> Result<Ending, Failure> {
    print_as_it_is(&terminal(page, view_style()))
}

fn print_as_it_is(text: &str) -> Result<Ending, Failure> {
    let mut stdout = io::stdout().lock();
    printed(stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()))
}

/// Whether something was printed. A reader that went away is no error.
pub fn printed(written: io::Result<()>) -> Result<Ending, Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::io("stdout cannot be written", &error))
        }
        _ => Ok(Ending::Passed),
    }
}

/// The line of progress that is shown at the moment.
static LINE: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Has a line of progress step aside whenever something is said.
pub(crate) fn set_line(bar: &ProgressBar) {
    if let Ok(mut line) = LINE.lock() {
        *line = Some(bar.clone());
    }
}

/// Says something on stderr. A reader that went away is no reason to end a run.
pub fn say(text: impl std::fmt::Display) {
    let text = text.to_string();
    let write = || {
        let _ = writeln!(io::stderr(), "{}", printable(&text));
    };
    match LINE.lock().ok().and_then(|line| line.clone()) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// The same of the summary of a page.
pub fn say_page(page: &Page) {
    let _ = writeln!(io::stderr(), "{}", terminal(page, view_style()).trim_end());
}

/// Writes a file. Its folder has to be there: one that was mistyped is not made. On a full disk an older one stays
/// as it was, and no part of a new one is left.
pub fn write_file(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    let not_written = |error| Failure::not_written(path, &error);
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    check_replaceable(&place, contents.first().copied())?;
    // Stdout is written to as it is, whatever it is.
    if place.exists() && !place.is_file() {
        return fs::write(&place, contents).map_err(not_written);
    }
    let mut name = place.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = place.with_file_name(name);
    let written = fs::write(&partial, contents).and_then(|()| fs::rename(&partial, &place));
    written.map_err(|error| {
        let _ = fs::remove_file(&partial);
        not_written(error)
    })
}

/// Says what stands against a document that begins with this byte, before anything is done that it is to tell of.
pub fn check_place(path: &Path, first: u8) -> Result<(), Failure> {
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Failure::not_written(path, &io::Error::from(io::ErrorKind::NotFound)));
    }
    check_replaceable(&place, Some(first))
}

/// Refuses to write a document over a drive, or over a file that is none of its kind: a name that was mistyped may be that
/// of a drive's image. What this program writes is known by its first byte.
fn check_replaceable(place: &Path, first: Option<u8>) -> Result<(), Failure> {
    let Ok(found) = fs::metadata(place) else { return Ok(()) };
    let named = place.display();
    if found.file_type().is_block_device() {
        return Err(Failure::Refused(format!(
            "{named} is a drive, and no place for a document: name a file"
        )));
    }
    if !found.is_file() {
        return check_takes_stream(place);
    }
    if found.len() == 0 {
        return Ok(());
    }
    let mut byte = [0];
    let read = fs::File::open(place).and_then(|mut file| file.read_exact(&mut byte));
    if read.is_ok() && first != Some(byte[0]) {
        return Err(Failure::Refused(format!(
            "{named} is there already and holds something else: name another file, or remove that one"
        )));
    }
    Ok(())
}

/// Refuses a pipe or a device that lies elsewhere than in /dev and /proc: opening one that no program reads waits for ever.
fn check_takes_stream(place: &Path) -> Result<(), Failure> {
    if place.is_dir() || ["/dev", "/proc"].iter().any(|own| place.starts_with(own)) {
        return Ok(());
    }
    Err(Failure::Usage(format!(
        "{} is no regular file, and no place for a document: name a file, or /dev/stdout",
        place.display()
    )))
}

/// Gives a file of an earlier start another name: `machine.csv` becomes `machine-1.csv`, or the next number that is free.
pub fn set_aside(folder: &Path, name: &str) -> Result<(), Failure> {
    let (found, (stem, ending)) = (folder.join(name), name.split_once('.').unwrap_or((name, "")));
    let mut places = (1..).map(|number: u32| folder.join(format!("{stem}-{number}.{ending}")));
    match places.find(|place| !place.exists()) {
        Some(place) if found.exists() => {
            fs::rename(&found, &place).map_err(|error| Failure::not_written(&place, &error))
        }
        _ => Ok(()),
    }
}

/// Makes a folder that was asked for, where it is not there yet.
pub fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::not_written(path, &error))
}

/// Prints one JSON document, as it is made: one that is long needs no memory of its length.
pub fn print_json(document: &impl Serialize) -> Result<Ending, Failure> {
    let mut stdout = io::BufWriter::new(io::stdout().lock());
    let mut serializer = serde_json::Serializer::with_formatter(&mut stdout, PrintableJson);
    match document.serialize(&mut serializer) {
        Err(error) if !error.is_io() => Err(not_made(&error)),
        Err(error) => printed(Err(error.into())),
        Ok(()) => printed(stdout.write_all(b"\n").and_then(|()| stdout.flush())),
    }
}

/// Prints the document of a single result as it is, and those of several as an array.
pub fn print_json_of_each<D: Serialize>(documents: &[D]) -> Result<Ending, Failure> {
    match documents {
        [one] => print_json(one),
        several => print_json(&several),
    }
}

/// A JSON document as it is kept in a folder, for people to read, too.
pub fn pretty(document: &impl Serialize) -> Result<Vec<u8>, Failure> {
    serde_json::to_vec_pretty(document).map_err(|error| not_made(&error))
}

fn not_made(error: &serde_json::Error) -> Failure {
    Failure::Environment(format!("the JSON document cannot be made: {error}"))
}

/// How the terminal wants a summary.
fn view_style() -> drivelab_view::TerminalStyle {
    let plain = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let utf8 = ["LC_ALL", "LC_CTYPE", "LANG"]
        .iter()
        .filter_map(|name| std::env::var(name).ok())
        .find(|value| !value.is_empty())
        .is_none_or(|value| value.to_ascii_uppercase().contains("UTF"));
    drivelab_view::TerminalStyle { width: 80, colour: io::stdout().is_terminal() && !plain, ascii: !utf8 }
}
