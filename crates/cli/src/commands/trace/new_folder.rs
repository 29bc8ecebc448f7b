//! A new folder for each recording in one folder, and one bound for all of them: what a service that is started again needs.

use std::path::{Path, PathBuf};
use std::{fs, io};

use drivelab_block::ByteCount;
use drivelab_record::ClockTime;
use drivelab_runner::{Failure, output, unix_nanos};
use drivelab_trace::is_trace_folder;

/// Where a recording goes, and how much of it is kept.
pub struct RecordingPlace {
    /// Its own folder.
    pub folder: PathBuf,
    /// The most that is kept of it; all where there is no bound.
    pub max_size: Option<ByteCount>,
}

/// A new folder in `parent`, named after this moment. Where all recordings there have a bound, the oldest are removed until the
/// others take at most half of it, and the new one may take what they leave.
///
/// # Errors
/// Where the folder cannot be listed, or an old recording cannot be removed.
pub fn place_in(parent: &Path, max_size: Option<ByteCount>) -> Result<RecordingPlace, Failure> {
    let mut kept = 0;
    if let Some(bound) = max_size {
        let recordings = recordings_in(parent).map_err(|error| failed(parent, &error))?;
        let sizes: Vec<u64> = recordings.iter().map(|recording| recording.bytes).collect();
        let removed = oldest_beyond(&sizes, bound.get() / 2);
        for recording in &recordings[..removed] {
            fs::remove_dir_all(&recording.folder).map_err(|error| failed(&recording.folder, &error))?;
            output::say(format_args!("removed the oldest recording, {}", recording.folder.display()));
        }
        kept = sizes[removed..].iter().sum();
    }
    let max_size = max_size.map(|bound| ByteCount::new(bound.get() - kept));
    Ok(RecordingPlace { folder: free_name(parent, unix_nanos()), max_size })
}

fn failed(path: &Path, error: &io::Error) -> Failure {
    Failure::io(&format!("--new-folder-in: {}", path.display()), error)
}

struct OldRecording {
    folder: PathBuf,
    bytes: u64,
}

/// The recordings that were named after when they began, the oldest first. Other folders are not this option's to remove.
fn recordings_in(parent: &Path) -> io::Result<Vec<OldRecording>> {
    let entries = match fs::read_dir(parent) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry?;
        let is_own = entry.file_name().to_str().is_some_and(is_own_name);
        // A link may lead to what is in another place.
        if is_own && entry.file_type()?.is_dir() && is_trace_folder(&entry.path()) {
            found.push(OldRecording { bytes: bytes_below(&entry.path())?, folder: entry.path() });
        }
    }
    found.sort_by(|one, other| one.folder.cmp(&other.folder));
    Ok(found)
}

fn bytes_below(folder: &Path) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() { bytes_below(&entry.path())? } else { about.len() };
    }
    Ok(bytes)
}

/// How many of the oldest have to go, so that the others take at most `bound` bytes.
fn oldest_beyond(sizes: &[u64], bound: u64) -> usize {
    let mut left: u64 = sizes.iter().sum();
    sizes
        .iter()
        .take_while(|size| {
            let is_beyond = left > bound;
            left -= **size;
            is_beyond
        })
        .count()
}

/// A name that nothing has: the second in UTC, such as `2026-11-28T03-10-00Z`.
fn free_name(parent: &Path, unix_ns: u64) -> PathBuf {
    let name = ClockTime::in_utc(unix_ns).map_or_else(String::new, name_of);
    let numbered = (2..).map(|number| parent.join(format!("{name}-{number}")));
    let mut names = std::iter::once(parent.join(&name)).chain(numbered);
    names.find(|path| fs::symlink_metadata(path).is_err()).unwrap_or_else(|| parent.join(&name))
}

fn name_of(time: ClockTime) -> String {
    format!("{}T{}Z", time.day(), time.second().replace(':', "-"))
}

fn is_own_name(name: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00-00-00Z";
    let Some((time, rest)) = name.as_bytes().split_at_checked(FORM.len()) else { return false };
    let has_form = time.iter().zip(FORM).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        form => byte == form,
    });
    has_form && (rest.is_empty() || (rest[0] == b'-' && rest[1..].iter().all(u8::is_ascii_digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_go_until_the_others_fit() {
        assert_eq!(oldest_beyond(&[], 0), 0);
        assert_eq!(oldest_beyond(&[5, 3, 2], 10), 0);
        assert_eq!(oldest_beyond(&[5, 3, 2], 9), 1);
        assert_eq!(oldest_beyond(&[5, 3, 2], 4), 2);
        assert_eq!(oldest_beyond(&[5, 3, 2], 0), 3);
    }

    #[test]
    fn its_own_names_are_known_and_no_others() {
        let name = name_of(ClockTime::in_utc(1_793_577_620_548_071_114).expect("a time"));
        assert_eq!(name, "2026-11-02T00-00-20Z");
        assert!(is_own_name(&name) && is_own_name(&format!("{name}-2")));
        for other in ["desktop", "2026-11-02", "2026-11-02T00-00-20Z.bak", "2026-11-02T00-00-20Z-old", ""] {
            assert!(!is_own_name(other), "{other}");
        }
    }
}
