//! What can go wrong with a store.

/// Why objects cannot be listed, read or put, and what to do. No object is there in part.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// This build has no object stores.
    #[error(
        "{0}: this build of drivelab has no object stores: install a package of drivelab, or build it with \
         --features object-store"
    )]
    NotBuiltIn(String),
    /// The settings in the environment make no sense.
    #[error(
        "{address}: the settings of the store are wrong ({why}): look at the variables AWS_* of the environment"
    )]
    Settings {
        /// The address.
        address: String,
        /// What is wrong, in a sentence without its final stop.
        why: String,
    },
    /// There are no credentials.
    #[error("{address}: there are no credentials ({why}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")]
    NoCredentials {
        /// The address.
        address: String,
        /// What was tried, in a sentence without its final stop.
        why: String,
    },
    /// The store does not take the credentials, or they do not allow this.
    #[error(
        "{address}: the store refuses access ({why}): set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY to those of an account \
         that may list, read and write there"
    )]
    Denied {
        /// The address of an object, or of the prefix.
        address: String,
        /// The answer of the store.
        why: String,
    },
    /// There is no such bucket.
    #[error(
        "{address}: the store has no bucket {bucket}: make it first or name another, or set AWS_ENDPOINT_URL and AWS_REGION \
         to those of the store that has it"
    )]
    NoBucket {
        /// The address.
        address: String,
        /// The bucket.
        bucket: String,
    },
    /// The store cannot be reached, or a connection was cut.
    #[error(
        "{address}: the store cannot be reached ({why}): see that AWS_ENDPOINT_URL is its address, or AWS_REGION its region \
         where it is Amazon's, and run the same command again when it answers"
    )]
    Unreachable {
        /// The address of an object, or of the prefix.
        address: String,
        /// What happened, in a sentence without its final stop.
        why: String,
    },
    /// The store answers with an error.
    #[error("{address}: the store failed ({why}): run the same command again when it works")]
    Failed {
        /// The address of an object, or of the prefix.
        address: String,
        /// Its answer.
        why: String,
    },
    /// A local file cannot be read, or the program has no room for what it needs.
    #[error("{address}: what is to be sent cannot be read ({source}): run the same command again")]
    Local {
        /// The address of the object.
        address: String,
        /// The system's error.
        source: std::io::Error,
    },
}
