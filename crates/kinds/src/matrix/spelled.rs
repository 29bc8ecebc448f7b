//! Kinds of work, file systems and ways of caching as documents spell them.

use std::borrow::Cow;

use drivelab_block::{Caching, FileSystem, Work};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One of a fixed list of things that have names.
pub trait Spelling: Copy + 'static {
    /// What the list is of, such as `FileSystem`: the name of its schema.
    const LIST: &'static str;

    /// All of them.
    fn all() -> &'static [Self];

    /// Its name in arguments and documents.
    fn name(self) -> &'static str;
}

/// A thing that documents keep by its name; a name that is not known is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Spelled<T>(pub T);

impl Spelling for Work {
    const LIST: &'static str = "Work";

    fn all() -> &'static [Work] {
        &Work::ALL
    }

    fn name(self) -> &'static str {
        self.word()
    }
}

impl Spelling for FileSystem {
    const LIST: &'static str = "FileSystem";

    fn all() -> &'static [FileSystem] {
        &FileSystem::ALL
    }

    fn name(self) -> &'static str {
        self.word()
    }
}

impl Spelling for Caching {
    const LIST: &'static str = "Caching";

    fn all() -> &'static [Caching] {
        &Caching::ALL
    }

    fn name(self) -> &'static str {
        self.word()
    }
}

impl<T: Spelling> Serialize for Spelled<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name())
    }
}

impl<'de, T: Spelling> Deserialize<'de> for Spelled<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Spelled<T>, D::Error> {
        let name = String::deserialize(deserializer)?;
        let known = T::all().iter().find(|one| one.name() == name);
        known.map(|one| Spelled(*one)).ok_or_else(|| D::Error::custom(format!("{name:?} is not known")))
    }
}

impl<T: Spelling> JsonSchema for Spelled<T> {
    fn schema_name() -> Cow<'static, str> {
        T::LIST.into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let names: Vec<&str> = T::all().iter().map(|one| one.name()).collect();
        json_schema!({ "type": "string", "enum": names })
    }
}
