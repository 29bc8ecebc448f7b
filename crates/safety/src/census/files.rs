//! What of everything in use concerns one file.

use super::opened::OpenedFile;
use super::openers::Opener;
use super::{UsageScan, open_use};
use crate::{FileIdentity, Unseen, Use};

impl UsageScan {
    /// Everything that uses the file, by any of its names.
    pub fn uses_of_file(&self, file: &FileIdentity) -> Vec<Use> {
        let names = self.overlays.names_of(file);
        let swaps = self.swaps.iter().filter(|swap| swap.is_file(&names));
        let stand_ins = self.stand_ins.iter().filter(|stand_in| stand_in.is_file(&file.path, &names));
        let exports = self.exports.iter().filter(|export| export.is_file(&names));
        // A reader of a file loses nothing that its owner did not ask for; a second writer does, and so does
        // a process that has it in its memory, as a program or a library.
        let has_it = |opener: &&Opener| match opener.opened {
            OpenedFile::File(device, inode) => {
                names.has((device, inode)) && (opener.writes || opener.is_mapped)
            }
            OpenedFile::Device(_) => false,
        };
        let mut uses: Vec<Use> = swaps.map(|swap| Use::Swap(swap.path.clone())).collect();
        uses.extend(stand_ins.map(|stand_in| Use::StandIn(stand_in.name.clone())));
        uses.extend(exports.map(|export| Use::Exported(export.by.clone())));
        uses.extend(self.opening.openers.iter().filter(has_it).map(|opener| open_use(opener, None)));
        uses
    }

    /// What could not be looked at, of what may use the file.
    pub fn unseen_of_file(&self, file: &FileIdentity) -> Vec<Unseen> {
        let mut unseen = self.unseen.clone();
        unseen.extend(self.unknown_stand_ins());
        if self.overlays.names_of(file).is_incomplete {
            unseen.push(Unseen::Layers(file.path.clone()));
        }
        unseen
    }
}
