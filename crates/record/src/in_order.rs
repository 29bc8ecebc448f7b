//! A part of the records, in the order of their time.

use std::path::PathBuf;

use drivelab_block::Instant;

use crate::parts::unusable;
use crate::rows::Row;
use crate::segment::RowGroup;

/// The most records of a batch: so few that the processor still has them in its cache when they are looked at.
pub const BATCH: usize = 1 << 12;
/// Batches that are kept to be used again: more than are on the way at a time.
pub const SPARE_BATCHES: usize = 32;

/// The records of a row group or a tail: those at hand, and where those behind them come from.
///
/// Of a group that was written in order, records are made a batch at a time.
pub struct InOrder<R: Row> {
    at_hand: Vec<R>,
    /// The next of those.
    next: usize,
    rest: Option<(PathBuf, RowGroup<R>)>,
}

impl<R: Row> InOrder<R> {
    /// These records, whatever their order.
    pub fn new(mut records: Vec<R>) -> InOrder<R> {
        if !records.is_sorted_by_key(Row::time) {
            records.sort_by_key(Row::time);
        }
        InOrder { at_hand: records, next: 0, rest: None }
    }

    /// Those of a row group of the segment at `path`; all of them are read only where they have to be sorted.
    pub fn of_group(
        path: PathBuf,
        mut group: RowGroup<R>,
        spare: &mut Spare<R>,
    ) -> parquet::errors::Result<InOrder<R>> {
        if group.is_sorted() {
            return Ok(InOrder { at_hand: spare.batch(), next: 0, rest: Some((path, group)) });
        }
        let mut records = Vec::new();
        let taken = group.take(usize::MAX, &mut records);
        spare.put_columns(group);
        taken.map(|()| InOrder::new(records))
    }

    /// When the next record was, which is at hand then; `None` at the end. A record that cannot be read is the end, too.
    pub fn head(&mut self) -> Result<Option<Instant>, String> {
        if self.at_hand().is_empty()
            && let Some((path, group)) = &mut self.rest
        {
            self.at_hand.clear();
            self.next = 0;
            group.take(BATCH, &mut self.at_hand).map_err(|error| unusable(path, &error))?;
        }
        Ok(self.at_hand().first().map(Row::time))
    }

    /// The records at hand.
    pub fn at_hand(&self) -> &[R] {
        &self.at_hand[self.next..]
    }

    /// Takes the next record, if it is at hand.
    pub fn next(&mut self) -> Option<R> {
        let record = self.at_hand().first().copied();
        self.next += usize::from(record.is_some());
        record
    }

    /// Takes the first `count` of those at hand; a whole batch of a group without a copy.
    pub fn take(&mut self, count: usize, spare: &mut Spare<R>) -> Vec<R> {
        let mut batch = spare.batch();
        if self.rest.is_some() && self.next == 0 && count == self.at_hand.len() {
            std::mem::swap(&mut batch, &mut self.at_hand);
            return batch;
        }
        batch.extend_from_slice(&self.at_hand()[..count]);
        self.next += count;
        batch
    }
}

/// Memory that was used and is free again: the system clears what is asked of it anew.
pub struct Spare<R: Row> {
    columns: Vec<R::Columns>,
    batches: Vec<Vec<R>>,
}

impl<R: Row> Default for Spare<R> {
    fn default() -> Spare<R> {
        Spare { columns: Vec::new(), batches: Vec::new() }
    }
}

impl<R: Row> Spare<R> {
    /// Memory for a row group.
    pub fn columns(&mut self) -> R::Columns {
        self.columns.pop().unwrap_or_default()
    }

    /// Memory for a batch, which is empty.
    pub fn batch(&mut self) -> Vec<R> {
        self.batches.pop().unwrap_or_else(|| Vec::with_capacity(BATCH))
    }

    /// How much waits to be used again: batches and sets of columns.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.batches.len() + self.columns.len()
    }

    /// Takes a batch that is no longer needed.
    pub fn put_batch(&mut self, mut batch: Vec<R>) {
        if self.batches.len() < SPARE_BATCHES && batch.capacity() == BATCH {
            batch.clear();
            self.batches.push(batch);
        }
    }

    /// Takes a part that was read to its end.
    pub fn put(&mut self, part: InOrder<R>) {
        self.put_batch(part.at_hand);
        if let Some((_, group)) = part.rest {
            self.put_columns(group);
        }
    }

    /// One group's columns are enough: as a rule the next is read when one has ended.
    fn put_columns(&mut self, group: RowGroup<R>) {
        if self.columns.is_empty() {
            self.columns.push(group.columns);
        }
    }
}
