//! Drives unlike the others of their model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::text;
use crate::fleet::findings::{Operation, PeerRow};
use crate::fleet::passes::DriveSums;
use crate::fleet::registry::{DriveName, Registry};

const LEAST_IOS: u64 = 1_000;
const LEAST_DRIVES: usize = 5;
/// 3.5 robust standard deviations, each 1.4826 median absolute deviations, in hundred thousandths.
const LIMIT: u128 = 518_910;

struct Mean<'a> {
    name: &'a DriveName,
    host: Option<&'a Arc<str>>,
    ios: u64,
    nanos: u64,
}

/// Drives whose mean service time differs from the median of their model by more than 3.5 robust standard deviations (Iglewicz
/// and Hoaglin, How to Detect and Handle Outliers, 1993) and by more than one part in ten of the median, and how many drives
/// were compared.
pub fn outside_peers(registry: &Registry, drives: &[DriveSums]) -> (Vec<PeerRow>, u64) {
    let mut groups: BTreeMap<(&Arc<str>, usize), Vec<Mean<'_>>> = BTreeMap::new();
    for (name, sums) in registry.drives.names.iter().zip(drives) {
        let Some(model) = &name.model else { continue };
        for (op, sums) in sums.of_op.iter().enumerate().filter(|(_, sums)| sums.ios >= LEAST_IOS) {
            let nanos = whole(sums.service_ns as f64 / sums.ios as f64);
            let mean = Mean { name, host: sums.host.as_ref(), ios: sums.ios, nanos };
            groups.entry((model, op)).or_default().push(mean);
        }
    }
    groups.retain(|_, means| means.len() >= LEAST_DRIVES);
    let compared: BTreeSet<&DriveName> = groups.values().flatten().map(|mean| mean.name).collect();
    let rows = groups.iter().flat_map(|((model, op), means)| outside(model, Operation::ALL[*op], means));
    (rows.collect(), compared.len() as u64)
}

fn outside(model: &str, operation: Operation, means: &[Mean<'_>]) -> Vec<PeerRow> {
    let median = lower_median(means.iter().map(|mean| mean.nanos));
    let mad = lower_median(means.iter().map(|mean| mean.nanos.abs_diff(median)));
    let is_outside = |mean: &&Mean<'_>| {
        let distance = u128::from(mean.nanos.abs_diff(median));
        distance * 100_000 > u128::from(mad) * LIMIT && distance * 10 > u128::from(median)
    };
    let mut found: Vec<&Mean<'_>> = means.iter().filter(is_outside).collect();
    found.sort_by(|one, other| {
        let by_distance = other.nanos.abs_diff(median).cmp(&one.nanos.abs_diff(median));
        by_distance.then_with(|| one.name.drive.cmp(&other.name.drive))
    });
    let row = |mean: &Mean<'_>| PeerRow {
        drive: mean.name.drive.to_string(),
        drive_model: model.to_owned(),
        host: text(mean.host),
        operation,
        peers: means.len() as u64,
        ios: mean.ios,
        mean_us: mean.nanos as f64 / 1e3,
        median_us: median as f64 / 1e3,
        mad_us: mad as f64 / 1e3,
        deviations: (mad > 0).then(|| {
            let millionths = (i128::from(mean.nanos) - i128::from(median)) * 1_000_000;
            (millionths as f64 / (u128::from(mad) * 14_826) as f64 + 0.5).floor() / 1e2
        }),
    };
    found.into_iter().map(row).collect()
}

/// The median; of an even number of values the lower one of the middle.
fn lower_median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values.get(values.len().div_ceil(2).saturating_sub(1)).copied().unwrap_or(0)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "above zero; `as` rounds down and saturates"
)]
fn whole(nanos: f64) -> u64 {
    nanos as u64
}
