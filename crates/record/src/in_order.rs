//! A part of the records, in the order of their time.

use std::path::PathBuf;

use drivelab_block::Instant;

use crate::parts::damaged;
use crate::rows::Row;
use crate::segment::RowGroup;

/// The most records of a batch: so few that the processor still has them in its cache when they are looked at.
pub const BATCH: usize = 1 << 12;

/// The records of a row group or a tail: those at hand, and where those behind them come from.
///
/// Of a group that was written in order, records are made a batch at a time.
pub struct InOrder<R: Row> {
    at_hand: std::vec::IntoIter<R>,
    rest: Option<(PathBuf, RowGroup<R>)>,
}

impl<R: Row> InOrder<R> {
    /// Those of a tail.
    pub fn of_tail(mut records: Vec<R>) -> InOrder<R> {
        if !records.is_sorted_by_key(Row::time) {
            records.sort_by_key(Row::time);
        }
        InOrder { at_hand: records.into_iter(), rest: None }
    }

    /// Those of a row group of the segment at `path`.
    ///
    /// # Errors
    /// Where they have to be sorted and one of them cannot be read.
    pub fn of_group(path: PathBuf, mut group: RowGroup<R>) -> parquet::errors::Result<InOrder<R>> {
        if group.is_sorted() {
            return Ok(InOrder { at_hand: Vec::new().into_iter(), rest: Some((path, group)) });
        }
        Ok(InOrder::of_tail(group.take_all()?))
    }

    /// When the next record was, which is at hand then; `None` at the end.
    ///
    /// # Errors
    /// Where a record cannot be read: it is the end.
    pub fn head(&mut self, spare: &mut Spare<R>) -> Result<Option<Instant>, String> {
        if self.at_hand().is_empty()
            && let Some((path, group)) = &mut self.rest
        {
            let mut records = spare.batch();
            group.take(BATCH, &mut records).map_err(|error| damaged(path, &error))?;
            self.at_hand = records.into_iter();
        }
        Ok(self.at_hand().first().map(Row::time))
    }

    /// The records at hand.
    pub fn at_hand(&self) -> &[R] {
        self.at_hand.as_slice()
    }

    /// Takes the next record, if it is at hand.
    pub fn next(&mut self) -> Option<R> {
        self.at_hand.next()
    }

    /// Takes the first `count` of those at hand; all of them without a copy.
    pub fn take(&mut self, count: usize, spare: &mut Spare<R>) -> Vec<R> {
        if count == self.at_hand.len() {
            return std::mem::take(&mut self.at_hand).collect();
        }
        let mut batch = spare.batch();
        batch.extend(self.at_hand.by_ref().take(count));
        batch
    }
}

/// Memory that was used and is free again: what is asked of the system anew is cleared first, at the cost of a fifth
/// of all work.
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

    /// Takes a batch that is no longer needed.
    pub fn put_batch(&mut self, mut batch: Vec<R>) {
        batch.clear();
        self.batches.push(batch);
    }

    /// Takes a part that was read to its end.
    pub fn put(&mut self, part: InOrder<R>) {
        self.columns.extend(part.rest.map(|(_, group)| group.into_columns()));
    }
}
