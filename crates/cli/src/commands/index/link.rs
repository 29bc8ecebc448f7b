//! Links from the page of an index to the pages of results.

use std::fmt::Write as _;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Links from one page.
pub struct PageLinks {
    /// The folder of the page, without links in its path; none where no page is written.
    from: Option<PathBuf>,
}

impl PageLinks {
    /// Links from this page.
    pub fn from(page: Option<&Path>) -> PageLinks {
        let folder = page.map(|page| page.parent().filter(|folder| *folder != Path::new("")));
        let folder = folder.map(|folder| folder.unwrap_or(Path::new(".")));
        PageLinks { from: folder.and_then(|folder| fs::canonicalize(folder).ok()) }
    }

    /// The link to the page of the result in a folder: its own, or that of the test of several runs that it is one of. None where
    /// neither is there.
    pub fn to_page_of(&self, folder: &Path) -> Option<String> {
        let from = self.from.as_ref()?;
        let own = folder.join("report.html");
        let of_test = folder.parent().map(|parent| parent.join("report.html"));
        let page = [Some(own), of_test].into_iter().flatten().find(|page| page.is_file())?;
        Some(relative(from, &fs::canonicalize(page).ok()?))
    }
}

/// The way from a folder to a file, both without links in their paths, as a browser takes it.
fn relative(from: &Path, to: &Path) -> String {
    let (from, to): (Vec<Component>, Vec<Component>) =
        (from.components().collect(), to.components().collect());
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from[shared..].iter().map(|_| "..".to_owned());
    let down = to[shared..].iter().map(|part| encoded(part.as_os_str().as_encoded_bytes()));
    up.chain(down).collect::<Vec<_>>().join("/")
}

/// A part of a path in a URL (RFC 3986): all bytes but the unreserved ones as their numbers.
fn encoded(part: &[u8]) -> String {
    let mut text = String::new();
    for byte in part {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                text.push(char::from(*byte));
            }
            _ => {
                let _ = write!(text, "%{byte:02X}");
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_up_and_down_and_stand_in_a_url() {
        let link = |from: &str, to: &str| relative(Path::new(from), Path::new(to));
        assert_eq!(link("/a", "/a/b/report.html"), "b/report.html");
        assert_eq!(link("/a/b", "/a/c d/50%?.html"), "../c%20d/50%25%3F.html");
        assert_eq!(link("/x", "/javascript:1/r.html"), "../javascript%3A1/r.html");
    }
}
