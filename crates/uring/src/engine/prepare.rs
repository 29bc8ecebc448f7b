//! What is settled before a phase begins: the processors, and how requests are made.

use std::io;

use drivelab_block::{EngineError, Limits, Op};

use super::UringEngine;
use crate::aio_batch::{AioBatch, MAX_BATCH};
use crate::sync_calls::SubmissionMode;
use crate::{affinity, discard};

/// The most requests that one ring can have in flight: buffers are numbered with 16 bits, and the kernel
/// gives a ring at most 32,768 entries.
const DEPTH_MAX: u32 = 32_768;
/// The longest read or write, in bytes.
const TRANSFER_MAX: u64 = 1 << 30;
/// How requests are made where no other processor could serve them.
const BY_CALL: &str = "by system calls: the target serves each request in its call";

impl UringEngine {
    /// Whether a phase can be carried out at all.
    pub(super) fn check(&self, limits: Limits) -> Result<(), EngineError> {
        self.access.check(limits.ops)?;
        if limits.queue_depth == 0 || limits.queue_depth > DEPTH_MAX {
            let message = format!("a queue depth of {} is not between 1 and {DEPTH_MAX}", limits.queue_depth);
            return Err(EngineError::new(message));
        }
        if limits.max_transfer.get() > TRANSFER_MAX {
            return Err(EngineError::new("a block size over 1 GiB is more than one request can hold"));
        }
        Ok(())
    }

    /// Goes to the processors that were named for this worker, and shares them with the kernel's workers.
    pub(super) fn settle(&mut self) -> Result<(), EngineError> {
        // The kernel rounds the waits of an ordinary thread up by 50 us unless told otherwise.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        // Kernel workers that share this thread's processor would not get it while it polls.
        self.polls = self.options.cpus.is_empty() && affinity::online_cpus().is_ok_and(|cpus| cpus.len() > 1);
        if self.options.cpus.is_empty() {
            return Ok(());
        }
        affinity::pin(&self.options.cpus).map_err(|error| {
            EngineError::from_io("the worker could not be moved to its processors", error)
        })?;
        self.obtained.asked("scheduling", affinity::yield_to_kernel_workers(), "batch", "the usual policy");
        Ok(())
    }

    /// What goes through the ring, and what is made by system calls.
    pub(super) fn submission_mode(&self, limits: Limits) -> SubmissionMode {
        let serves_in_the_call = self.access.serves_in_the_call();
        if serves_in_the_call && self.serves_one_at_a_time(limits) {
            self.obtained.got("submission", BY_CALL);
            return SubmissionMode::ByCall;
        }
        let discards_by_call =
            !self.form.is_file && limits.ops.contains(Op::Discard) && !self.takes_discards();
        let submission = match self.form.always_waits {
            true if serves_in_the_call && !discards_by_call => {
                self.obtained.got(
                    "submission",
                    "handed to kernel workers; short requests of a schedule by system calls",
                );
                return SubmissionMode::ShortByCall;
            }
            true => "handed to kernel workers",
            false => "by the submitting thread",
        };
        self.obtained.got("submission", submission);
        if discards_by_call { SubmissionMode::DiscardsByCall } else { SubmissionMode::ByRing }
    }

    /// What makes several requests in one call, where there are several.
    pub(super) fn calls_for_several(&self, limits: Limits) -> Option<AioBatch> {
        if limits.queue_depth == 1 {
            return None;
        }
        match AioBatch::new() {
            Ok(together) => {
                let how =
                    format!("{BY_CALL}; up to {MAX_BATCH} share a call, and are stamped when it comes back");
                self.obtained.got("submission", how);
                Some(together)
            }
            Err(error) => {
                self.obtained.got("submission", format!("{BY_CALL}, one at a time (io_setup: {error})"));
                None
            }
        }
    }

    fn takes_discards(&self) -> bool {
        let offered = if self.options.discard_by_system_call {
            Err(io::Error::other("not asked for"))
        } else {
            discard::offered(self.access.descriptor())
        };
        self.obtained.asked("discards", offered, "through the ring", "one system call after the other")
    }

    /// Whether kernel workers could win nothing where the target serves a request in the call that brings it: there is
    /// one request at a time, or one processor for all of them.
    fn serves_one_at_a_time(&self, limits: Limits) -> bool {
        let processors = match self.options.cpus.len() {
            0 => affinity::online_cpus().map_or(0, |cpus| cpus.len()),
            named => named,
        };
        limits.queue_depth == 1 || processors == 1
    }
}
