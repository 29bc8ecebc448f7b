//! Why something of a source is not in its trace.

/// Why a row or an event is not in the trace, or not wholly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RejectReason {
    /// The row begins like a record and then is none.
    Malformed,
    /// The file ends within the row, which may have lost some of its digits.
    Unended,
    /// The operation is none that a drive has.
    UnknownOperation,
    /// A row without an operation: the source saw no response.
    NoResponse,
    /// A read, write or discard of nothing.
    Empty,
    /// The service time is longer than the response time that it is part of.
    ServiceBeyondResponse,
    /// The I/O ends beyond any drive, or takes longer than the trace's clock can say.
    OutOfRange,
    /// The time is more than 30 days from that of all others, or of all but fifteen.
    StrayTime,
    /// A command that passes through the block layer and is no I/O.
    Passthrough,
    /// Another request on the same place was issued and not complete: which one completes is a guess.
    SamePlace,
    /// A completion of which no beginning was seen.
    CompletionAlone,
    /// A request that was issued, or asked for, and never seen complete.
    NeverCompleted,
    /// An I/O that was asked for and never seen issued.
    NeverIssued,
    /// What was asked for at the request's place an hour before it was issued was hardly that request.
    StaleAsk,
    /// A request that was given back without having been issued.
    RequeueWithoutIssue,
}

impl RejectReason {
    /// The reason in words, as reports and JSON have it.
    pub const fn words(self) -> &'static str {
        match self {
            RejectReason::Malformed => "malformed row",
            RejectReason::Unended => "last line without an end, perhaps cut",
            RejectReason::UnknownOperation => "unknown operation",
            RejectReason::NoResponse => "no operation, as no response was seen",
            RejectReason::Empty => "read or write of nothing",
            RejectReason::ServiceBeyondResponse => "service time longer than response time",
            RejectReason::OutOfRange => "address or time beyond any drive",
            RejectReason::StrayTime => "time more than 30 days from all others",
            RejectReason::Passthrough => "passthrough command",
            RejectReason::SamePlace => "another request in flight on the same sector",
            RejectReason::CompletionAlone => "completion without a beginning",
            RejectReason::NeverCompleted => "issued and never completed",
            RejectReason::NeverIssued => "asked for and never issued",
            RejectReason::StaleAsk => "asked for an hour before its issue, which is not believed",
            RejectReason::RequeueWithoutIssue => "requeued without an issue",
        }
    }
}
