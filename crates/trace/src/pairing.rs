//! Which completion belongs to which issue.
//!
//! The block layer's events name a device and a sector, not a request, so that a pair has to be guessed where
//! several requests begin at the same place: flushes do, and overlapping I/Os. The oldest of those that are alike is
//! taken then, unless it has waited far too long, and the guess is counted. Requests of different operations never are a
//! pair: where they are all that is there, the events between them were lost.
//!
//! A flush is a request of the block layer's own (`block/blk-flush.c`). What asked for it, once or several at the same time, ends
//! right after it, without having been issued.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use ahash::AHashMap;
use drivelab_block::{
    DeviceId, Extent, Instant, IoFlags, Nanos, Op, ProcessId, Sector, SectorCount, Status, TracedIo,
};

use crate::event::{Event, What};
use crate::manifest::Measured;
use crate::reject_reason::RejectReason;

/// Requests that may wait for their other half; beyond, the older half of them is given up.
const MAX_WAITING: usize = 1 << 20;
/// Where several alike wait at one place, one that is older than this, in nanoseconds, and so many times as old as the
/// newest is passed over: its other half was lost, or comes as the last one.
const STALE: (u64, u64) = (1_000_000_000, 100);
/// How long after a flush, in nanoseconds, a flush that was not issued ends if it is what asked for it: the kernel does both in
/// one go.
const ANSWERED_WITHIN: u64 = 1_000_000;

/// Where a request is looked for: its device, its first sector, and whether it is a flush.
type RequestKey = (DeviceId, u64, bool);

#[derive(Clone, Copy, Debug)]
struct OpenRequest {
    issued_at: u64,
    queued_at: Option<u64>,
    /// What it was when it was issued.
    whole: Extent,
    /// What of it is not complete.
    left: Extent,
    op: Op,
    flags: IoFlags,
    process: ProcessId,
    /// That of the first part which failed.
    status: Status,
}

/// An ask that was not issued yet.
#[derive(Clone, Copy, Debug)]
struct UnissuedAsk {
    at: u64,
    event: Event,
}

/// Those that wait at one place, in the order of their coming. There is hardly ever more than one: it needs no memory
/// of its own.
#[derive(Debug)]
struct WaitingAtPlace<T> {
    first: T,
    others: VecDeque<T>,
}

/// One of those that wait at a place.
trait Candidate {
    fn since(&self) -> u64;
    /// Whether an event may be about it.
    fn is_of(&self, event: &Event) -> bool;
    fn length(&self) -> SectorCount;
}

impl Candidate for OpenRequest {
    fn since(&self) -> u64 {
        self.issued_at
    }

    /// The flush itself ends as one: a write of nothing ends only where the driver got it as that.
    fn is_of(&self, event: &Event) -> bool {
        let is_the_flush = self.flags.contains(IoFlags::PREFLUSH);
        self.op == event.op && !(event.what == What::Answered && is_the_flush)
    }

    fn length(&self) -> SectorCount {
        self.left.length
    }
}

impl Candidate for UnissuedAsk {
    fn since(&self) -> u64 {
        self.at
    }

    fn is_of(&self, event: &Event) -> bool {
        self.event.op == event.op
    }

    fn length(&self) -> SectorCount {
        self.event.extent.length
    }
}

impl<T: Candidate> WaitingAtPlace<T> {
    /// The number of the one that an event is most likely about: alike in operation and length, then in operation; `None` where
    /// it can be about none of them.
    fn likeliest(&self, event: &Event) -> Option<usize> {
        let all = || self.all().enumerate();
        let is_same = |one: &T| one.is_of(event);
        let is_alike = |one: &T| is_same(one) && one.length() == event.extent.length;
        let of_these = |is_candidate: &dyn Fn(&T) -> bool| {
            let candidates = || all().filter(|(_, one)| is_candidate(one));
            let age = |one: &T| event.at.saturating_sub(one.since());
            let (newest, youngest) = candidates().last()?;
            let oldest_allowed = age(youngest).saturating_mul(STALE.1).max(STALE.0);
            let fresh = candidates().find(|(_, one)| age(one) <= oldest_allowed);
            Some(fresh.map_or(newest, |(number, _)| number))
        };
        of_these(&is_alike).or_else(|| of_these(&is_same))
    }
}

impl<T> WaitingAtPlace<T> {
    fn all(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn into_all(self) -> impl Iterator<Item = T> {
        std::iter::once(self.first).chain(self.others)
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct SeenDevice {
    /// Whether it has shown an issue; of the others, asks are all there is.
    issues: bool,
    /// Flushes that took what asked for them, which has not ended.
    flushes_asked_for: u32,
    /// When its last flush ended.
    flushed_at: Option<u64>,
}

/// What is known of the devices, by their numbers.
#[derive(Clone, Debug, Default)]
struct Devices(Vec<SeenDevice>);

impl Devices {
    #[inline]
    fn issues(&self, device: DeviceId) -> bool {
        self.0.get(usize::from(device.0)).is_some_and(|seen| seen.issues)
    }

    #[inline]
    fn entry(&mut self, device: DeviceId) -> &mut SeenDevice {
        let number = usize::from(device.0);
        if self.0.len() <= number {
            self.0.resize(number + 1, SeenDevice::default());
        }
        &mut self.0[number]
    }
}

/// What pairing gives back.
pub trait Pairs {
    /// A request, with what is known of it.
    fn io(&mut self, io: TracedIo, measured: Measured);
    /// An event without its other half.
    fn unpaired(&mut self, reason: RejectReason);
}

/// Pairs events in the order of their time.
#[derive(Debug, Default)]
pub struct Pairing {
    asked: AHashMap<RequestKey, WaitingAtPlace<UnissuedAsk>>,
    issued: AHashMap<RequestKey, WaitingAtPlace<OpenRequest>>,
    waiting: usize,
    devices: Devices,
}

impl Pairing {
    /// Takes the next event.
    pub fn event(&mut self, event: Event, out: &mut impl Pairs) {
        match event.what {
            What::Queued => self.queued(event, out),
            What::Merged => {
                self.take_asked(&event);
            }
            What::MergedInFront => self.merged_in_front(&event),
            What::Issued => self.issued(event, out),
            What::Requeued => self.requeued(&event, out),
            What::Completed => self.completed(&event, out),
            What::Answered => self.answered(&event, out),
        }
    }

    /// Gives up what is left: issued requests are kept without a duration.
    pub fn end(&mut self, out: &mut impl Pairs) {
        let mut left: Vec<(DeviceId, OpenRequest)> = Vec::new();
        for (key, requests) in self.issued.drain() {
            left.extend(requests.into_all().map(|open| (key.0, open)));
        }
        left.sort_by_key(|(device, open)| (open.issued_at, device.0, open.whole.start));
        for (device, open) in left {
            give_up(device, &open, Measured::IssueToComplete, out);
        }
        let mut asked: Vec<UnissuedAsk> = self.asked.drain().flat_map(|(_, asks)| asks.into_all()).collect();
        asked.sort_by_key(|ask| (ask.at, ask.event.device.0, ask.event.extent.start));
        for ask in asked {
            if self.devices.issues(ask.event.device) {
                out.unpaired(RejectReason::NEVER_ISSUED);
            } else {
                give_up(ask.event.device, &opened(&ask.event, None), Measured::QueueToComplete, out);
            }
        }
        self.waiting = 0;
    }

    /// What was asked for behind it begins where it does from now on.
    fn merged_in_front(&mut self, event: &Event) {
        self.take_asked(event);
        let behind = Extent { start: event.extent.end(), ..event.extent };
        let Some(mut ask) = self.take_asked(&Event { extent: behind, ..*event }) else { return };
        let length = ask.event.extent.length.get().saturating_add(event.extent.length.get());
        ask.event.extent = Extent { start: event.extent.start, length: SectorCount::new(length) };
        put(&mut self.asked, key(event), ask);
        self.waiting += 1;
    }

    fn queued(&mut self, event: Event, out: &mut impl Pairs) {
        self.make_room(out);
        put(&mut self.asked, key(&event), UnissuedAsk { at: event.at, event });
        self.waiting += 1;
    }

    fn issued(&mut self, event: Event, out: &mut impl Pairs) {
        self.devices.entry(event.device).issues = true;
        let queued_at = self.take_asked(&event).map(|ask| ask.at);
        if event.op == Op::Flush && queued_at.is_some() {
            self.devices.entry(event.device).flushes_asked_for += 1;
        }
        self.make_room(out);
        if put(&mut self.issued, key(&event), opened(&event, queued_at)) {
            out.unpaired(RejectReason::SAME_PLACE);
        }
        self.waiting += 1;
    }

    /// What is left of the request goes back to where it was before its issue.
    fn requeued(&mut self, event: &Event, out: &mut impl Pairs) {
        let Some(open) = self.take_issued(event) else {
            out.unpaired(RejectReason::REQUEUE_WITHOUT_ISSUE);
            return;
        };
        let at = open.queued_at.unwrap_or(open.issued_at);
        let event = Event { at, what: What::Queued, extent: open.left, ..*event };
        self.queued(event, out);
    }

    fn completed(&mut self, event: &Event, out: &mut impl Pairs) {
        if self.devices.issues(event.device) {
            return self.completed_request(event, out);
        }
        match self.take_asked(event) {
            Some(ask) => {
                let open = OpenRequest { process: ask.event.process, ..opened(&ask.event, None) };
                out.io(finished(event, &open, open.whole), Measured::QueueToComplete);
            }
            None => out.unpaired(RejectReason::COMPLETION_ALONE),
        }
    }

    /// The end of what asked for a flush. What was issued as a write of nothing ends as any other request.
    fn answered(&mut self, event: &Event, out: &mut impl Pairs) {
        if !self.devices.issues(event.device) {
            return self.completed(event, out);
        }
        match self.take_issued(event) {
            Some(open) => out.io(finished(event, &open, open.whole), Measured::IssueToComplete),
            None => self.take_answered(event),
        }
    }

    /// Takes what asked for a flush: the flush has taken the first of several, and leaves the others. What asked for one together
    /// with a write has been taken by the write.
    fn take_answered(&mut self, event: &Event) {
        if event.extent.start.get() != 0 {
            return;
        }
        let asked_for = &mut self.devices.entry(event.device).flushes_asked_for;
        match asked_for.checked_sub(1) {
            Some(less) => *asked_for = less,
            None => {
                self.take_asked(event);
            }
        }
    }

    /// A completion of less than the request leaves the rest of it open, further on.
    fn completed_request(&mut self, event: &Event, out: &mut impl Pairs) {
        let open = self.take_issued(event);
        let seen = self.devices.entry(event.device);
        let is_flush = event.op == Op::Flush;
        let is_answer =
            is_flush && seen.flushed_at.is_some_and(|at| event.at.saturating_sub(at) <= ANSWERED_WITHIN);
        let Some(mut open) = open else {
            return if is_answer {
                self.take_answered(event);
            } else {
                out.unpaired(RejectReason::COMPLETION_ALONE);
            };
        };
        if is_flush {
            seen.flushed_at = Some(event.at);
        }
        let done = event.extent.length.get();
        let left = open.left.length.get();
        if done > 0 && done < left {
            let start = Sector::new(open.left.start.get().saturating_add(u64::from(done)));
            open.left = Extent { start, length: SectorCount::new(left - done) };
            open.status = open.status.or(event.status);
            let rest = (event.device, start.get(), event.op == Op::Flush);
            put_first(&mut self.issued, rest, open);
            self.waiting += 1;
            return;
        }
        out.io(finished(event, &open, open.whole), Measured::IssueToComplete);
    }

    fn take_asked(&mut self, event: &Event) -> Option<UnissuedAsk> {
        take(&mut self.asked, event).inspect(|_| self.waiting -= 1)
    }

    fn take_issued(&mut self, event: &Event) -> Option<OpenRequest> {
        take(&mut self.issued, event).inspect(|_| self.waiting -= 1)
    }

    /// Gives up the older half of what waits where it is too much: a source that loses completions would fill the
    /// memory otherwise.
    fn make_room(&mut self, out: &mut impl Pairs) {
        if self.waiting < MAX_WAITING {
            return;
        }
        let asks = self.asked.values().flat_map(WaitingAtPlace::all).map(Candidate::since);
        let issues = self.issued.values().flat_map(WaitingAtPlace::all).map(Candidate::since);
        let mut times: Vec<u64> = asks.chain(issues).collect();
        let middle = times.len() / 2;
        let (_, middle, _) = times.select_nth_unstable(middle);
        let mut young = Pairing { devices: self.devices.clone(), ..Pairing::default() };
        young.waiting = keep_younger(&mut self.asked, &mut young.asked, *middle)
            + keep_younger(&mut self.issued, &mut young.issued, *middle);
        self.end(out);
        *self = young;
    }
}

fn key(event: &Event) -> RequestKey {
    (event.device, event.extent.start.get(), event.op == Op::Flush)
}

/// Puts one behind those that wait at a place; whether there were any.
fn put<T>(map: &mut AHashMap<RequestKey, WaitingAtPlace<T>>, key: RequestKey, one: T) -> bool {
    match map.entry(key) {
        Entry::Vacant(place) => {
            place.insert(WaitingAtPlace { first: one, others: VecDeque::new() });
            false
        }
        Entry::Occupied(mut waiting) => {
            waiting.get_mut().others.push_back(one);
            true
        }
    }
}

/// Puts one before those that wait at a place.
fn put_first<T>(map: &mut AHashMap<RequestKey, WaitingAtPlace<T>>, key: RequestKey, one: T) {
    match map.entry(key) {
        Entry::Vacant(place) => {
            place.insert(WaitingAtPlace { first: one, others: VecDeque::new() });
        }
        Entry::Occupied(mut waiting) => {
            let waiting = waiting.get_mut();
            let second = std::mem::replace(&mut waiting.first, one);
            waiting.others.push_front(second);
        }
    }
}

/// Takes the likeliest of those that wait at the event's place.
fn take<T: Candidate>(map: &mut AHashMap<RequestKey, WaitingAtPlace<T>>, event: &Event) -> Option<T> {
    let Entry::Occupied(mut waiting) = map.entry(key(event)) else { return None };
    if waiting.get().others.is_empty() {
        return waiting.get().first.is_of(event).then(|| waiting.remove().first);
    }
    let place = waiting.get_mut();
    match place.likeliest(event)?.checked_sub(1) {
        Some(other) => place.others.remove(other),
        None => place.others.pop_front().map(|next| std::mem::replace(&mut place.first, next)),
    }
}

/// Moves those that began to wait after `middle`; how many they are.
fn keep_younger<T: Candidate>(
    from: &mut AHashMap<RequestKey, WaitingAtPlace<T>>,
    to: &mut AHashMap<RequestKey, WaitingAtPlace<T>>,
    middle: u64,
) -> usize {
    let mut count = 0;
    for (key, waiting) in std::mem::take(from) {
        for one in waiting.into_all() {
            let young = one.since() > middle;
            put(if young { &mut *to } else { &mut *from }, key, one);
            count += usize::from(young);
        }
    }
    count
}

fn opened(event: &Event, queued_at: Option<u64>) -> OpenRequest {
    OpenRequest {
        issued_at: event.at,
        queued_at,
        whole: event.extent,
        left: event.extent,
        op: event.op,
        flags: event.flags,
        process: event.process,
        status: Status::OK,
    }
}

fn finished(event: &Event, open: &OpenRequest, extent: Extent) -> TracedIo {
    let io = described(event.device, open, extent);
    let service = Some(Nanos::new(event.at.saturating_sub(open.issued_at)));
    TracedIo { service, status: open.status.or(event.status), ..io }
}

fn described(device: DeviceId, open: &OpenRequest, extent: Extent) -> TracedIo {
    TracedIo {
        queued_for: open.queued_at.map(|at| Nanos::new(open.issued_at.saturating_sub(at))),
        device,
        process: open.process,
        flags: open.flags,
        ..TracedIo::new(Instant::from_nanos(open.issued_at), open.op, extent)
    }
}

fn give_up(device: DeviceId, open: &OpenRequest, measured: Measured, out: &mut impl Pairs) {
    out.unpaired(RejectReason::NEVER_COMPLETED);
    out.io(described(device, open, open.whole), measured);
}
