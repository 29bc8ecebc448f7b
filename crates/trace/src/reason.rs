//! Why something of a source is not in its trace.

/// Why a row or an event is not in the trace, or not wholly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
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

impl Reason {
    /// The reason in words, as reports and JSON have it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Reason::Malformed => "malformed row",
            Reason::Unended => "last line without an end, perhaps cut",
            Reason::UnknownOperation => "unknown operation",
            Reason::NoResponse => "no operation, as no response was seen",
            Reason::Empty => "read or write of nothing",
            Reason::ServiceBeyondResponse => "service time longer than response time",
            Reason::OutOfRange => "address or time beyond any drive",
            Reason::StrayTime => "time more than 30 days from all others",
            Reason::Passthrough => "passthrough command",
            Reason::SamePlace => "another request in flight on the same sector",
            Reason::CompletionAlone => "completion without a beginning",
            Reason::NeverCompleted => "issued and never completed",
            Reason::NeverIssued => "asked for and never issued",
            Reason::StaleAsk => "asked for an hour before its issue, which is not believed",
            Reason::RequeueWithoutIssue => "requeued without an issue",
        }
    }
}
