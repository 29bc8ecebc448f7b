//! How requests were timed.

/// How the requests of a phase were timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopKind {
    /// A new request follows each completion. During a stall nothing is asked, so a closed loop
    /// under-reports stalls (coordinated omission): everything shown from it says so.
    Closed,
    /// Requests follow a schedule that does not wait for the drive: the response time counts from it.
    Open,
}
