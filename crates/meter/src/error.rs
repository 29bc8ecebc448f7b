//! Why a meter gives no figure.

/// Why a reading is not there. Each is counted by its [`MeterError::kind`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MeterError {
    /// No whole answer came in time.
    #[error("it did not answer in time")]
    Silent,
    /// No connection can be had.
    #[error("it cannot be reached ({0}): see that it is on, and named rightly")]
    Unreachable(String),
    /// The connection was closed, or the file is gone.
    #[error("it is gone ({0})")]
    Gone(String),
    /// The answer is not one number.
    #[error("it answered {0:?}, which is not one number")]
    NotANumber(String),
    /// The instrument says that it has no value: an overload or "not a number" (9.9E37, 9.91E37).
    #[error("it answered {0}, by which it means that it has no value (an overload, or no measurement)")]
    NoValue(String),
    /// A figure that no drive or computer of this kind can draw.
    #[error("it answered {0}, which cannot be")]
    Impossible(String),
    /// A battery that is charged or full does not tell what the machine draws.
    #[error("the battery is not discharging (it says {0:?}): unplug the power supply")]
    NotDischarging(String),
}

impl MeterError {
    /// One or two words for counts of what went wrong.
    pub fn kind(&self) -> &'static str {
        match self {
            MeterError::Silent => "silent",
            MeterError::Unreachable(_) | MeterError::Gone(_) => "gone",
            MeterError::NotANumber(_) => "not a number",
            MeterError::NoValue(_) => "no value",
            MeterError::Impossible(_) => "impossible",
            MeterError::NotDischarging(_) => "not discharging",
        }
    }
}
