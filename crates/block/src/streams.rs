//! Recordings of streams of frames: how frames are told apart, and what happens at the end of the target.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::worded_enum;

worded_enum! {
    /// How frames are told apart.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum StreamFraming {
        /// By their length, which comes first.
        Length = "length",
        /// As JPEG pictures.
        Mjpeg = "mjpeg",
    }
}

worded_enum! {
    /// What happens at the end of the target.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    pub enum StreamMode {
        /// The recording ends.
        Linear = "linear",
        /// The oldest blocks are overwritten.
        Cyclic = "cyclic",
    }
}
