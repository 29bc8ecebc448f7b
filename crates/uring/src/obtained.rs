//! What was asked of the kernel, and what it gave.

use std::collections::BTreeMap;

/// The features of an engine by name, each with what was obtained. It goes into the conditions of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Obtained {
    features: BTreeMap<&'static str, String>,
    refused: BTreeMap<&'static str, String>,
}

impl Obtained {
    pub(crate) fn got(&mut self, feature: &'static str, what: impl Into<String>) {
        self.features.insert(feature, what.into());
    }

    /// The kernel refused the feature; `instead` says what is used in its place.
    pub(crate) fn refused(&mut self, feature: &'static str, why: impl std::fmt::Display, instead: &str) {
        self.features.insert(feature, instead.to_owned());
        self.refused.insert(feature, format!("{why}: {instead} instead"));
    }

    /// Every feature with what was obtained.
    pub fn features(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.features.iter().map(|(name, what)| (*name, what.as_str()))
    }

    /// The features that were refused, with the reason and the replacement.
    pub fn refusals(&self) -> impl Iterator<Item = (&'static str, &str)> {
        self.refused.iter().map(|(name, what)| (*name, what.as_str()))
    }
}
