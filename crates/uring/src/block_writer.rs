//! Writing whole buffers to a claimed target, several in flight, and being woken meanwhile.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::Arc;

use drivelab_block::{EngineError, Nanos, Op, OpSet};
use io_uring::{IoUring, opcode, squeue, types};
use rustix::event::{EventfdFlags, eventfd};

use crate::buffer::Buffer;
use crate::ring::{give_back, register_files, ring_with_best_flags};
use crate::slots::WOULD_WAIT;
use crate::{Access, FeatureReport, wait};

/// The user data of the wait for a [`Waker`]; operations have their slot.
const WAKE: u64 = u64::MAX;

/// How often at most a writer that is dropped waits for what is in flight, and for how long each time. Only where a recording
/// broke is something in flight then, and the drive may hang.
const DROP_WAITS_MAX: u32 = 100;
const DROP_WAIT: Nanos = Nanos::from_millis(100);

/// Wakes a [`BlockWriter`] out of its wait, from any thread.
#[derive(Clone, Debug)]
pub struct Waker(Arc<OwnedFd>);

impl Waker {
    /// Ends the wait that is going on, or else the next one.
    pub fn wake(&self) {
        // A counter that is full wakes as well.
        let _ = rustix::io::write(&*self.0, &1_u64.to_ne_bytes());
    }
}

/// A write to be begun.
#[derive(Debug)]
pub struct BlockWrite {
    /// Comes back with its end.
    pub token: u64,
    /// What is written.
    pub buffer: Buffer,
    /// So many of the buffer's first bytes.
    pub length: usize,
    /// Where, in bytes.
    pub offset: u64,
    /// Whether it is on the medium at its end (FUA, or a flush behind it).
    pub durable: bool,
}

/// An operation that ended.
#[derive(Debug)]
pub struct EndedOperation {
    /// As it was given with the operation.
    pub token: u64,
    /// The buffer of a write, given back.
    pub buffer: Option<Buffer>,
    /// What the kernel says; a write that was cut short is an error.
    pub result: io::Result<()>,
}

#[derive(Debug)]
struct PendingWrite {
    token: u64,
    buffer: Option<Buffer>,
    length: usize,
    /// The entry of the same operation that may wait, until that is sent.
    waiting: Option<squeue::Entry>,
}

/// Writes buffers in place: those it was made with are registered with the kernel, and so is the target.
///
/// It is to be used on the thread that made it.
pub struct BlockWriter {
    // The ring is declared before the buffers in flight, and so goes first.
    ring: Option<IoUring>,
    slots: Vec<Option<PendingWrite>>,
    free: Vec<usize>,
    /// Entries that are to be sent again, so that they may wait.
    again: Vec<squeue::Entry>,
    registered_file: bool,
    registered_buffers: bool,
    always_waits: bool,
    /// What ends a wait from another thread.
    pub waker: Waker,
    access: Access,
    /// What the kernel gave and what it refused.
    pub obtained: FeatureReport,
    /// Bytes that were handed to the kernel out of registered buffers: none of them is copied on the way.
    pub fixed_bytes: u64,
}

impl BlockWriter {
    /// A writer to a claimed target for `depth` operations in flight, from these buffers, which are all of one
    /// making.
    ///
    /// # Errors
    /// Where the target is not claimed for writing, or the kernel gives no ring.
    pub fn new(access: Access, depth: u32, buffers: &[&Buffer]) -> Result<BlockWriter, EngineError> {
        access.check(OpSet::EMPTY.with(Op::Write))?;
        let obtained = FeatureReport::default();
        let ring = ring_with_best_flags(depth + 1, &obtained)?;
        let registered_file = register_files(&ring.submitter(), &[access.descriptor()], &obtained);
        let registered_buffers = register_buffers(&ring, buffers, &obtained);
        let waker = eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)
            .map_err(|error| EngineError::from_io("the kernel gives no event descriptor", error.into()))?;
        let always_waits = access.always_waits();
        let depth = depth as usize;
        let mut writer = BlockWriter {
            ring: Some(ring),
            slots: (0..depth).map(|_| None).collect(),
            free: (0..depth).rev().collect(),
            again: Vec::with_capacity(depth),
            registered_file,
            registered_buffers,
            always_waits,
            waker: Waker(Arc::new(waker)),
            access,
            obtained,
            fixed_bytes: 0,
        };
        writer.listen()?;
        Ok(writer)
    }

    /// How many more operations can be begun.
    pub fn room(&self) -> usize {
        self.free.len()
    }

    /// How many were begun and have not come back.
    pub fn in_flight(&self) -> usize {
        self.slots.len() - self.free.len()
    }

    /// Begins a write.
    ///
    /// # Errors
    /// Where nothing more can be begun, or the range leaves the target.
    pub fn write(&mut self, write: BlockWrite) -> Result<(), EngineError> {
        let BlockWrite { token, buffer, length, offset, durable } = write;
        let end = offset.checked_add(length as u64);
        let is_inside = end.is_some_and(|end| end <= self.access.geometry().capacity.get());
        if !is_inside || length > buffer.bytes().len() {
            return Err(EngineError::new(format!("a write of {length} bytes at {offset} leaves the target")));
        }
        let bytes = u32::try_from(length).map_err(|_| EngineError::new("a write of over 4 GiB"))?;
        let flags = if durable { libc::RWF_DSYNC } else { 0 };
        let (file, address) = (self.file(), buffer.address());
        let entry = if self.registered_buffers {
            self.fixed_bytes += u64::from(bytes);
            opcode::WriteFixed::new(file, address, bytes, buffer.number())
                .offset(offset)
                .rw_flags(flags)
                .build()
        } else {
            opcode::Write::new(file, address, bytes).offset(offset).rw_flags(flags).build()
        };
        self.begin(PendingWrite { token, buffer: Some(buffer), length, waiting: None }, entry)
    }

    /// Begins to have everything that has ended before on the medium.
    ///
    /// # Errors
    /// Where nothing more can be begun.
    pub fn flush(&mut self, token: u64) -> Result<(), EngineError> {
        let entry = opcode::Fsync::new(self.file()).flags(types::FsyncFlags::DATASYNC).build();
        self.begin(PendingWrite { token, buffer: None, length: 0, waiting: None }, entry)
    }

    /// Sends what was begun and waits for an end, a [`Waker`] or `patience`, whichever comes first.
    ///
    /// # Errors
    /// Where the ring itself fails.
    pub fn wait(&mut self, patience: Nanos, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError> {
        let ring = ready(&mut self.ring)?;
        wait::entered(if patience == Nanos::ZERO {
            wait::poll(ring)
        } else {
            wait::for_one(ring, patience)
        })?;
        self.collect(ended)
    }

    /// Gives up what is in flight: nothing of it is waited for or comes back any more, also when the writer is dropped. The drive
    /// may still do it. Nothing can be begun afterwards.
    pub fn give_up(&mut self) {
        // The kernel may read the buffers at any time, and a ring that is closed waits for what is in flight: both stay for as
        // long as the program is there.
        std::mem::forget((self.ring.take(), std::mem::take(&mut self.slots)));
        self.free.clear();
    }

    fn collect(&mut self, ended: &mut Vec<EndedOperation>) -> Result<(), EngineError> {
        let mut was_woken = false;
        for entry in ready(&mut self.ring)?.completion() {
            if entry.user_data() == WAKE {
                was_woken = true;
                continue;
            }
            let slot = usize::try_from(entry.user_data()).unwrap_or(usize::MAX);
            let place = self.slots.get_mut(slot).ok_or_else(not_in_flight)?;
            if let Some(again) = place.as_mut().and_then(|one| one.send_again(entry.result())) {
                self.again.push(again);
                continue;
            }
            let in_flight = place.take().ok_or_else(not_in_flight)?;
            self.free.push(slot);
            let result = outcome(entry.result(), in_flight.length);
            ended.push(EndedOperation { token: in_flight.token, buffer: in_flight.buffer, result });
        }
        while let Some(again) = self.again.pop() {
            push(&mut self.ring, &again)?;
        }
        if was_woken { self.listen() } else { Ok(()) }
    }

    /// Puts the waker into the ring again, whose count is taken first.
    fn listen(&mut self) -> Result<(), EngineError> {
        let _ = rustix::io::read(&*self.waker.0, &mut [0; 8]);
        let descriptor = types::Fd(self.waker.0.as_raw_fd());
        let entry = opcode::PollAdd::new(descriptor, libc::POLLIN as u32).build().user_data(WAKE);
        push(&mut self.ring, &entry)
    }

    fn file(&self) -> types::Fd {
        types::Fd(if self.registered_file { 0 } else { self.access.descriptor().as_raw_fd() })
    }

    fn begin(&mut self, in_flight: PendingWrite, entry: squeue::Entry) -> Result<(), EngineError> {
        let slot = self.free.pop().ok_or_else(|| EngineError::new("all of the ring is in flight"))?;
        let mut flags = squeue::Flags::empty();
        flags.set(squeue::Flags::FIXED_FILE, self.registered_file);
        let waiting = entry.user_data(slot as u64).flags(flags | squeue::Flags::ASYNC);
        flags.set(squeue::Flags::ASYNC, self.always_waits);
        let entry = waiting.clone().flags(flags);
        // The buffer is in its slot before the kernel can see its address, and stays there until the end is reaped.
        self.slots[slot] = Some(PendingWrite { waiting: Some(waiting), ..in_flight });
        push(&mut self.ring, &entry)
    }
}

impl PendingWrite {
    /// The entry that is to be sent, if the kernel did not begin the operation because it would have had to wait for room: the
    /// same one, which may wait. `None` for another result, and for that of an entry which might have waited.
    fn send_again(&mut self, result: i32) -> Option<squeue::Entry> {
        self.waiting.take_if(|_| result == WOULD_WAIT)
    }
}

fn not_in_flight() -> EngineError {
    EngineError::new("the kernel ended what was not in flight")
}

fn push(ring: &mut Option<IoUring>, entry: &squeue::Entry) -> Result<(), EngineError> {
    let ring = ready(ring)?;
    // SAFETY: a write's buffer is owned by the slot of its entry until the completion is reaped, and the mapping
    // outlives the ring; no other entry names memory.
    if unsafe { ring.submission().push(entry) }.is_ok() {
        return Ok(());
    }
    ring.submit().map_err(|error| EngineError::from_io("the ring could not be entered", error))?;
    // SAFETY: as above.
    unsafe { ring.submission().push(entry) }.map_err(|_| EngineError::new("the ring is full"))
}

fn ready(ring: &mut Option<IoUring>) -> Result<&mut IoUring, EngineError> {
    ring.as_mut().ok_or_else(|| EngineError::new("the ring is gone"))
}

fn outcome(result: i32, expected: usize) -> io::Result<()> {
    match usize::try_from(result) {
        Err(_) => Err(io::Error::from_raw_os_error(-result)),
        Ok(bytes) if bytes == expected => Ok(()),
        Ok(bytes) => Err(io::Error::new(
            io::ErrorKind::WriteZero,
            format!("the kernel wrote {bytes} of {expected} bytes"),
        )),
    }
}

fn register_buffers(ring: &IoUring, buffers: &[&Buffer], obtained: &FeatureReport) -> bool {
    let is_in_order = buffers.iter().enumerate().all(|(index, buffer)| usize::from(buffer.number()) == index);
    let vectors: Vec<libc::iovec> = buffers.iter().map(|buffer| buffer.vector()).collect();
    let registered = if is_in_order {
        // SAFETY: the kernel pins the pages, which stay valid whoever has the buffers; their numbers are their places.
        unsafe { ring.submitter().register_buffers(&vectors) }
    } else {
        Err(io::Error::other("not all of one making"))
    };
    obtained.asked("buffers", registered, "registered", "mapped for each I/O")
}

impl Drop for BlockWriter {
    /// Waits for what the kernel still reads from the buffers, and gives back what was registered: a ring is taken
    /// down some time after it is closed, and would hold the claimed target until then.
    fn drop(&mut self) {
        let mut ended = Vec::new();
        for _ in 0..DROP_WAITS_MAX {
            if self.in_flight() == 0 || self.wait(DROP_WAIT, &mut ended).is_err() {
                break;
            }
        }
        if self.in_flight() > 0 {
            self.give_up();
        }
        if let Some(ring) = self.ring.take() {
            give_back(&ring.submitter());
        }
    }
}
