//! What can go wrong with a store.

/// Why objects cannot be listed, read or put, and what to do. No object is there in part.
#[derive(Debug, thiserror::Error)]
#[error("{address}: {fault}")]
pub struct StoreError {
    /// The address of an object, or of the prefix.
    pub address: String,
    /// What went wrong with it.
    pub fault: StoreFault,
}

/// What can go wrong with a store, with the reason in a sentence without its final stop.
#[derive(Debug, thiserror::Error)]
pub enum StoreFault {
    /// This build has no object stores.
    #[error(
        "this build of drivelab has no object stores: install a package of drivelab, or build it with \
         --features object-store"
    )]
    NotBuiltIn,
    /// The settings in the environment make no sense.
    #[error("the settings of the store are wrong ({0}): look at the variables AWS_* of the environment")]
    Settings(String),
    /// There are no credentials.
    #[error("there are no credentials ({0}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")]
    NoCredentials(String),
    /// The store does not take the credentials, or they do not allow this.
    #[error(
        "the store refuses access ({0}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to those of an account that may \
         list, read and write there"
    )]
    Denied(String),
    /// There is no bucket of this name.
    #[error(
        "the store has no bucket {0}: make it first or name another, or set AWS_ENDPOINT_URL and AWS_REGION to those of the \
         store that has it"
    )]
    NoBucket(String),
    /// The store cannot be reached, or a connection was cut.
    #[error(
        "the store cannot be reached ({0}): see that AWS_ENDPOINT_URL is its address, or AWS_REGION its region where it is \
         Amazon's, and run the same command again when it answers"
    )]
    Unreachable(String),
    /// The store answers with an error.
    #[error("the store failed ({0}): run the same command again when it works")]
    Failed(String),
    /// A local file cannot be read, or the program has no room for what it needs.
    #[error("what is to be sent cannot be read ({0}): run the same command again")]
    Local(std::io::Error),
}
