//! Objects below a prefix of a store that speaks the protocol of Amazon S3: they are listed, read, and put whole.
//!
//! Every call waits for its answer: what is asynchronous is in `client.rs` alone. Without the feature `s3` addresses are parsed
//! as well, and opening a store is refused with what to do. An object appears with its last byte or not at all, as the
//! protocol has it: it is put by one request, or its parts are joined by the last of several.
//! This module knows no results and no clock, and prints nothing.

mod address;
#[cfg(not(feature = "s3"))]
#[path = "absent.rs"]
mod client;
#[cfg(feature = "s3")]
mod client;
mod error;

pub use address::StoreAddress;
pub use client::Store;
pub use error::{StoreError, StoreFault};

/// The last bytes of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectEnd {
    /// The length of the whole object in bytes.
    pub length: u64,
    /// As many of its last bytes as were wanted, or all where it is shorter.
    pub bytes: bytes::Bytes,
}
