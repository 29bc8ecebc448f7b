//! How far runs of a matrix lie apart where nothing differs: what the spread of one comparison is held against.
//!
//! Of many comparisons over few blocks, some lie close together by chance, and these would be claimed first. Tusher, Tibshirani
//! and Chu ("Significance analysis of microarrays applied to the ionizing radiation response", PNAS 98, 2001) keep such from
//! dominating by a constant in the denominator that is a quantile of all comparisons' errors. Smyth ("Linear models and
//! empirical Bayes methods for assessing differential expression", Stat. Appl. Genet. Mol. Biol. 3, 2004) moderates each
//! variance by a common one that counts as much as a number of degrees of freedom. Here the common variance is the median of
//! those of comparisons alike, so that one noisy cell does not hide what quiet ones show, and the moderated variance is only
//! used where it is the larger one. So p-values are at least those of Student's paired test, and what that test and Holm's
//! adjustment promise holds: where logarithms of rates scatter normally, each cell by its own deviation, at most 5 % of all
//! matrices claim a difference that is none.

use super::LogRatios;
use super::pair::Pair;
use crate::median::median;

/// As many comparisons as this have a common variance of their own.
const ENOUGH: usize = 4;
/// As many degrees of freedom the common variance counts for.
const PRIOR_FREEDOM: f64 = 4.0;

/// The variances that comparisons are held against.
pub(super) struct Noise<'a> {
    pairs: &'a [Pair],
    /// The same cell at both ends of each block.
    control: Option<LogRatios>,
}

impl<'a> Noise<'a> {
    pub fn from_pairs(pairs: &'a [Pair], control: Option<LogRatios>) -> Noise<'a> {
        Noise { pairs, control }
    }

    /// The least variance that a pair is judged by: its own, moderated by that of pairs alike.
    pub fn least_variance(&self, pair: &Pair) -> f64 {
        let freedom = pair.logs.freedom() as f64;
        let own = pair.logs.variance;
        (PRIOR_FREEDOM * self.common(pair) + freedom * own) / (PRIOR_FREEDOM + freedom)
    }

    /// The variance of pairs alike: of the same kind of work with the page cache taking as much part; where these are few, of
    /// any work with the cache taking as much part; else of all, and then not below the control's.
    fn common(&self, pair: &Pair) -> f64 {
        let same_caching = |other: &&Pair| (other.axis, other.caching) == (pair.axis, pair.caching);
        let by_caching = variances(self.pairs.iter().filter(same_caching));
        let same_work = |other: &&Pair| other.work == pair.work;
        let by_work = variances(self.pairs.iter().filter(same_caching).filter(same_work));
        if let Some(found) = [by_work, by_caching].into_iter().find(|found| found.len() >= ENOUGH) {
            return median(&found).unwrap_or(0.0);
        }
        let control = self.control.as_ref().map_or(0.0, |logs| logs.variance);
        median(&variances(self.pairs.iter())).unwrap_or(0.0).max(control)
    }
}

/// The variances of pairs that have one, each divided by what the median of such estimates is of the true variance: a chi-square
/// of d degrees of freedom has its median near `d (1 - 2 / 9d)^3` (Wilson and Hilferty, PNAS 17, 1931).
fn variances<'a>(pairs: impl Iterator<Item = &'a Pair>) -> Vec<f64> {
    let judged = pairs.map(|pair| &pair.logs).filter(|logs| logs.freedom() > 0);
    judged.map(|logs| logs.variance / (1.0 - 2.0 / (9.0 * logs.freedom() as f64)).powi(3)).collect()
}

#[cfg(test)]
mod tests {
    use drivelab_block::{Caching, Work};

    use super::*;
    use crate::matrix::Axis;

    /// Pairs of one kind of work, whose three blocks differ by a factor of exp(`spread`) around no difference.
    fn pair(work: Work, spread: f64) -> Pair {
        let blocks = [-spread, 0.0, spread].map(|log: f64| (1.0, log.exp()));
        let logs = LogRatios::from_pairs(&blocks).expect("rates");
        Pair { axis: Axis::FileSystem, first: 0, second: 1, work, caching: None, logs }
    }

    #[test]
    fn a_pair_is_judged_by_its_own_variance_and_the_median_of_four_alike() {
        // A variance of spread squared with two degrees of freedom, divided by (1 - 1/9)^3.
        let unbiased = (8.0_f64 / 9.0).powi(3);
        let reads = [0.1, 0.2, 0.3, 0.4].map(|spread| pair(Work::SeqRead, spread));
        let writes = [0.5].map(|spread| pair(Work::RandomWrite, spread));
        let all: Vec<Pair> = reads.into_iter().chain(writes).collect();
        let noise = Noise::from_pairs(&all, None);
        let of_reads = f64::midpoint(0.04, 0.09) / unbiased;
        let close =
            |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        close(noise.least_variance(&all[0]), (4.0 * of_reads + 2.0 * 0.01) / 6.0);
        // Of one write there are too few of its kind: those of any work with the cache taking as much part count.
        close(noise.least_variance(&all[4]), (4.0 * 0.09 / unbiased + 2.0 * 0.25) / 6.0);
        // With fewer than four alike, the control counts where it is the noisier.
        let control = LogRatios::from_pairs(&[(1.0, 1.0_f64.exp()), (1.0, (-1.0_f64).exp()), (1.0, 1.0)]);
        let few = Noise::from_pairs(&all[..3], control);
        close(few.least_variance(&all[0]), (4.0 * 1.0 + 2.0 * 0.01) / 6.0);
        let quiet = Noise::from_pairs(&all[..3], LogRatios::from_pairs(&[(1.0, 1.0), (1.0, 1.0)]));
        close(quiet.least_variance(&all[0]), (4.0 * 0.04 / unbiased + 2.0 * 0.01) / 6.0);
    }

    /// Reads that pass the page cache by are quiet, and those that do not are noisy.
    #[test]
    fn pairs_with_the_page_cache_taking_another_part_are_not_alike() {
        let with = |caching, pair: Pair| Pair { caching: Some(caching), ..pair };
        let quiet = [0.1, 0.2, 0.3].map(|spread| with(Caching::Direct, pair(Work::SeqRead, spread)));
        let noisy = [1.1, 1.2, 1.3, 1.4].map(|spread| with(Caching::Buffered, pair(Work::SeqRead, spread)));
        let write = with(Caching::Direct, pair(Work::RandomWrite, 0.4));
        let once = LogRatios::from_pairs(&[(1.0, 2.0)]).expect("rates");
        let once = Pair { logs: once, ..with(Caching::Buffered, pair(Work::SeqRead, 0.0)) };
        let all: Vec<Pair> = quiet.into_iter().chain(noisy).chain([write, once]).collect();
        let noise = Noise::from_pairs(&all, None);
        let least = |common: f64, own: f64| (4.0 * common / (8.0_f64 / 9.0).powi(3) + 2.0 * own) / 6.0;
        let close = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found}");
        // Four that pass it by, of whatever work; and four that do not, without the one of a single block, which has no variance.
        close(noise.least_variance(&all[0]), least(f64::midpoint(0.04, 0.09), 0.01));
        close(noise.least_variance(&all[3]), least(f64::midpoint(1.44, 1.69), 1.21));
    }
}
