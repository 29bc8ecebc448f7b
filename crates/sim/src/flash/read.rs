//! Host reads.

use super::FlashDrive;
use crate::cache::MapCache;
use crate::span::UnitSpan;

impl FlashDrive {
    /// Reads, for a command that comes at `at`; returns when its data is with the host.
    pub(crate) fn read(&mut self, at: u64, span: UnitSpan) -> u64 {
        self.collect_while_idle(at);
        let cost = self.controller.read_cost();
        let core = self.controller.work(at, cost.command + cost.unit * u64::from(span.count));
        let located = if self.map_cache.is_some() { self.read_map(core, span) } else { core };
        let ready = self.read_units(located, span.first, span.count);
        self.counts.host_reads += 1;
        self.counts.host_read_bytes += u64::from(span.sectors) * 512;
        let done = self.controller.send(core, ready, span.sectors);
        self.answered(done)
    }

    /// Brings the map entries of a read into memory; returns when they are there.
    ///
    /// A page of the map is read from the die that the data is read from next. Were it read from another one, the data's die
    /// would stand idle until the entries are there, which no controller lets it: dies keep the order in which commands came.
    fn read_map(&mut self, at: u64, span: UnitSpan) -> u64 {
        let Some(cache) = &mut self.map_cache else { return at };
        self.ftl.settle_range(span.first, span.count);
        let located = self.ftl.locate(span.first);
        let mut ready = at;
        for segment in MapCache::segments(span.first, span.count) {
            if cache.misses(segment) {
                let die = located.map_or(segment % self.ftl.layout.dies, |located| located.die);
                ready = ready.max(self.nand.read_map(die, at, cache.miss_time));
                self.counts.map_misses += 1;
            } else {
                self.counts.map_hits += 1;
            }
        }
        ready
    }

    /// Fetches units from the dies, each page once; returns when all are in the controller. Units that were
    /// never written, or that are still in the write buffer, cost nothing here.
    pub(super) fn read_units(&mut self, at: u64, first: u32, count: u32) -> u64 {
        self.ftl.settle_range(first, count);
        let mut ready = at;
        let mut run: Option<(u32, u32, u32)> = None;
        for unit in first..first + count {
            let Some(located) = self.ftl.locate(unit) else {
                continue;
            };
            run = match run {
                Some((die, page, units)) if page == located.page => Some((die, page, units + 1)),
                _ => {
                    ready = ready.max(self.read_run(at, run));
                    Some((located.die, located.page, 1))
                }
            };
        }
        ready.max(self.read_run(at, run))
    }

    fn read_run(&mut self, at: u64, run: Option<(u32, u32, u32)>) -> u64 {
        match run {
            Some((die, page, _))
                if self.open.left > 0 && die == self.open.die && page == self.ftl.last_host_page(die) =>
            {
                at
            }
            Some((die, page, units)) => self.nand.read(die, at, units, page),
            None => at,
        }
    }
}
