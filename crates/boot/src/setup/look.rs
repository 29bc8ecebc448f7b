//! What of a setup stands on a system already.

use std::fs;
use std::path::Path;

use super::loader::GRUB_FILE;
use super::obstacle::NoSetup;
use super::unit::LOADER_SETTING;
use super::{ACCOUNTING_FILE, BootLoader, MARK, UNIT_FILE};

/// What of a setup is on a system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Enabled {
    /// The unit's file.
    pub has_unit: bool,
    /// The accounting.
    pub has_accounting: bool,
    /// How the kernel gets its parameters; none where it gets none by a file or unit that is still there.
    pub loader: Option<BootLoader>,
}

impl Enabled {
    /// Looks at the system with this root.
    ///
    /// # Errors
    /// Where a file has the place of one of a setup and is none.
    pub fn read(root: &Path) -> Result<Enabled, NoSetup> {
        let unit = own(root, UNIT_FILE)?;
        let drop_in = own(root, GRUB_FILE)?;
        let mut lines = unit.iter().flat_map(|text| text.lines());
        let named = lines.find_map(|line| line.strip_prefix(LOADER_SETTING)).and_then(BootLoader::of_word);
        Ok(Enabled {
            has_unit: unit.is_some(),
            has_accounting: own(root, ACCOUNTING_FILE)?.is_some(),
            // The drop-in may be there alone; without it, the unit says how.
            loader: match drop_in {
                Some(_) => Some(BootLoader::Grub),
                None => named.filter(|loader| *loader != BootLoader::Grub),
            },
        })
    }
}

/// The text of a file of a setup, where it is there.
fn own(root: &Path, path: &str) -> Result<Option<String>, NoSetup> {
    let Ok(text) = fs::read_to_string(root.join(path.trim_start_matches('/'))) else { return Ok(None) };
    if text.starts_with(MARK) { Ok(Some(text)) } else { Err(NoSetup::ForeignFile(path.into())) }
}
