//! The real engine: `io_uring` on a drive or a file.
//!
//! A request becomes a submission entry that names a registered file and a registered buffer; entries go to
//! the kernel in batches, completions come back in batches, and each batch is stamped with one reading of
//! the time-stamp counter. What the kernel refused is replaced by the next best and written down in
//! [`FeatureReport`]: nothing falls back in silence.
//!
//! A drive's own commands go another way (`passthrough`), past the block layer.
//!
//! This crate knows no method and no record. All `unsafe` code of drivelab is here: the ring, the buffers
//! whose addresses the kernel is given, the counter, the kernel's account of the program's own time, what the allocator does
//! with freed memory and without any, the standard streams of a process that ends, copies of memory in the static program, the
//! number of an NVMe namespace, the commands and discards of a purge, and questions to an NVMe controller.

mod access;
mod affinity;
mod aio_batch;
mod allocator;
mod area;
mod ata;
mod block_writer;
mod buffer;
mod clock;
mod discard;
mod engine;
mod entry;
mod feature_report;
mod in_flight;
#[cfg(all(target_arch = "x86_64", any(target_env = "musl", test)))]
mod memory_copy;
mod nvme_admin;
mod passthrough;
mod payload;
mod process;
mod request_ledger;
mod ring;
mod slots;
mod sync_calls;
mod wait;

pub use access::Access;
pub use affinity::{keep_off, online_cpus};
pub use allocator::{ReportingAllocator, keep_freed_memory};
pub use ata::{AtaDrive, NoAta};
pub use block_writer::{BlockWrite, BlockWriter, EndedOperation, Waker};
pub use buffer::Buffer;
pub use clock::Clock;
pub use discard::discard_range;
pub use drivelab_purge::nvme::{NvmeFeature, NvmeQuery};
pub use engine::{EngineOptions, UringEngine};
pub use feature_report::FeatureReport;
pub use nvme_admin::{NvmeAdmin, NvmeAnswer, NvmeQueries};
pub use passthrough::{FIRST_FAILURE, Namespace, NoPassthrough, PassthroughEngine};
pub use process::{OwnTime, keep_from_programs, leave_standard_streams, own_time, prefer_this_thread};
