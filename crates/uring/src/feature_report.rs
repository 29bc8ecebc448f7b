//! What was asked of the kernel, and what it gave.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The features of an engine by name, each with what was obtained. It goes into the conditions of a run.
///
/// A clone shows the same engine: what it obtains on its worker's thread can be written down elsewhere while it
/// works.
#[derive(Clone, Debug, Default)]
pub struct FeatureReport {
    shared: Arc<Mutex<Features>>,
}

#[derive(Debug, Default)]
struct Features {
    obtained: BTreeMap<&'static str, String>,
    refused: BTreeMap<&'static str, String>,
}

impl FeatureReport {
    pub(crate) fn got(&self, feature: &'static str, what: impl Into<String>) {
        let mut features = self.lock();
        features.obtained.insert(feature, what.into());
        features.refused.remove(feature);
    }

    /// Says how many requests of the run so far were sent again, where any was: the kernel did not begin them, as they would
    /// have had to wait.
    pub(crate) fn sent_again(&self, count: u64) {
        if count > 0 {
            let what = format!(
                "{count} times by a worker of the kernel: the first time it would have had to wait (EAGAIN)"
            );
            self.got("sent again", what);
        }
    }

    /// The kernel refused the feature; `instead` says what is used in its place.
    pub(crate) fn refused(&self, feature: &'static str, why: impl Display, instead: &str) {
        let mut features = self.lock();
        features.obtained.insert(feature, instead.to_owned());
        features.refused.insert(feature, format!("{why}: {instead} instead"));
    }

    /// Notes what came of asking for a feature, and whether the kernel gives it; `instead` says what is used otherwise.
    pub(crate) fn asked<E: Display>(
        &self,
        feature: &'static str,
        answer: Result<(), E>,
        what: &str,
        instead: &str,
    ) -> bool {
        let is_given = answer.is_ok();
        match answer {
            Ok(()) => self.got(feature, what),
            Err(why) => self.refused(feature, why, instead),
        }
        is_given
    }

    /// Every feature with what was obtained.
    pub fn features(&self) -> Vec<(&'static str, String)> {
        self.lock().obtained.iter().map(|(name, what)| (*name, what.clone())).collect()
    }

    /// The features that were refused, with the reason and the replacement.
    pub fn refusals(&self) -> Vec<(&'static str, String)> {
        self.lock().refused.iter().map(|(name, what)| (*name, what.clone())).collect()
    }

    /// Each change is one insertion or removal, so that what a thread left that panicked is whole.
    fn lock(&self) -> MutexGuard<'_, Features> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_obtained_later_takes_the_place_of_a_refusal() {
        let (engine, elsewhere) = {
            let first = FeatureReport::default();
            (first.clone(), first)
        };
        engine.refused("buffers", "no memory", "mapped for each I/O");
        assert_eq!(elsewhere.refusals(), [("buffers", "no memory: mapped for each I/O instead".to_owned())]);
        engine.got("buffers", "registered");
        assert_eq!(elsewhere.features(), [("buffers", "registered".to_owned())]);
        assert_eq!(elsewhere.refusals(), []);
    }
}
