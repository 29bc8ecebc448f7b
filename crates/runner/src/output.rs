//! What a command prints, and the documents it writes. Only here is anything printed: whatever comes from
//! outside is made fit for a terminal on its way through.

use std::fs;
use std::io::{self, IsTerminal as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use drivelab_block::Nanos;
use drivelab_files::{OwnMark, check_replaceable, replace};
use drivelab_view::{FileStart, Page, terminal};
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

/// Says on stderr what is written as for `format!`.
#[macro_export]
macro_rules! say {
    ($($text:tt)*) => { $crate::output::say(format_args!($($text)*)) };
}

/// The same of the summary of a page.
pub fn say_page(page: &Page) {
    let _ = writeln!(io::stderr(), "{}", terminal(page, view_style()).trim_end());
}

/// Bytes of the first line of a table that are compared.
const MOST_COMPARED: usize = 4096;

/// A kind of file that this program writes, by which one that is there already is known as its own.
#[derive(Clone, Copy, Debug)]
pub enum OwnFile<'a> {
    /// A page.
    Page,
    /// A JSON document.
    Json,
    /// A table in CSV: one with the same first line is replaced.
    Table(&'a [u8]),
    /// A picture in SVG.
    Svg,
    /// A picture in PNG.
    Png,
    /// A page of the manual.
    Manual,
}

impl OwnFile<'_> {
    fn mark(&self) -> OwnMark<'_> {
        let written = |file: FileStart| OwnMark { start: file.start, part: file.part };
        match self {
            OwnFile::Page => written(drivelab_view::PAGE_MARK),
            OwnFile::Json => OwnMark { start: b"{\n  \"schema\": \"drivelab.", part: b"" },
            OwnFile::Table(table) => OwnMark { start: first_line(table), part: b"" },
            OwnFile::Svg => written(drivelab_view::SVG_MARK),
            OwnFile::Png => written(drivelab_view::PNG_MARK),
            OwnFile::Manual => OwnMark { start: b".ie \\n(.g .ds Aq \\(aq", part: b".TH drivelab" },
        }
    }
}

/// The first line of a table, as far as it is compared.
fn first_line(table: &[u8]) -> &[u8] {
    let line = table.split_inclusive(|byte| *byte == b'\n').next().unwrap_or_default();
    &line[..line.len().min(MOST_COMPARED)]
}

enum DocumentPlace {
    /// A file, which is replaced.
    File(PathBuf),
    /// Stdout, a pipe or a device in /dev or /proc, which is written to as it is.
    Stream,
    /// What stdout was redirected to.
    Stdout,
}

/// Writes a file of a kind. Its folder has to be there: one that was mistyped is not made. What is in its place is replaced if it
/// is of that kind. On a full disk an older one stays as it was, and no part of a new one is left.
pub fn write_file(path: &Path, contents: &[u8], kind: OwnFile<'_>) -> Result<(), Failure> {
    let not_written = |error| Failure::not_written(path, &error);
    match place_of_document(path) {
        DocumentPlace::File(place) => replace(&place, contents, kind.mark(), None)
            .map_err(|error| Failure::not_replaced(&path.display().to_string(), path, error)),
        DocumentPlace::Stream => fs::write(path, contents).map_err(not_written),
        DocumentPlace::Stdout => io::stdout().lock().write_all(contents).map_err(not_written),
    }
}

/// Checks that a file of a kind can be written, before anything is done that it is to show.
pub fn check_place(path: &Path, kind: OwnFile<'_>) -> Result<(), Failure> {
    let DocumentPlace::File(place) = place_of_document(path) else { return Ok(()) };
    if matches!(kind, OwnFile::Page) && path.extension().is_some() {
        check_page_name(path)?;
    }
    let folder = place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Failure::not_written(path, &io::Error::from(io::ErrorKind::NotFound)));
    }
    check_replaceable(&place, kind.mark())
        .map_err(|error| Failure::not_replaced(&path.display().to_string(), path, error))
}

/// Checks that a page, which is HTML, is given no name of another kind of file.
pub fn check_page_name(path: &Path) -> Result<(), Failure> {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    if ["html", "htm"].iter().any(|page| ending.eq_ignore_ascii_case(page)) {
        return Ok(());
    }
    Err(usage!(
        "{} is no name of a page: name a file that ends in .html, and print it from a browser for a PDF",
        path.display()
    ))
}

/// Where a document goes that is to have this name. A link is followed to what is there. Opening a pipe that no program
/// reads waits for ever: one that lies elsewhere than in /dev and /proc is no stream.
fn place_of_document(path: &Path) -> DocumentPlace {
    let place = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let Ok(found) = fs::metadata(path) else { return DocumentPlace::File(path.to_owned()) };
    let is_system = ["/dev", "/proc"].iter().any(|own| path.starts_with(own) || place.starts_with(own));
    let is_other = found.is_dir() || found.file_type().is_block_device();
    if is_system && is_stdout(&found) {
        return DocumentPlace::Stdout;
    }
    if is_system && !found.is_file() && !is_other {
        DocumentPlace::Stream
    } else {
        DocumentPlace::File(place)
    }
}

/// Whether it is what the shell made stdout: `/dev/stdout` is a file if that was redirected to one.
pub fn is_stdout(found: &fs::Metadata) -> bool {
    let own = io::stdout().as_fd().try_clone_to_owned().and_then(|own| fs::File::from(own).metadata());
    own.is_ok_and(|own| (own.dev(), own.ino()) == (found.dev(), found.ino()))
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
    environment!("the JSON document cannot be made: {error}")
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
