//! What the host wrote to a drive, and what the drive wrote to its flash, between two readings of the drive's own counters.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The fewest steps of a counter of which a ratio is made.
const LEAST_STEPS: u64 = 10;

/// A counter of what was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WriteCounter {
    /// Where it is from.
    pub source: String,
    /// Its raw value.
    pub raw: u64,
    /// Bytes of a step, where that is known.
    pub unit_bytes: Option<u64>,
    /// The bytes that it stands for.
    pub bytes: Option<u64>,
    /// Whether it counts one kind of flash cells (SLC, TLC), so that several counters together are the whole.
    pub counts_one_cell_type: bool,
}

/// The counters of a drive at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WriteCounters {
    /// What the host wrote; the first one whose unit is known counts.
    pub host: Vec<WriteCounter>,
    /// What was written to the flash: all of it, or kinds of cells apart.
    pub flash: Vec<WriteCounter>,
    /// Pages programmed for the host.
    pub host_pages: Option<u64>,
    /// Pages that the drive programmed for itself.
    pub own_pages: Option<u64>,
}

/// What was written between two moments, as far as the drive counts it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MediaWrites {
    /// Bytes that the host wrote.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<CountedWrites>,
    /// Bytes that were written to the flash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flash: Option<CountedWrites>,
    /// Pages programmed for the host, of a drive that counts pages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_pages: Option<CountedWrites>,
    /// Pages programmed in all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub all_pages: Option<CountedWrites>,
}

/// How far a counter went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CountedWrites {
    /// How much was written, in bytes or in pages.
    pub amount: u64,
    /// The step in which the counter goes, in the same unit: the amount may be off by it.
    pub step: u64,
}

impl WriteCounters {
    /// What was written since `before`.
    ///
    /// # Errors
    /// A sentence without its final stop, where a counter went back: it is another drive, or one that was reset.
    pub fn since(&self, before: &WriteCounters) -> Result<MediaWrites, String> {
        let host = self.host.iter().filter(|counter| counter.bytes.is_some());
        let host =
            host.map(|counter| moved(&before.host, counter)).find_map(Result::transpose).transpose()?;
        let pages = self.pages_since(before)?;
        Ok(MediaWrites {
            host,
            flash: self.flash_since(before)?,
            host_pages: pages.map(|(host, _)| host),
            all_pages: pages.map(|(_, all)| all),
        })
    }

    /// Flash writes: all counters together, of which each is a part, or the one that counts them all.
    fn flash_since(&self, before: &WriteCounters) -> Result<Option<CountedWrites>, String> {
        let is_part = |counter: &&WriteCounter| counter.counts_one_cell_type;
        if let Some(all) = self.flash.iter().find(|counter| !is_part(counter) && counter.bytes.is_some()) {
            return moved(&before.flash, all);
        }
        let mut sum: Option<CountedWrites> = None;
        for counter in self.flash.iter().filter(is_part) {
            // With one part unknown, the whole is.
            let Some(part) = moved(&before.flash, counter)? else { return Ok(None) };
            let so_far = sum.get_or_insert(CountedWrites { amount: 0, step: 0 });
            let Some(together) = so_far.plus(part) else { return Ok(None) };
            *so_far = together;
        }
        Ok(sum)
    }

    /// Pages programmed for the host, and in all.
    fn pages_since(&self, before: &WriteCounters) -> Result<Option<(CountedWrites, CountedWrites)>, String> {
        let both = |counters: &WriteCounters| counters.host_pages.zip(counters.own_pages);
        let Some(((host_was, own_was), (host, own))) = both(before).zip(both(self)) else { return Ok(None) };
        let host = went("the count of pages for the host", host_was, host)?;
        let own = went("the count of the drive's own pages", own_was, own)?;
        let Some(all) = host.checked_add(own) else { return Ok(None) };
        Ok(Some((CountedWrites { amount: host, step: 1 }, CountedWrites { amount: all, step: 2 })))
    }
}

impl MediaWrites {
    /// Flash writes / host writes, and the most by which a step of each counter may have it off; `None` where either is not
    /// known, or less than ten steps of a counter were written.
    pub fn write_amplification(&self) -> Option<(f64, f64)> {
        match (self.host, self.flash) {
            (Some(host), Some(flash)) => ratio(flash, host),
            _ => ratio(self.all_pages?, self.host_pages?),
        }
    }

    /// What was written in two times together; what is not known of one of them is not known of both.
    #[must_use]
    pub fn plus(&self, other: &MediaWrites) -> MediaWrites {
        let sum = |of: fn(&MediaWrites) -> Option<CountedWrites>| of(self)?.plus(of(other)?);
        MediaWrites {
            host: sum(|writes| writes.host),
            flash: sum(|writes| writes.flash),
            host_pages: sum(|writes| writes.host_pages),
            all_pages: sum(|writes| writes.all_pages),
        }
    }
}

impl CountedWrites {
    fn plus(self, other: CountedWrites) -> Option<CountedWrites> {
        let amount = self.amount.checked_add(other.amount)?;
        Some(CountedWrites { amount, step: self.step.checked_add(other.step)? })
    }
}

/// How far a counter went since `before`; `None` where it was not there or its unit is not known.
fn moved(before: &[WriteCounter], now: &WriteCounter) -> Result<Option<CountedWrites>, String> {
    let was = before.iter().find(|was| was.source == now.source && was.unit_bytes == now.unit_bytes);
    let (Some(was), Some(step)) = (was, now.unit_bytes) else { return Ok(None) };
    let steps = went(&now.source, was.raw, now.raw)?;
    // What no drive can have written is a counter of another kind.
    Ok(steps.checked_mul(step).map(|amount| CountedWrites { amount, step }))
}

fn went(name: &str, was: u64, is: u64) -> Result<u64, String> {
    is.checked_sub(was).ok_or_else(|| {
        format!("{name} went back from {was} to {is}: it is another drive, or its counters were reset")
    })
}

fn ratio(flash: CountedWrites, host: CountedWrites) -> Option<(f64, f64)> {
    let is_enough =
        |writes: CountedWrites| writes.amount > 0 && writes.amount >= LEAST_STEPS.saturating_mul(writes.step);
    if !is_enough(flash) || !is_enough(host) {
        return None;
    }
    let value = flash.amount as f64 / host.amount as f64;
    let relative = host.step as f64 / host.amount as f64 + flash.step as f64 / flash.amount as f64;
    Some((value, value * relative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn writes(host: (u64, u64), flash: (u64, u64)) -> MediaWrites {
        let counted = |(amount, step)| Some(CountedWrites { amount, step });
        MediaWrites { host: counted(host), flash: counted(flash), ..MediaWrites::default() }
    }

    #[test]
    fn phases_together_have_the_error_of_both() {
        let one = writes((1_000, 10), (2_000, 20));
        let other = writes((3_000, 10), (7_000, 20));
        let (value, error) = one.plus(&other).write_amplification().expect("a ratio");
        assert!((value - 2.25).abs() < 1e-12);
        assert!((error - 2.25 * (20.0 / 4_000.0 + 40.0 / 9_000.0)).abs() < 1e-12);
        assert_eq!(one.plus(&MediaWrites::default()), MediaWrites::default());
    }

    #[test]
    fn nothing_written_is_no_ratio_of_a_counter_without_steps() {
        let nothing = writes((0, 0), (5, 0));
        assert_eq!(nothing.write_amplification(), None);
        let exact = writes((4, 0), (5, 0));
        assert_eq!(exact.write_amplification(), Some((1.25, 0.0)));
    }
}
