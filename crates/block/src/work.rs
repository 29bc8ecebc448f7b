//! Work that is done through a file system: what, on which, and how far the page cache takes part.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

use crate::{ByteCount, worded_enum};

/// The length of a small file.
pub const SMALL_FILE: ByteCount = ByteCount::new(4096);

/// The schema of an enumeration: its names, without a description of each.
macro_rules! schema_of_names {
    ($named:ident) => {
        impl JsonSchema for $named {
            fn schema_name() -> Cow<'static, str> {
                stringify!($named).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "type": "string", "enum": $named::ALL.map($named::word) })
            }
        }
    };
}

schema_of_names!(Work);
schema_of_names!(FileSystem);
schema_of_names!(Caching);

worded_enum! {
    /// A kind of work of a thread.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Work {
        /// Reads a file from its begin to its end.
        SeqRead = "seq-read",
        /// Writes a file from its begin to its end.
        SeqWrite = "seq-write",
        /// Reads 4 KiB anywhere in a file.
        RandomRead = "random-read",
        /// Overwrites 4 KiB anywhere in a file.
        RandomWrite = "random-write",
        /// Reads a piece of a file, changes it and writes it back where it was, then the next one.
        Rewrite = "rewrite",
        /// Makes small files.
        Create = "create",
        /// Asks for the attributes of small files, in random order.
        Stat = "stat",
        /// Deletes small files, in random order.
        Delete = "delete",
    }
}

impl Work {
    /// Whether it is about many small files, and not about the bytes of a large one.
    pub fn is_metadata(self) -> bool {
        matches!(self, Work::Create | Work::Stat | Work::Delete)
    }

    /// Whether each step goes to another place of a large file.
    pub fn is_random(self) -> bool {
        matches!(self, Work::RandomRead | Work::RandomWrite)
    }

    /// Whether it changes nothing.
    pub fn only_reads(self) -> bool {
        matches!(self, Work::SeqRead | Work::RandomRead | Work::Stat)
    }
}

worded_enum! {
    /// A file system that can be made and mounted; its word is the kernel's name of it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum FileSystem {
        /// ext2: no journal.
        Ext2 = "ext2",
        /// ext3: ext2 with a journal.
        Ext3 = "ext3",
        /// ext4.
        Ext4 = "ext4",
        /// XFS.
        Xfs = "xfs",
        /// Btrfs.
        Btrfs = "btrfs",
    }
}

worded_enum! {
    /// Whether the kernel's page cache lies between.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum Caching {
        /// Written into the page cache; what was written ends with `fsync`.
        Buffered = "buffered",
        /// Past the page cache (`O_DIRECT`). No flush: what a drive's own volatile cache holds is not waited for.
        Direct = "direct",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        assert!(Work::ALL.into_iter().all(|work| Work::of_word(work.word()) == Some(work)));
        assert!(FileSystem::ALL.into_iter().all(|one| FileSystem::of_word(one.word()) == Some(one)));
        assert!(Caching::ALL.into_iter().all(|one| Caching::of_word(one.word()) == Some(one)));
    }
}
