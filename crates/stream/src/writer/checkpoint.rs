//! When an index gets into a superblock: it and every block before it are written, then flushed, then the superblock
//! is written. One index at a time; those that come meanwhile are overtaken by the newest.

/// The index that is on its way into a superblock.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checkpoint {
    wanted: Option<u64>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    #[default]
    Idle,
    Flushing(u64),
    Writing(u64),
}

impl Checkpoint {
    /// An index was sent.
    pub fn want(&mut self, index: u64) {
        self.wanted = Some(index);
    }

    /// Whether nothing is on its way.
    pub fn is_idle(&self) -> bool {
        self.wanted.is_none() && self.stage == Stage::Idle
    }

    /// Begins with the newest index, where that and everything before it are written; whether a flush is needed.
    pub fn begins(&mut self, first_unwritten: u64) -> bool {
        match (self.stage, self.wanted) {
            (Stage::Idle, Some(index)) if index < first_unwritten => {
                self.wanted = None;
                self.stage = Stage::Flushing(index);
                true
            }
            _ => false,
        }
    }

    /// A flush has ended: the index whose superblock is to be written now.
    pub fn flushed(&mut self) -> Option<u64> {
        let Stage::Flushing(index) = self.stage else { return None };
        self.stage = Stage::Writing(index);
        Some(index)
    }

    /// The superblock is written: its index.
    pub fn written(&mut self) -> Option<u64> {
        let Stage::Writing(index) = self.stage else { return None };
        self.stage = Stage::Idle;
        Some(index)
    }
}
